// Altered bundles, with checksums that do not fit any more and with ones that were made to fit. The
// changes follow from their number; ASSAY_MUTATIONS says how many there are (default 3000, or what
// tests/support/sample.h leaves of them).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bundle/small_knowledge.h"
#include "tests/support/sample.h"

namespace assay::test {
namespace {

std::uint32_t mutation_count() {
  const char* const wanted = std::getenv("ASSAY_MUTATIONS");
  if (wanted == nullptr) return static_cast<std::uint32_t>(3000 / sample_step());
  return static_cast<std::uint32_t>(std::atoi(wanted));
}

TEST(BundleMutation, AnAlteredBundleIsRefusedOrFoundToBeDamaged) {
  const std::string whole = small_bundle();
  const std::string answers = use_bundle(whole);
  ASSERT_FALSE(answers.empty());
  for (std::uint32_t number = 0; number < mutation_count() / 2; ++number) {
    std::mt19937 random(number);
    std::string altered = whole;
    mutate(altered, random);
    if (altered == whole) continue;
    EXPECT_EQ(use_bundle(std::move(altered)), "") << number;
  }
}

TEST(BundleMutation, ABundleCutOffAnywhereIsRefused) {
  const std::string whole = small_bundle();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 500) {
    EXPECT_EQ(use_bundle(whole.substr(0, size)), "") << size;
    std::string sealed = whole.substr(0, size);
    seal(sealed);
    EXPECT_EQ(use_bundle(std::move(sealed)), "") << size;
  }
}

// What such a bundle says cannot be known to be wrong; that nothing breaks is the test.
TEST(BundleMutation, AHostileBundleWithRightChecksumsBreaksNothing) {
  const std::string whole = small_bundle();
  std::string sealed = whole;
  seal(sealed);
  ASSERT_EQ(use_bundle(sealed), use_bundle(whole));
  std::size_t damaged = 0;
  for (std::uint32_t number = 0; number < mutation_count(); ++number) {
    std::mt19937 random(1'000'000 + number);
    std::string altered = whole;
    mutate(altered, random);
    seal(altered);
    damaged += use_bundle(std::move(altered)).empty() ? 1u : 0u;
  }
  std::printf("%zu of %u found to be damaged\n", damaged, mutation_count());
}

}  // namespace
}  // namespace assay::test
