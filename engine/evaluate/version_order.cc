// The order of versions, as PEP 440 defines it: [N!]N(.N)*[{a|b|rc}N][.postN][.devN][+local], with
// the spellings that PEP normalises ("v1.0", "1.0-rc.1", "1.0alpha2", "1.0-1" for a post release).
// A version becomes a key of numbers that compare one after another; trailing zeros of the release
// do not count, a local version comes after the same version without one.
#include <charconv>
#include <string>
#include <vector>

#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

struct LocalPart {
  bool is_number = false;  // numbers come after words
  std::uint64_t number = 0;
  std::string word;
  auto operator<=>(const LocalPart&) const = default;
};

struct Version {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;
  // Before the release: dev of no other kind (-1), a (0), b (1), rc (2); else 3.
  int stage = 3;
  std::uint64_t stage_number = 0;
  bool is_post = false;
  std::uint64_t post = 0;
  bool is_final = true;  // no dev: dev releases come before the same version without
  std::uint64_t dev = 0;
  std::vector<LocalPart> local;
  auto operator<=>(const Version&) const = default;
};

class VersionReader {
 public:
  explicit VersionReader(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    for (const char c : text) text_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    rest_ = text_;
  }

  bool read(Version& version) {
    take("v");
    std::uint64_t number = 0;
    if (!read_number(number)) return false;
    if (take("!")) {
      version.epoch = number;
      if (!read_number(number)) return false;
    }
    version.release.push_back(number);
    while (starts_with_separated_digit('.')) {
      rest_.remove_prefix(1);
      if (!read_number(number)) return false;
      version.release.push_back(number);
    }
    while (version.release.size() > 1 && version.release.back() == 0) version.release.pop_back();
    read_suffixes(version);
    if (take("+") && !read_local(version)) return false;
    return rest_.empty() && !is_broken_;
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool starts_with_separated_digit(char separator) const {
    return rest_.size() > 1 && rest_[0] == separator && is_digit(rest_[1]);
  }
  bool read_number(std::uint64_t& number) {
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (read.ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return true;
  }
  void take_separator() {
    if (!rest_.empty() && (rest_[0] == '.' || rest_[0] == '-' || rest_[0] == '_'))
      rest_.remove_prefix(1);
  }
  // ".rc1": a separator, one of the words, a separator, a number (0 when there is none).
  bool take_suffix(std::initializer_list<std::string_view> words, std::uint64_t& number) {
    const std::string_view before = rest_;
    take_separator();
    for (const std::string_view word : words) {
      if (!take(word)) continue;
      const std::string_view after_word = rest_;
      take_separator();
      if (rest_.empty() || !is_digit(rest_[0])) {
        rest_ = after_word;
        number = 0;
      } else if (!read_number(number)) {
        is_broken_ = true;
      }
      return true;
    }
    rest_ = before;
    return false;
  }

  void read_suffixes(Version& version) {
    if (take_suffix({"alpha", "a"}, version.stage_number))
      version.stage = 0;
    else if (take_suffix({"beta", "b"}, version.stage_number))
      version.stage = 1;
    else if (take_suffix({"rc", "c", "preview", "pre"}, version.stage_number))
      version.stage = 2;
    if (starts_with_separated_digit('-')) {
      rest_.remove_prefix(1);
      version.is_post = read_number(version.post);
      is_broken_ |= !version.is_post;
    } else {
      version.is_post = take_suffix({"post", "rev", "r"}, version.post);
    }
    version.is_final = !take_suffix({"dev"}, version.dev);
    const bool is_only_dev = !version.is_final && version.stage == 3 && !version.is_post;
    if (is_only_dev) version.stage = -1;
  }

  bool read_local(Version& version) {
    while (true) {
      std::size_t size = 0;
      bool is_number = true;
      while (size < rest_.size() &&
             (is_digit(rest_[size]) || (rest_[size] >= 'a' && rest_[size] <= 'z')))
        is_number &= is_digit(rest_[size++]);
      if (size == 0) return false;
      LocalPart part;
      part.is_number = is_number;
      if (is_number) {
        if (!read_number(part.number)) return false;
      } else {
        part.word = rest_.substr(0, size);
        rest_.remove_prefix(size);
      }
      version.local.push_back(std::move(part));
      if (rest_.empty()) return true;
      if (rest_[0] != '.' && rest_[0] != '-' && rest_[0] != '_') return false;
      rest_.remove_prefix(1);
    }
  }

  std::string text_;
  std::string_view rest_;
  bool is_broken_ = false;
};

}  // namespace

Value compare_versions(const Value& a, const Value& b, EvaluationContext& context) {
  const Value arguments[] = {a, b};
  if (!a.is(ValueKind::string) || !b.is(ValueKind::string))
    return context.no_overload("versionCompare", arguments);
  Version versions[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view text = arguments[i].as_text();
    context.charge(20 + text.size());
    if (text.size() > 200 || !VersionReader(text).read(versions[i]))
      return context.error("`" + std::string(text.substr(0, 60)) + "` is not a version");
  }
  const auto order = versions[0] <=> versions[1];
  return Value::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

}  // namespace assay
