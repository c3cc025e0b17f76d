// What the CPU prefill takes of memory, as the operating system counts it. KV rows that are not
// chosen are pages that nobody has touched, so that they count for nothing themselves.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>

#include "kernels/sparse_mla_prefill/launch.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {
namespace {

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

TEST(Memory, is_not_taken_in_proportion_to_the_rows_of_the_cache) {
  constexpr std::int64_t kRows = std::int64_t{1} << 24;
  PrefillCase prefill({});
  PrefillArguments arguments = prefill.arguments();
  const std::array<std::int64_t, 3> shape{kRows, 1, arguments.kv.shape[2]};
  const auto bytes = static_cast<std::size_t>(shape[0] * shape[2]);
  void* const kv =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (kv == MAP_FAILED) GTEST_SKIP() << "no room for " << bytes << " bytes of addresses";
  ASSERT_EQ(run_prefill(arguments).outcome, PrefillOutcome::done);
  const std::int64_t before = peak_bytes();
  arguments.kv.data = kv;
  arguments.kv.shape = shape;
  arguments.kv.strides = {};
  EXPECT_EQ(run_prefill(arguments).outcome, PrefillOutcome::done);
  EXPECT_LT(peak_bytes() - before, kRows / 2) << "half a byte for each row";
  munmap(kv, bytes);
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
