// A record's pattern for a web page: what JavaScript's RegExp runs with the result that RE2 has.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace assay {

// The source of a RegExp without flags, printable ASCII. It is for a text of bytes: a string whose
// characters are the bytes 0 to 255, as PatternSearch takes a log. Its groups are numbered as RE2
// numbers them.
//
// `pattern` is one that RE2 takes. The error is a sentence part that says what keeps it from being
// translated: a class of Unicode, or a repetition that JavaScript captures differently or may need
// exponential time for.
tl::expected<std::string, std::string> javascript_pattern(std::string_view pattern);

}  // namespace assay
