// A text without terminal escapes, and the way back to the places of the original.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class CleanText {
 public:
  // `original` must outlive this. Without an escape byte nothing is copied.
  explicit CleanText(std::string_view original);
  CleanText(const CleanText&) = delete;
  CleanText& operator=(const CleanText&) = delete;

  std::string_view text() const { return text_; }
  // The original bytes of a part of text(): from its first byte to its last; escapes in between are
  // included.
  std::string_view original(std::string_view part) const;

 private:
  struct Cut {
    std::size_t at;       // in text(): everything from here on ...
    std::size_t removed;  // ... stands this much later in the original
  };
  std::size_t original_offset(std::size_t offset) const;

  std::string_view original_;
  std::string buffer_;
  std::string_view text_;
  std::vector<Cut> cuts_;
};

// `text` without ESC sequences (CSI, OSC, two-byte ones).
std::string without_terminal_escapes(std::string_view text);

}  // namespace assay
