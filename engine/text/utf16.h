// Texts in UTF-16, as PowerShell's `>` and Windows editors write them.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `text` as UTF-8 when it opens with a UTF-16 byte order mark of either byte order, else as it is.
// The mark goes. What is no character (half a surrogate pair, an odd last byte) becomes U+FFFD.
std::string decode_utf16(std::string text);
// The same of a text without its mark, whose byte order is known.
std::string utf16_to_utf8(std::string_view text, bool is_little_endian);

}  // namespace assay
