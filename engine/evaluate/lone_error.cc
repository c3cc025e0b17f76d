// A kernel's assertion, an exception class with a message, or a sentence of level ERROR. What
// stands in a prompt is none, nor is a class somewhere in a line that says that all is well.
#include "engine/evaluate/lone_error.h"

#include "engine/evaluate/log_line.h"
#include "engine/evaluate/log_origin.h"
#include "engine/evaluate/prompt_spans.h"
#include "engine/evaluate/traceback_reader.h"

namespace assay {
namespace {

std::size_t words_in(std::string_view text) {
  std::size_t words = 0;
  bool is_inside = false;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    words += static_cast<std::size_t>(is_letter && !is_inside);
    is_inside = is_letter;
  }
  return words;
}

// `/tmp/x.py:37: f: block: [9,0,0], thread: [81,0,0] Assertion `...` failed.`
bool is_device_assertion(std::string_view text) {
  return text.find("thread: [") != std::string_view::npos &&
         text.find("Assertion ") != std::string_view::npos &&
         text.find("failed") != std::string_view::npos;
}

}  // namespace

std::optional<LoneError> read_lone_error(std::string_view text) {
  const LogOrigin origin = read_log_origin(text);
  const auto begin = origin.body.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view body = origin.body.substr(begin);
  if (is_device_assertion(body))
    return LoneError{{}, body.substr(body.find("Assertion ")), true, false};
  const LogLine line = split_log_line(text);
  const bool is_quiet = origin.level == "INFO" || origin.level == "DEBUG" ||
                        origin.level == "WARNING" || origin.level == "WARN";
  const bool is_leading = !leading_error_class(body).empty();
  const bool is_error = !line.error_class.empty() && !line.error_class.ends_with("Warning") &&
                        (is_leading || !is_quiet);
  if (is_error && !is_elided(line.message)) {
    const auto at = static_cast<std::size_t>(line.error_class.data() - text.data());
    if (!is_leading && !origin.is_error_level() && PromptSpans(text).holds(at)) return std::nullopt;
    return LoneError{line.error_class, line.message, false, false};
  }
  if (origin.is_error_level() && words_in(body) >= 3 && line.error_class.empty())
    return LoneError{{}, body, false, true};
  return std::nullopt;
}

}  // namespace assay
