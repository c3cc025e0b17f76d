// The table of breaks: barriers first, then the loading warpgroup, the math warpgroups, the end.
// Two that change nothing are not here: the fence of the mbarriers' initialisation, which only bulk
// copies need, and rescaling O^T while products of others run, which only the compiler minds.
#include "tests/kernels/emulator/kernel_mutations.h"

#include <utility>

#include "tests/kernels/emulator/kernel_acts.h"

namespace assay::sparse_mla_prefill {
namespace {

using emulator::DeviceCall;
using enum emulator::FaultKind;
using Config = MutatedConfig;

// What a ring out of step shows, by schedule.
const std::vector<emulator::FaultKind> kDisorder = {race,          uninitialised_read, stale_phase,
                                                    phase_overrun, misused_mbarrier,   deadlock};

Edit barriers(const char* line, Act act, int which = 1) {
  return {"barriers.cuh", line, std::move(act), which};
}
Edit load(const char* line, Act act, int which = 1) {
  return {"load_role.cuh", line, std::move(act), which};
}
Edit math(const char* line, Act act, int which = 1) {
  return {"math_role.cuh", line, std::move(act), which};
}
Edit softmax(const char* line, Act act, int which = 1) {
  return {"online_softmax.cuh", line, std::move(act), which};
}
Edit store(const char* line, Act act, int which = 1) {
  return {"store_output.cuh", line, std::move(act), which};
}

using Mutations = std::vector<KernelMutation>;

Mutations of_initialisation() {
  const auto init_full = "ptx::mbarrier_init(base + Config::kFull + slot * 8,";
  const auto init_empty = "ptx::mbarrier_init(base + Config::kEmpty + slot * 8,";
  const auto init_query = "ptx::mbarrier_init(base + Config::kQueryFull,";
  const auto init_query_empty = "ptx::mbarrier_init(base + Config::kQueryEmpty,";
  return {
      {"full_count_too_low", {barriers(init_full, add(1, -1ULL))}, kDisorder, ""},
      {"full_count_too_high", {barriers(init_full, add(1, 1))}, {deadlock}, "full"},
      {"empty_count_too_low", {barriers(init_empty, add(1, -1ULL))}, kDisorder, ""},
      {"empty_count_too_high", {barriers(init_empty, add(1, 1))}, {deadlock}, "empty"},
      {"query_empty_count_too_low", {barriers(init_query_empty, add(1, -1ULL))}, kDisorder, ""},
      {"query_empty_count_too_high",
       {barriers(init_query_empty, add(1, 1))},
       {deadlock},
       "Q empty"},
      {"query_count_too_high", {barriers(init_query, add(1, 1))}, {deadlock}, "Q full"},
      {"barriers_not_awaited",
       {barriers("ptx::sync_block();", skip())},
       {race, misused_mbarrier},
       ""},
      {"registers_not_given",
       {{"kernel.cuh", "ptx::give_registers<", skip(), 1}},
       {deadlock},
       "registers"},
      {"registers_not_taken_by_one_warp",
       {{"kernel.cuh", "ptx::take_registers<", skip_in_warp(5), 1}},
       {register_budget},
       ""},
  };
}

Mutations of_loading() {
  const auto wait = "ptx::mbarrier_wait(position.empty(base_), 1 - position.parity);";
  const auto arrive = "ptx::mbarrier_arrive(position.full(base_));";
  const auto copies_arrive = "ptx::copy_async_arrive(position.full(base_));";
  const auto copy = "ptx::copy_async_16(slot + place_of(tile, half)";
  const auto ballot = "ptx::store_shared(words, ballots[0]);";
  return {
      {"empty_not_waited_for", {load(wait, skip())}, kDisorder, ""},
      {"empty_parity_flipped", {load(wait, flip(1, 1))}, kDisorder, ""},
      {"empty_parity_not_flipped_later", {load(wait, set(1, 1))}, kDisorder, ""},
      {"waits_for_the_slot_before", {load(wait, slot_before(Config::kEmpty))}, kDisorder, ""},
      {"ballots_not_announced", {load(arrive, skip())}, {deadlock}, "full"},
      {"ballots_announced_twice", {load(arrive, arrive_twice())}, kDisorder, ""},
      {"ballots_announced_before_they_are_stored",
       {load(ballot, arrive_before_ballots), load(arrive, skip())},
       {race, uninitialised_read},
       "ballots"},
      {"a_ballot_not_stored", {load(ballot, skip())}, {uninitialised_read}, "ballots"},
      {"copies_not_announced", {load(copies_arrive, skip())}, {deadlock}, "full"},
      {"copies_of_one_thread_not_announced",
       {load(copies_arrive, skip_in_thread(300))},
       {deadlock},
       "full"},
      {"copies_announced_at_the_next_slot",
       {load(copies_arrive, next_slot(Config::kFull))},
       kDisorder,
       ""},
      {"query_not_announced",
       {load("ptx::copy_async_arrive(base_ + Config::kQueryFull);", skip())},
       {deadlock},
       "Q full"},
      {"a_row_not_copied", {load(copy, skip_in_thread(270))}, {uninitialised_read}, "slot"},
      {"rows_copied_to_the_slot_before",
       {load(copy, add(0, -std::uint64_t{Config::kSlotBytes}))},
       {race},
       ""},
      {"rows_copied_in_another_swizzle", {load(copy, flip(0, 16))}, {}, "", CaughtBy::the_result},
  };
}

Mutations of_query() {
  const auto first = "ptx::mbarrier_wait(first.full(base_), first.parity);";
  const auto query = "ptx::mbarrier_wait(base_ + Config::kQueryFull, parity);";
  const auto query_arrive = "ptx::mbarrier_arrive(base_ + Config::kQueryEmpty);";
  const auto query_empty = "ptx::mbarrier_wait(base_ + Config::kQueryEmpty, parity);";
  return {
      {"query_and_first_slot_not_waited_for",
       {math(query, skip()), math(first, skip())},
       kDisorder,
       ""},
      {"query_parity_not_flipped_later", {math(query, set(1, 0))}, kDisorder, ""},
      {"query_parity_flipped", {math(query, flip(1, 1)), math(first, skip())}, kDisorder, ""},
      {"query_loaded_before_it_is_empty", {load(query_empty, skip())}, kDisorder, ""},
      {"query_empty_parity_flipped", {load(query_empty, flip(1, 1))}, kDisorder, ""},
      {"query_empty_parity_not_flipped_later", {load(query_empty, set(1, 1))}, kDisorder, ""},
      {"query_not_released", {math(query_arrive, skip())}, {deadlock}, "Q empty"},
      {"query_released_twice", {math(query_arrive, arrive_twice())}, kDisorder, ""},
      {"query_released_without_the_other_lanes",
       {math("ptx::sync_warp();", skip())},
       {stale_phase, phase_overrun},
       "Q full",
       CaughtBy::some_schedule},
  };
}

Mutations of_scores() {
  const auto first = "ptx::mbarrier_wait(first.full(base_), first.parity);";
  const auto second = "ptx::mbarrier_wait(second.full(base_), second.parity);";
  const auto fence = "ptx::fence_proxy_async();";
  const auto product = "ptx::wgmma_n64(s, tile_operand(";
  return {
      {"first_full_not_waited_for", {math(first, skip())}, kDisorder, ""},
      {"second_full_not_waited_for", {math(second, skip())}, kDisorder, ""},
      {"second_full_not_waited_for_by_one_lane", {math(second, skip_in_thread(40))}, kDisorder, ""},
      {"full_parity_flipped", {math(first, flip(1, 1))}, kDisorder, ""},
      {"full_parity_not_flipped_later", {math(second, set(1, 0))}, kDisorder, ""},
      {"copies_not_fenced_for_wgmma", {math(fence, skip())}, {missing_proxy_fence}, ""},
      {"copies_not_fenced_by_one_lane",
       {math(fence, skip_in_thread(37))},
       {missing_proxy_fence},
       ""},
      {"scores_added_to_registers_that_nobody_set",
       {math(product, set(2, 1))},
       {uninitialised_read},
       "registers"},
      {"next_scores_read_before_their_wait",
       {math("ptx::wgmma_wait<2>();", skip())},
       {register_in_flight},
       "registers"},
      {"no_wgmma_fence_before_scores",
       {math("ptx::wgmma_fence();", skip())},
       {missing_wgmma_fence},
       "registers"},
      {"scores_not_committed",
       {math("ptx::wgmma_commit();", skip())},
       {register_in_flight},
       "registers"},
      {"first_scores_read_before_their_wait",
       {math("ptx::wgmma_wait<0>();", skip())},
       {register_in_flight},
       "registers"},
      {"scores_of_the_next_slot",
       {math(product, add(1, std::uint64_t{Config::kSlotBytes >> 4U}))},
       {race, uninitialised_read},
       ""},
      {"keys_read_in_another_swizzle", {math(product, flip(1, 1ULL << 62U))}, {bad_descriptor}, ""},
      {"keys_read_with_another_stride",
       {math(product, add(1, 1ULL << 32U))},
       {race, uninitialised_read},
       ""},
  };
}

Mutations of_maxima() {
  const auto maxima = "sync_math<Config>(NamedBarrier::maxima);";
  return {
      {"maxima_not_awaited", {math(maxima, skip())}, {race, uninitialised_read}, ""},
      {"maxima_awaited_at_the_other_barrier_by_half",
       {math(maxima, by_one_warpgroup(set(0, 2)))},
       {deadlock},
       "named barrier"},
      {"maxima_arrived_at_twice",
       {math(maxima, arrive_already)},
       {misused_named_barrier},
       "named barrier 1"},
      {"maxima_awaited_by_half",
       {math(maxima, set(1, 128))},
       {race, uninitialised_read, misused_named_barrier},
       ""},
      {"maxima_count_not_whole_warps", {math(maxima, set(1, 250))}, {misused_named_barrier}, ""},
      {"maxima_awaited_by_parts_of_warps",
       {math(maxima, come_with_half_of_each_warp)},
       {misused_named_barrier, race, uninitialised_read},
       ""},
  };
}

Mutations of_probabilities() {
  const auto probabilities = "sync_math<Config>(NamedBarrier::probabilities);";
  const auto p_store = "ptx::store_shared(piece_address(p, row() + 8 * h, i)";
  return {
      {"first_probabilities_not_awaited",
       {math(probabilities, skip())},
       {race, missing_proxy_fence, uninitialised_read},
       ""},
      {"next_probabilities_not_awaited",
       {math(probabilities, skip(), 2)},
       {race, missing_proxy_fence, uninitialised_read},
       ""},
      {"probabilities_not_fenced_for_wgmma",
       {math("ptx::fence_proxy_async();", skip(), 2)},
       {missing_proxy_fence},
       "slot"},
      {"probabilities_not_fenced_by_one_lane",
       {math("ptx::fence_proxy_async();", skip_in_thread(171), 2)},
       {missing_proxy_fence},
       "slot"},
      {"lanes_do_not_share_their_maxima",
       {softmax("= ptx::shuffle_xor(ptx::bits_of(maxima[h]), step);", skip())},
       {},
       "",
       CaughtBy::the_result},
      {"factors_not_stored",
       {math("ptx::store_shared(factors() + (row() + 8 * h) * 4", skip())},
       {uninitialised_read},
       "factors"},
      {"probabilities_stored_over_values",
       {math(p_store, add(0, -std::uint64_t{Config::kTileBytes}))},
       {},
       "",
       CaughtBy::the_result},
      {"probabilities_stored_in_another_swizzle",
       {math(p_store, flip(0, 16))},
       {},
       "",
       CaughtBy::the_result},
      {"ballots_of_the_slot_before_read",
       {softmax("ptx::load_shared_v4(valid + 16 *", add(0, -32ULL))},
       {race, uninitialised_read},
       ""},
  };
}

Mutations of_values() {
  const auto arrive = "ptx::mbarrier_arrive(block.empty(base_));";
  const auto wait_one = "ptx::wgmma_wait<1>();";
  const auto product = "ptx::wgmma_n64(o[t], fragments[t], p,";
  return {
      {"fragments_overwritten_before_their_wait",
       {math(wait_one, skip())},
       {register_in_flight},
       "registers"},
      {"first_block_released_before_its_products",
       {math(wait_one, skip(), 2)},
       {race, register_in_flight},
       ""},
      {"fragments_overwritten_one_step_early",
       {math(wait_one, set(0, 2))},
       {register_in_flight},
       "registers"},
      {"no_wgmma_fence_before_values",
       {math("ptx::wgmma_fence();", skip(), 2)},
       {missing_wgmma_fence},
       "registers"},
      {"values_not_committed",
       {math("ptx::wgmma_commit();", skip(), 2)},
       {register_in_flight},
       "registers"},
      {"last_values_not_waited_for",
       {math("ptx::wgmma_wait<0>();", skip(), 2)},
       {race, register_in_flight},
       ""},
      {"values_of_another_swizzle", {math(product, flip(1, 1ULL << 62U))}, {bad_descriptor}, ""},
      {"first_values_added_to_registers_that_nobody_set",
       {math(product, set(2, 1))},
       {uninitialised_read},
       "registers"},
      {"values_not_added_up", {math(product, set(2, 0))}, {}, "", CaughtBy::the_result},
      {"values_of_other_columns",
       {math("ptx::load_matrix_x4_transposed(", flip(0, 16))},
       {},
       "",
       CaughtBy::the_result},
      {"values_of_the_next_block",
       {math("ptx::load_matrix_x4_transposed(", add(0, Config::kSlotBytes))},
       {race, uninitialised_read, out_of_bounds, misused_mbarrier},
       ""},
      {"slot_not_released", {math(arrive, skip())}, {deadlock}, "empty"},
      {"one_slot_never_released", {math(arrive, only_slot(3, skip()))}, {deadlock}, "empty"},
      {"slot_not_released_by_one_warp", {math(arrive, skip_in_thread(96))}, {deadlock}, "empty"},
      {"slot_released_twice", {math(arrive, arrive_twice())}, kDisorder, ""},
      {"slot_released_one_iteration_early",
       {math(arrive, next_slot(Config::kEmpty))},
       kDisorder,
       ""},
      {"slot_released_without_the_other_lanes",
       {math("ptx::sync_warp();", skip(), 2)},
       {race, phase_overrun},
       ""},
  };
}

Mutations of_the_end() {
  return {
      {"sums_not_awaited",
       {store("sync_math<Config>(NamedBarrier::maxima);", skip())},
       {race, uninitialised_read},
       "sums"},
      {"lanes_do_not_share_their_sums",
       {softmax("ptx::shuffle_xor(ptx::bits_of(sum), step)", skip())},
       {},
       "",
       CaughtBy::the_result},
      {"last_factors_not_awaited",
       {store("sync_math<Config>(NamedBarrier::probabilities);", skip())},
       {race},
       "factors"},
      {"sums_of_one_warpgroup_not_stored",
       {store("ptx::store_shared(sums + (group * Config::kHeads + row + 8 * h) * 4,",
              [](DeviceCall& call) { return call.thread >= 128; })},
       {uninitialised_read},
       "sums"},
  };
}

}  // namespace

std::vector<KernelMutation> kernel_mutations() {
  Mutations all;
  for (Mutations part : {of_initialisation(), of_loading(), of_query(), of_scores(), of_maxima(),
                         of_probabilities(), of_values(), of_the_end()}) {
    for (KernelMutation& one : part) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace assay::sparse_mla_prefill
