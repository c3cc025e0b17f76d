// A piece of a line is normalised like a whole block of a log: engine/text/log_text.h does both, so
// that what is shown is what was searched.
#include "engine/evaluate/clean_text.h"

#include <functional>

#include "engine/text/log_text.h"

namespace assay {

std::string without_terminal_escapes(std::string_view text) {
  return std::string(LogText(text).text());
}

std::string part_without_escapes(std::string_view part, std::string_view text) {
  const std::less<const char*> before;
  const char* const end = part.data() + part.size();
  const bool goes_on = !before(part.data(), text.data()) && before(end, text.data() + text.size());
  LogText log;
  log.read({part.data(), part.size() + (goes_on ? 1 : 0)});
  log.show({0, part.size()});
  return std::string(log.text());
}

}  // namespace assay
