// Where the n-th character of a UTF-8 text begins: libyaml counts characters, our places count
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "engine/text/utf8.h"

namespace assay {

// Maps character indexes to byte offsets. In an ASCII text they are equal; else a cursor walks from
// the last converted index to the next, so that indexes near each other cost little.
class CharacterOffsets {
 public:
  explicit CharacterOffsets(std::string_view text)
      : text_(text), is_ascii_(std::none_of(text.begin(), text.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0x80) != 0;
        })) {}

  std::size_t of(std::size_t character) {
    if (is_ascii_) return std::min(character, text_.size());
    while (character_ < character && byte_ < text_.size()) {
      do ++byte_;
      while (byte_ < text_.size() && is_utf8_continuation(text_[byte_]));
      ++character_;
    }
    while (character_ > character) {
      do --byte_;
      while (is_utf8_continuation(text_[byte_]));
      --character_;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  bool is_ascii_;
  std::size_t character_ = 0;
  std::size_t byte_ = 0;
};

}  // namespace assay
