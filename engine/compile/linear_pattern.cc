// For literals and lazy groups the leftmost-first rule of backtracking comes down to this: every
// literal stands at its first place behind the one before. Were there a match with a literal
// further right, there would be one with it here, because what follows a group may begin anywhere
// behind it. By the same argument only the first place of the head has to be tried. A greedy group
// at the end reaches to the last place of the literal behind it, or to the end of the text.
#include "engine/compile/linear_pattern.h"

#include <array>
#include <cstring>

namespace assay {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t find_from(std::string_view text, std::size_t at, std::string_view literal) {
  if (at > text.size() || text.size() - at < literal.size()) return std::string_view::npos;
  if (literal.empty()) return at;
  const void* hit = memmem(text.data() + at, text.size() - at, literal.data(), literal.size());
  return hit == nullptr ? std::string_view::npos
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

struct Group {
  std::string_view text;
  std::uint32_t min_bytes;
  bool is_greedy;
};
constexpr std::size_t kMaxGroups = 32;
constexpr std::array<Group, 4> kGroups{
    {{"(.+?)", 1, false}, {"(.*?)", 0, false}, {"(.+)", 1, true}, {"(.*)", 0, true}}};

const Group* group_at(std::string_view rest) {
  for (const Group& group : kGroups)
    if (rest.starts_with(group.text)) return &group;
  return nullptr;
}

// The literal byte at the start of `rest`, its length taken off; false when it is none.
bool take_literal(std::string_view& rest, char& byte) {
  constexpr std::string_view kMeaning = "()[]{}|*+?.^$";
  byte = rest[0];
  std::size_t length = 1;
  if (byte == '\\') {
    if (rest.size() < 2 || is_word(rest[1]) || (rest[1] & 0x80) != 0) return false;
    byte = rest[1];
    length = 2;
  } else if (kMeaning.find(byte) != std::string_view::npos) {
    return false;
  }
  rest.remove_prefix(length);
  const bool is_quantified =
      !rest.empty() && (rest[0] == '*' || rest[0] == '+' || rest[0] == '?' || rest[0] == '{');
  return byte != '\n' && !is_quantified;
}

}  // namespace

std::optional<LinearPattern> LinearPattern::parse(std::string_view pattern) {
  LinearPattern parsed;
  for (std::string_view rest = pattern; !rest.empty();) {
    if (const Group* group = group_at(rest)) {
      const bool is_first = parsed.steps_.empty();
      if (!is_first && (parsed.steps_.back().literal.empty() || parsed.steps_.back().is_greedy))
        return std::nullopt;
      if (parsed.steps_.size() == kMaxGroups) return std::nullopt;
      parsed.steps_.push_back({group->min_bytes, group->is_greedy, {}});
      rest.remove_prefix(group->text.size());
      const std::string_view quantifiers = "*+?{";
      if (!rest.empty() && quantifiers.find(rest[0]) != std::string_view::npos) return std::nullopt;
      continue;
    }
    char byte = 0;
    if (!take_literal(rest, byte)) return std::nullopt;
    (parsed.steps_.empty() ? parsed.head_ : parsed.steps_.back().literal) += byte;
  }
  const bool ends_lazily = !parsed.steps_.empty() && parsed.steps_.back().literal.empty() &&
                           !parsed.steps_.back().is_greedy;
  if (ends_lazily || (parsed.steps_.empty() && parsed.head_.empty())) return std::nullopt;
  return parsed;
}

bool LinearPattern::search(std::string_view text, std::string_view& matched,
                           std::vector<std::string_view>& captures) const {
  const std::size_t begin = find_from(text, 0, head_);
  if (begin == std::string_view::npos) return false;
  std::size_t at = begin + head_.size();
  // Whether there is a match shows at the end only; what `captures` held is replaced at once then.
  std::array<std::string_view, kMaxGroups> groups;
  std::size_t count = 0;
  for (const Step& step : steps_) {
    std::size_t end = text.size();
    if (text.size() < at + step.min_bytes) return false;
    if (!step.literal.empty()) {
      end = step.is_greedy ? text.rfind(step.literal)
                           : find_from(text, at + step.min_bytes, step.literal);
      if (end == std::string_view::npos || end < at + step.min_bytes) return false;
    }
    groups[count++] = text.substr(at, end - at);
    at = end + step.literal.size();
  }
  matched = text.substr(begin, at - begin);
  captures.assign(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count));
  return true;
}

}  // namespace assay
