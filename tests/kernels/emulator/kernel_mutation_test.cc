// Every broken form of the Hopper kernel is caught, and the report names threads, object and
// places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kernels/emulator/emulated_prefill.h"
#include "tests/kernels/emulator/kernel_mutations.h"

namespace assay::sparse_mla_prefill {
namespace {

using emulator::Fault;
using emulator::FaultKind;
using ::testing::HasSubstr;
using enum emulator::FaultKind;

// The number of the line; 0: the kernel has no such line, so the mutation has to be written anew.
std::uint32_t line_of(const Edit& edit) {
  std::ifstream file(ASSAY_SOURCE_DIR "/kernels/sparse_mla_prefill/" + edit.file);
  std::string line;
  int seen = 0;
  for (std::uint32_t number = 1; std::getline(file, line); ++number) {
    if (line.find(edit.line) != std::string::npos && ++seen == edit.which) return number;
  }
  return 0;
}

struct PlacedEdit {
  const Edit* edit;
  std::uint32_t line;
  std::uint64_t met = 0;
};

bool apply(std::vector<PlacedEdit>& edits, emulator::DeviceCall& call) {
  bool is_made = true;
  for (PlacedEdit& one : edits) {
    if (call.place.line() != one.line) continue;
    if (!std::string_view(call.place.file_name()).ends_with("/" + one.edit->file)) continue;
    ++one.met;
    is_made = one.edit->act(call) && is_made;
  }
  return is_made;
}

bool has_its_places(const Fault& fault) {
  // Those have one party by nature: nobody wrote, nobody comes.
  const bool alone = fault.kind == uninitialised_read || fault.kind == deadlock ||
                     fault.kind == bad_descriptor || fault.kind == out_of_bounds ||
                     fault.kind == unfinished_work || fault.kind == misused_mbarrier ||
                     fault.kind == misused_named_barrier || fault.kind == register_budget;
  const auto is_known = [](const emulator::Party& party) {
    return !party.who.empty() &&
           (party.where.find(".cuh:") != std::string::npos ||
            party.where.find(".cc:") != std::string::npos || party.where == "its declaration");
  };
  return is_known(fault.first) && (alone || (fault.second && is_known(*fault.second)));
}

// One block of threads with four tasks of 6, 0, 4 and 6 blocks of tokens in a ring of five, so that
// Q is loaded and every slot filled three times at least.
PrefillCase mutation_case() {
  CaseOptions options;
  options.s_q = 4;
  options.has_lengths = true;
  options.topk = 384;
  options.masked_share = 0.1;
  PrefillCase prefill(options);
  prefill.lengths = {384, 0, 200, 384};
  return prefill;
}

// Beyond what the kernel's own tests allow.
bool is_wrong(const Accuracy& accuracy) {
  return accuracy.out_relative_mean > 0.03 || accuracy.lse_difference > 2e-3 ||
         accuracy.max_logits_difference > 1e-4 || !accuracy.same_nonfinite;
}

class BrokenKernel : public testing::TestWithParam<KernelMutation> {};

TEST_P(BrokenKernel, is_caught) {
  constexpr std::uint64_t kSchedules = 12;
  const KernelMutation& mutation = GetParam();
  std::vector<PlacedEdit> edits;
  for (const Edit& edit : mutation.edits) {
    edits.push_back({&edit, line_of(edit)});
    ASSERT_NE(edits.back().line, 0U) << edit.file << " has no line with: " << edit.line;
  }
  emulator::Emulator emulator;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    PrefillCase prefill = mutation_case();
    cuda::DeviceStatus status;
    const auto result = run_emulated(
        prefill, emulator, seed, status,
        [&](emulator::DeviceCall& call) { return apply(edits, call); },
        [](auto&, emulator::LaunchConfig& config) { config.blocks = 1; });
    for (const PlacedEdit& one : edits) EXPECT_GT(one.met, 0U) << one.edit->line;
    if (result.fault) {
      const std::string text = result.fault->to_string();
      EXPECT_NE(mutation.caught_by, CaughtBy::the_result);
      EXPECT_THAT(mutation.kinds, ::testing::Contains(result.fault->kind)) << text;
      EXPECT_THAT(text, HasSubstr(mutation.object));
      EXPECT_TRUE(has_its_places(*result.fault)) << text;
      return;
    }
    if (mutation.caught_by == CaughtBy::the_result) {
      EXPECT_TRUE(is_wrong(prefill.compare(prefill.reference())));
      return;
    }
    ASSERT_NE(mutation.caught_by, CaughtBy::the_first_schedule)
        << "not caught by schedule " << seed;
  }
  FAIL() << "not caught";
}

INSTANTIATE_TEST_SUITE_P(, BrokenKernel, testing::ValuesIn(kernel_mutations()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace assay::sparse_mla_prefill
