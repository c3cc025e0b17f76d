// Text of unknown origin (a log, a manifest, a record) made fit for where it is shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

struct Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  // bytes; 1 for a byte that is no UTF-8
  bool is_valid = false;
};
// The character at the start of `text`, which is not empty. Overlong forms, surrogates and numbers
// past U+10FFFF are no UTF-8.
Character first_character(std::string_view text);

// Control characters, bidirectional overrides and bytes that are no UTF-8 as \n, \x1b, \u202e: what
// a terminal can be given. Newlines and tabs stay when asked for.
std::string printable(std::string_view text, bool keep_newlines = false);

// Bytes that are no UTF-8 become U+FFFD.
std::string valid_utf8(std::string_view text);

// valid_utf8 without what XML 1.0 cannot hold even escaped: control characters but tab, newline and
// carriage return, U+FFFE, U+FFFF; and without bidirectional overrides. HTML takes the same.
std::string valid_xml_text(std::string_view text);

// At most `characters` characters; an ellipsis takes the place of what is cut.
std::string shortened(std::string_view text, std::size_t characters);

}  // namespace assay
