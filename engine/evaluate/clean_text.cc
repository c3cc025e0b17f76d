// A piece of a line is normalised like a whole block of a log: engine/text/log_text.h does both, so
// that what is shown is what was searched.
#include "engine/evaluate/clean_text.h"

#include "engine/text/log_text.h"

namespace assay {

std::string without_terminal_escapes(std::string_view text) {
  return std::string(LogText(text).text());
}

}  // namespace assay
