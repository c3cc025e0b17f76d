// Version numbers as Python packages write them (PEP 440: "0.5.8", "0.5.8.post1", "2.7.0rc1",
// "2.7.0+cu126", "1!2.0.dev3"), their order, and ranges of them (">=0.5.8,<0.6"). CUDA and driver
// versions ("12.8", "570.86.15") are a subset.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace assay {

struct Version {
  // Phases of a pre-release in their order; a release without one comes after all of them.
  enum class Phase : std::uint8_t { alpha, beta, candidate, none };

  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;  // without trailing zeros: 1.0 equals 1
  Phase phase = Phase::none;
  std::uint64_t phase_number = 0;
  std::optional<std::uint64_t> post;
  std::optional<std::uint64_t> dev;
  std::string local;  // after "+", lower case, separators as "."

  bool is_prerelease() const { return phase != Phase::none || dev.has_value(); }
};

// None when `text` is not a version (or a number in it does not fit 64 bits, or it is longer than
// 128 bytes). Blanks around it, a leading "v" and PEP 440's other spellings are accepted.
std::optional<Version> parse_version(std::string_view text);

// The order of PEP 440, local versions included.
std::strong_ordering operator<=>(const Version& a, const Version& b);
inline bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }

// -1, 0 or 1; none when one of them is not a version.
std::optional<int> compare_versions(std::string_view a, std::string_view b);

struct VersionComparison {
  enum class Operator : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
  Operator op = Operator::equal;
  Version version;
};

// A conjunction; no comparison: every version.
struct VersionRange {
  std::vector<VersionComparison> comparisons;

  // As PEP 440 says: the local part counts only where the comparison has one, "<0.6" leaves out
  // pre-releases of 0.6, ">0.5.8" leaves out 0.5.8.post1.
  bool contains(const Version& version) const;
};

struct VersionRangeFault {
  std::size_t begin = 0;  // bytes of the range's text
  std::size_t end = 0;
  std::string message;
};

// "" and "any": every version. Else comparisons joined by commas: ">=0.5.8,<0.6", "==0.5.9".
tl::expected<VersionRange, VersionRangeFault> parse_version_range(std::string_view text);

}  // namespace assay
