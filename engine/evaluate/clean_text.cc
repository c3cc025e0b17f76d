// Terminal escapes break the literals of a message, so they are cut out before anything is
// searched. ECMA-48: ESC [ parameters final, ESC ] ... BEL or ESC \, ESC and one byte. A sequence
// that does not end within its line, or within 256 bytes, loses only its ESC: a hostile or cut one
// must not swallow text.
#include "engine/evaluate/clean_text.h"

#include <algorithm>

namespace assay {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kMaxSequence = 256;

// Bytes of the sequence that starts at `at`, where an ESC stands.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, kMaxSequence);
  if (rest.size() < 2) return 1;
  if (rest[1] == '[') {
    for (std::size_t i = 2; i < rest.size(); ++i) {
      if (rest[i] >= '@' && rest[i] <= '~') return i + 1;
      if (rest[i] < ' ' || rest[i] > '~') break;
    }
    return 2;
  }
  if (rest[1] == ']') {
    for (std::size_t i = 2; i < rest.size() && rest[i] != '\n'; ++i) {
      if (rest[i] == '\a') return i + 1;
      if (rest[i] == kEscape) return i + (i + 1 < rest.size() && rest[i + 1] == '\\' ? 2 : 0);
    }
    return 1;
  }
  return rest[1] >= '0' && rest[1] <= '~' ? 2 : 1;
}

}  // namespace

CleanText::CleanText(std::string_view original) : original_(original), text_(original) {
  std::size_t escape = original.find(kEscape);
  if (escape == std::string_view::npos) return;
  buffer_.reserve(original.size());
  std::size_t at = 0;
  std::size_t removed = 0;
  while (escape != std::string_view::npos) {
    buffer_.append(original, at, escape - at);
    const std::size_t length = sequence_length(original, escape);
    removed += length;
    cuts_.push_back({buffer_.size(), removed});
    at = escape + length;
    escape = original.find(kEscape, at);
  }
  buffer_.append(original, at);
  text_ = buffer_;
}

std::size_t CleanText::original_offset(std::size_t offset) const {
  const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), offset,
                                      [](std::size_t o, const Cut& cut) { return o < cut.at; });
  return after == cuts_.begin() ? offset : offset + (after - 1)->removed;
}

std::string_view CleanText::original(std::string_view part) const {
  if (part.data() == nullptr) return {};
  const auto begin = static_cast<std::size_t>(part.data() - text_.data());
  const std::size_t first = original_offset(begin);
  if (part.empty()) return original_.substr(first, 0);
  const std::size_t last = original_offset(begin + part.size() - 1);
  return original_.substr(first, last + 1 - first);
}

std::string without_terminal_escapes(std::string_view text) {
  return std::string(CleanText(text).text());
}

}  // namespace assay
