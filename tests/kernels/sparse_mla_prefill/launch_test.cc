#include "kernels/sparse_mla_prefill/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "kernels/sparse_mla_prefill/cpu_dispatch.h"
#include "tests/kernels/sparse_mla_prefill/back_ends.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {
namespace {

using testing::ElementsAre;

// Whether the caller's outputs are as PrefillCase filled them.
bool is_untouched(const PrefillCase& prefill) {
  const PrefillCase fresh(prefill.options);
  const auto same_bytes = [](const auto& a, const auto& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
  };
  return same_bytes(prefill.out, fresh.out) && same_bytes(prefill.lse, fresh.lse) &&
         same_bytes(prefill.max_logits, fresh.max_logits);
}

std::vector<std::string> messages_of(const PrefillResult& result) {
  std::vector<std::string> messages;
  for (const Diagnostic& violation : result.violations) messages.push_back(violation.message);
  return messages;
}

TEST(Launch, makes_the_outputs_that_were_not_supplied) {
  PrefillCase supplied({});
  PrefillCase made({.has_outputs = false});
  ASSERT_EQ(run_prefill(supplied.arguments()).outcome, PrefillOutcome::done);
  const PrefillResult result = run_prefill(made.arguments());
  ASSERT_EQ(result.outcome, PrefillOutcome::done);
  const auto same = [](const auto& expected, const AlignedBuffer& got) {
    return std::memcmp(expected.data(), got.data(), expected.size() * sizeof expected[0]) == 0;
  };
  EXPECT_TRUE(same(supplied.out, result.made.out));
  EXPECT_TRUE(same(supplied.lse, result.made.lse));
  EXPECT_TRUE(same(supplied.max_logits, result.made.max_logits));
}

TEST(Launch, makes_only_the_missing_output) {
  PrefillCase prefill({});
  PrefillArguments arguments = prefill.arguments();
  arguments.lse.reset();
  const PrefillResult result = run_prefill(arguments);
  ASSERT_EQ(result.outcome, PrefillOutcome::done);
  EXPECT_EQ(result.made.out.data(), nullptr);
  EXPECT_NE(result.made.lse.data(), nullptr);
}

TEST(Launch, a_broken_contract_touches_no_output) {
  PrefillCase prefill({});
  PrefillArguments arguments = prefill.arguments();
  arguments.kv.dtype = kBfloat16;
  const PrefillResult result = run_prefill(arguments);
  EXPECT_EQ(result.outcome, PrefillOutcome::refused);
  EXPECT_THAT(messages_of(result),
              ElementsAre("kv must be torch.float8_e4m3fn, got torch.bfloat16"));
  EXPECT_TRUE(is_untouched(prefill));
}

TEST(Launch, counts_values_out_of_range_and_treats_them_as_no_token) {
  PrefillCase prefill({.s_q = 3, .has_lengths = true});
  prefill.lengths = {128, 129, -1};
  prefill.indices[0] = 300;  // s_kv
  prefill.indices[1] = -2;
  prefill.indices[2] = -1;     // the ordinary "no token"
  prefill.indices[256] = 999;  // beyond the clamped length: does not count
  const PrefillResult result = run_prefill(prefill.arguments());
  EXPECT_EQ(result.outcome, PrefillOutcome::done);
  EXPECT_EQ(result.faults.out_of_range_indices, 2U);
  EXPECT_EQ(result.faults.out_of_range_lengths, 2U);
}

TEST(Launch, checked_refuses_values_out_of_range_before_any_work) {
  PrefillCase prefill({.s_q = 3, .has_lengths = true});
  prefill.lengths = {128, 7, 128};
  PrefillOptions options;
  options.checked = true;
  ASSERT_EQ(run_prefill(prefill.arguments(), options).outcome, PrefillOutcome::done);

  PrefillCase faulty({.s_q = 3, .has_lengths = true});
  faulty.lengths = {128, 129, -1};
  faulty.indices[5] = 300;
  faulty.indices[200] = -2;
  const PrefillResult result = run_prefill(faulty.arguments(), options);
  EXPECT_EQ(result.outcome, PrefillOutcome::refused);
  EXPECT_THAT(messages_of(result),
              ElementsAre("topk_length values must satisfy 0 <= topk_length <= topk (128)",
                          "indices values must satisfy -1 <= index < s_kv (300)"));
  EXPECT_EQ(result.violations.at(0).help, "2 of them do not; the first is 129 at [1].");
  EXPECT_EQ(result.violations.at(1).help, "2 of them do not; the first is 300 at [0, 0, 5].");
  EXPECT_TRUE(is_untouched(faulty));
}

TEST(Launch, stops_when_asked_and_leaves_rows_that_were_not_computed) {
  PrefillCase prefill({});
  Cancellation cancellation;
  cancellation.request();
  PrefillOptions options;
  options.cancellation = &cancellation;
  EXPECT_EQ(run_prefill(prefill.arguments(), options).outcome, PrefillOutcome::cancelled);
  EXPECT_TRUE(is_untouched(prefill));
}

TEST(Launch, a_stop_from_another_thread_ends_a_long_call) {
  PrefillCase prefill({.s_q = 400, .s_kv = 4096, .topk = 2048});
  Cancellation cancellation;
  PrefillOptions options;
  options.cancellation = &cancellation;
  options.threads = 2;
  std::thread asker([&] { cancellation.request(); });
  const PrefillResult result = run_prefill(prefill.arguments(), options);
  asker.join();
  EXPECT_EQ(result.outcome, PrefillOutcome::cancelled);
}

TEST(Launch, may_be_called_from_many_threads_at_once) {
  PrefillCase expected({.s_q = 4});
  ASSERT_EQ(run_prefill(expected.arguments()).outcome, PrefillOutcome::done);
  std::vector<PrefillCase> calls(4, PrefillCase({.s_q = 4}));
  std::vector<std::thread> threads;
  for (PrefillCase& call : calls) {
    threads.emplace_back([&call] {
      PrefillOptions options;
      options.threads = 2;
      run_prefill(call.arguments(), options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const PrefillCase& call : calls) EXPECT_EQ(call.out, expected.out);
}

TEST(Dispatch, offers_the_best_back_end_first_and_a_portable_one_always) {
  const auto& all = available_cpu_kernels();
  ASSERT_FALSE(all.empty());
  std::vector<std::string> order{"avx512bf16", "avx512", "avx2", "portable"};
  std::size_t at = 0;
  for (const CpuKernels* kernels : all) {
    while (at < order.size() && order[at] != kernels->name) ++at;
    EXPECT_LT(at, order.size()) << kernels->name;
    EXPECT_EQ(find_cpu_kernels(kernels->name), kernels);
  }
  EXPECT_EQ(find_cpu_kernels("avx1024"), nullptr);
}

TEST(Dispatch, the_peak_loop_counts_its_operations) {
  for (const CpuKernels* kernels : tested_back_ends()) {
    const double once = kernels->run_at_peak(10);
    EXPECT_GT(once, 0) << kernels->name;
    EXPECT_EQ(kernels->run_at_peak(20), 2 * once) << kernels->name;
  }
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
