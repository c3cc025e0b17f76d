// The text of a log's line as a person should see it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `text` without terminal escapes, and with what else log_text.h puts right.
std::string without_terminal_escapes(std::string_view text);

}  // namespace assay
