// What a match says about itself: names for its captures, the line around it, how specific its
// pattern is. Where it stands and what stands around it is the judge's business.
#include "engine/evaluate/error_candidate.h"

#include "engine/compile/code_points.h"
#include "engine/evaluate/clean_text.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/log_origin.h"
#include "engine/text/privacy_mask.h"

namespace assay {
namespace {

constexpr std::size_t kMaxCandidateBytes = 1024;

// The names of the variable parts in "kv must be fp8, got {kv.dtype}": "kv.dtype". `{}` and braces
// that hold something else than a short expression give "".
std::vector<std::string> placeholder_names(std::string_view message) {
  std::vector<std::string> names;
  for (std::size_t open = message.find('{'); open != std::string_view::npos;
       open = message.find('{', open + 1)) {
    const auto close = message.find('}', open);
    if (close == std::string_view::npos) break;
    names.emplace_back(message.substr(open + 1, close - open - 1));
    open = close;
  }
  return names;
}

std::vector<ExplainedCapture> named_captures(const MessageMatch& match) {
  const auto names = placeholder_names(match.record->error_message);
  std::vector<ExplainedCapture> captures;
  for (std::size_t i = 0; i < match.captures.size(); ++i) {
    if (match.captures[i].empty()) continue;  // in a part of the pattern that the line has not
    // Only when the message and the pattern have the same parts do their names belong together.
    const bool is_named = names.size() == match.captures.size() && !names[i].empty();
    captures.push_back(
        {is_named ? names[i] : std::to_string(i + 1),
         part_without_escapes(match.captures[i].substr(0, kMaxCandidateBytes), match.text)});
  }
  return captures;
}

std::size_t column_of(std::string_view line, std::string_view part) {
  const auto before = static_cast<std::size_t>(part.data() - line.data());
  const std::string clean = without_terminal_escapes(line.substr(0, before));
  return 1 + count_code_points(clean);
}

// Carriers name hosts and pods: what is masked does not show them.
std::string_view shown_line(std::string_view line, std::string_view part, bool mask) {
  const std::string_view printed = read_log_origin(line).printed;
  return mask && part.data() >= printed.data() ? printed : line;
}

// How much of a pattern is text that must stand there as it is.
std::size_t literal_characters(std::string_view pattern) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '(') {
      const auto close = pattern.find(')', at);
      if (close == std::string_view::npos) break;
      at = close;
    } else if (pattern[at] != '\\') {
      ++count;
    }
  }
  return count;
}

}  // namespace

std::string quoted_line(std::string_view line, std::string_view part) {
  auto begin = static_cast<std::size_t>(part.data() - line.data());
  begin = line.size() <= kMaxCandidateBytes || begin < kMaxCandidateBytes / 4
              ? 0
              : begin - kMaxCandidateBytes / 4;
  return without_terminal_escapes(line.substr(begin, kMaxCandidateBytes));
}

ErrorCandidate describe_match(const MessageMatch& match, bool mask) {
  ErrorCandidate found;
  ExplainedError& error = found.error;
  error.record = match.record;
  error.column = column_of(match.text, match.matched);
  error.text = quoted_line(shown_line(match.text, match.matched, mask), match.matched);
  error.matched = part_without_escapes(match.matched.substr(0, kMaxCandidateBytes), match.text);
  error.captures = named_captures(match);
  error.error_class = split_log_line(error.text).error_class;
  error.is_asynchronous = match.record->background_tag == "asynchronous-device-fault";
  if (match.record->is_wrapper && !match.captures.empty())
    found.quote =
        part_without_escapes(match.captures.back().substr(0, kMaxCandidateBytes), match.text);
  found.weight = literal_characters(match.record->message_pattern);
  found.is_raised = !error.error_class.empty();
  return found;
}

void describe_by_code(ExplainedError& error, const Traceback& traceback, std::size_t frame) {
  const std::size_t from_inside = traceback.frame_count - frame;
  if (from_inside < traceback.frames.size()) {
    const TracebackFrame& at = traceback.frames[traceback.frames.size() - 1 - from_inside];
    error.file = at.file;
    error.function = at.function;
    error.code = at.source;
  }
  error.error_class = traceback.error_class;
  if (!is_elided(traceback.message))
    error.matched = traceback.message.substr(0, traceback.message.find('\n'));
}

void mask_texts(ErrorCandidate& candidate) {
  ExplainedError& error = candidate.error;
  for (std::string* text : {&error.text, &error.matched, &error.file, &error.code, &error.process})
    *text = mask_private(*text);
  for (ExplainedCapture& capture : error.captures) capture.value = mask_private(capture.value);
  candidate.quote = mask_private(candidate.quote);
}

}  // namespace assay
