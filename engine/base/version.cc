// Versions by the grammar of PEP 440, appendix B, read by hand in one pass (the published regular
// expression would need a regex engine in the lowest layer):
//
//   [v][N!]N(.N)*[[-_.](a|b|c|rc|alpha|beta|pre|preview)[-_.][N]][(-N)|([-_.](post|rev|r)[-_.][N])]
//   [[-_.]dev[-_.][N]][+local]
//
// Order: epoch, release, then dev-only < pre-release < release < post-release, then local.
#include "engine/base/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxBytes = 128;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class VersionParser {
 public:
  explicit VersionParser(std::string_view lower_case) : rest_(lower_case) {}

  std::optional<Version> parse() {
    Version version;
    take("v");
    if (!parse_release(version) || !parse_prerelease(version) || !parse_post(version) ||
        !parse_dev(version) || !parse_local(version) || !rest_.empty())
      return std::nullopt;
    while (version.release.size() > 1 && version.release.back() == 0) version.release.pop_back();
    return version;
  }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take_number(std::uint64_t& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  // "[-_.]word[-_.]N": the word with its optional number; leaves the text alone when it is not
  // there. The first of `words` that fits is taken: longer spellings come first.
  template <std::size_t n>
  bool take_part(const std::array<std::string_view, n>& words, std::size_t& which,
                 std::uint64_t& number, bool& is_valid) {
    const std::string_view before = rest_;
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
    const auto found =
        std::find_if(words.begin(), words.end(), [&](std::string_view word) { return take(word); });
    if (found == words.end()) {
      rest_ = before;
      return false;
    }
    which = static_cast<std::size_t>(found - words.begin());
    number = 0;
    const bool has_separated_number =
        rest_.size() > 1 && is_separator(rest_[0]) && is_digit(rest_[1]);
    if (has_separated_number) rest_.remove_prefix(1);
    if (!rest_.empty() && is_digit(rest_.front())) is_valid = take_number(number);
    return true;
  }

  bool parse_release(Version& version) {
    std::uint64_t number = 0;
    if (!take_number(number)) return false;
    if (take("!")) {
      version.epoch = number;
      if (!take_number(number)) return false;
    }
    version.release.push_back(number);
    while (rest_.size() > 1 && rest_[0] == '.' && is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      if (!take_number(number)) return false;
      version.release.push_back(number);
    }
    return true;
  }

  bool parse_prerelease(Version& version) {
    static constexpr std::array<std::string_view, 8> kWords = {"alpha", "beta", "preview", "pre",
                                                               "rc",    "a",    "b",       "c"};
    using Phase = Version::Phase;
    static constexpr std::array<Phase, 8> kPhases = {
        Phase::alpha,     Phase::beta,  Phase::candidate, Phase::candidate,
        Phase::candidate, Phase::alpha, Phase::beta,      Phase::candidate};
    std::size_t which = 0;
    bool is_valid = true;
    if (take_part(kWords, which, version.phase_number, is_valid)) version.phase = kPhases[which];
    return is_valid;
  }

  bool parse_post(Version& version) {
    static constexpr std::array<std::string_view, 3> kWords = {"post", "rev", "r"};
    std::uint64_t number = 0;
    if (rest_.size() > 1 && rest_[0] == '-' && is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      if (!take_number(number)) return false;
      version.post = number;
      return true;
    }
    std::size_t which = 0;
    bool is_valid = true;
    if (take_part(kWords, which, number, is_valid)) version.post = number;
    return is_valid;
  }

  bool parse_dev(Version& version) {
    static constexpr std::array<std::string_view, 1> kWords = {"dev"};
    std::size_t which = 0;
    std::uint64_t number = 0;
    bool is_valid = true;
    if (take_part(kWords, which, number, is_valid)) version.dev = number;
    return is_valid;
  }

  bool parse_local(Version& version) {
    if (!take("+")) return true;
    bool after_separator = true;
    for (const char c : rest_) {
      if (is_separator(c) ? after_separator : !is_digit(c) && !is_lower(c)) return false;
      after_separator = is_separator(c);
      version.local += after_separator ? '.' : c;
    }
    rest_ = {};
    return !after_separator;
  }

  std::string_view rest_;
};

// Local parts: numbers above words, numbers by value, a longer one above its own head.
std::strong_ordering compare_local(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto next = [](std::string_view& rest) {
      const auto end = std::min(rest.find('.'), rest.size());
      const std::string_view part = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      return part;
    };
    std::string_view x = next(a), y = next(b);
    const bool x_is_number = std::all_of(x.begin(), x.end(), is_digit);
    const bool y_is_number = std::all_of(y.begin(), y.end(), is_digit);
    if (x_is_number != y_is_number) return x_is_number <=> y_is_number;
    if (x_is_number) {
      x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
      y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
      if (x.size() != y.size()) return x.size() <=> y.size();
    }
    if (x != y) return x <=> y;
  }
  return a.size() <=> b.size();
}

std::strong_ordering compare_public(const Version& a, const Version& b) {
  if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
  if (const auto order = a.release <=> b.release; order != 0) return order;
  // "1.dev1" comes before "1a1": without phase and post, a dev release is the first of all.
  const auto rank = [](const Version& v) {
    const bool is_dev_only = v.phase == Version::Phase::none && !v.post && v.dev;
    return is_dev_only ? -1 : static_cast<int>(v.phase);
  };
  if (rank(a) != rank(b)) return rank(a) <=> rank(b);
  if (a.phase_number != b.phase_number) return a.phase_number <=> b.phase_number;
  if (a.post != b.post) return a.post <=> b.post;  // none is below all numbers
  const bool a_is_dev = a.dev.has_value(), b_is_dev = b.dev.has_value();
  if (a_is_dev != b_is_dev) return b_is_dev <=> a_is_dev;
  return a.dev <=> b.dev;
}

bool has_same_release(const Version& a, const Version& b) {
  return a.epoch == b.epoch && a.release == b.release;
}

bool holds(const VersionComparison& comparison, const Version& version) {
  const Version& bound = comparison.version;
  auto order = compare_public(version, bound);
  if (order == 0 && !bound.local.empty()) order = compare_local(version.local, bound.local);
  switch (comparison.op) {
    case VersionComparison::Operator::equal:
      return order == 0;
    case VersionComparison::Operator::unequal:
      return order != 0;
    case VersionComparison::Operator::at_most:
      return order <= 0;
    case VersionComparison::Operator::at_least:
      return order >= 0;
    case VersionComparison::Operator::less:
      return order < 0 && (bound.is_prerelease() || !version.is_prerelease() ||
                           !has_same_release(version, bound));
    case VersionComparison::Operator::greater:
      break;
  }
  return order > 0 && (bound.post || !version.post || !has_same_release(version, bound));
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  text = trim(text);
  if (text.size() > kMaxBytes) return std::nullopt;
  std::string lower_case(text);
  for (char& c : lower_case)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return VersionParser(lower_case).parse();
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  const auto order = compare_public(a, b);
  return order != 0 ? order : compare_local(a.local, b.local);
}

namespace {

// Reads the next number of "12.8.1" and the dot after it; 0 at the end. False where there is
// anything else, or more digits than fit.
bool take_plain_number(std::string_view& text, std::uint64_t& number) {
  constexpr std::size_t kMaxDigits = 18;
  number = 0;
  if (text.empty()) return true;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at)
    number = 10 * number + static_cast<std::uint64_t>(text[at] - '0');
  if (at == 0 || at > kMaxDigits) return false;
  const bool has_dot = at < text.size();
  if (has_dot && (text[at] != '.' || at + 1 == text.size())) return false;
  text.remove_prefix(has_dot ? at + 1 : at);
  return true;
}

// compare_versions where both are numbers with dots, which nearly all are.
std::optional<int> compare_plain_versions(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.size() > kMaxBytes || b.size() > kMaxBytes) return std::nullopt;
  int order = 0;
  while (!a.empty() || !b.empty()) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    if (!take_plain_number(a, left) || !take_plain_number(b, right)) return std::nullopt;
    if (order == 0 && left != right) order = left < right ? -1 : 1;
  }
  return order;
}

}  // namespace

std::optional<int> compare_versions(std::string_view a, std::string_view b) {
  if (const auto order = compare_plain_versions(a, b)) return order;
  const auto x = parse_version(a), y = parse_version(b);
  if (!x || !y) return std::nullopt;
  const auto order = *x <=> *y;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool VersionRange::contains(const Version& version) const {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [&](const VersionComparison& c) { return holds(c, version); });
}

tl::expected<VersionRange, VersionRangeFault> parse_version_range(std::string_view text) {
  using Operator = VersionComparison::Operator;
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators = {
      {{"==", Operator::equal},
       {"!=", Operator::unequal},
       {"<=", Operator::at_most},
       {">=", Operator::at_least},
       {"<", Operator::less},
       {">", Operator::greater}}};
  VersionRange range;
  if (trim(text).empty() || trim(text) == "any") return range;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const std::string_view part = trim(text.substr(begin, end - begin));
    const auto part_begin = static_cast<std::size_t>(part.data() - text.data());
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](const auto& op) { return part.starts_with(op.first); });
    const auto fault = [&](std::string message) {
      return tl::make_unexpected(
          VersionRangeFault{part_begin, part_begin + part.size(), std::move(message)});
    };
    if (found == kOperators.end())
      return fault("expected a comparison such as `>=0.5.8` (==, !=, <, <=, >, >=)");
    const std::string_view number = trim(part.substr(found->first.size()));
    auto version = parse_version(number);
    if (!version) return fault("`" + std::string(number) + "` is not a version number");
    range.comparisons.push_back({found->second, std::move(*version)});
    begin = end + 1;
  }
  return range;
}

}  // namespace assay
