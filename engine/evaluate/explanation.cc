// Matches are counted by record. The order answers "what do I mend first": an error that only
// carries another (the scheduler hit an exception) is never the cause, a warning rarely, and of the
// rest the earliest usually caused the later ones.
#include "engine/evaluate/explanation.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/evaluate/clean_text.h"
#include "engine/text/byte_scan.h"

namespace assay {
namespace {

constexpr std::size_t kMaxQuotedBytes = 1024;

int severity_rank(std::string_view severity) {
  if (severity == "critical" || severity == "fatal") return 0;
  if (severity == "error") return 1;
  if (severity == "warning") return 2;
  return 3;
}

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
    captures.push_back({is_named ? names[i] : std::to_string(i + 1),
                        without_terminal_escapes(match.captures[i].substr(0, kMaxQuotedBytes))});
  }
  return captures;
}

std::size_t column_of(std::string_view line, std::string_view part) {
  const auto before = static_cast<std::size_t>(part.data() - line.data());
  const std::string clean = without_terminal_escapes(line.substr(0, before));
  return 1 + static_cast<std::size_t>(std::count_if(clean.begin(), clean.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
         }));
}

std::string quoted_line(std::string_view line, std::string_view part) {
  auto begin = static_cast<std::size_t>(part.data() - line.data());
  begin = line.size() <= kMaxQuotedBytes || begin < kMaxQuotedBytes / 4
              ? 0
              : begin - kMaxQuotedBytes / 4;
  return without_terminal_escapes(line.substr(begin, kMaxQuotedBytes));
}

bool overlaps(std::string_view a, std::string_view b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

// A less specific record is left out where a more specific one explains the same bytes.
bool is_covered(const std::vector<MessageMatch>& matches, std::size_t index) {
  const MessageMatch& match = matches[index];
  for (std::size_t i = index; i-- > 0 && matches[i].offset == match.offset;)
    if (overlaps(matches[i].matched, match.matched)) return true;
  return false;
}

}  // namespace

void ExplanationBuilder::add(const std::vector<MessageMatch>& matches) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (is_covered(matches, i)) continue;
    const MessageMatch& match = matches[i];
    const auto [known, is_new] = by_record_.emplace(match.record, explanation_.errors.size());
    if (is_new) {
      ExplainedError error;
      error.record = match.record;
      error.line = match.line;
      error.column = column_of(match.text, match.matched);
      error.text = quoted_line(match.text, match.matched);
      error.matched = without_terminal_escapes(match.matched.substr(0, kMaxQuotedBytes));
      error.captures = named_captures(match);
      explanation_.errors.push_back(std::move(error));
    }
    ++explanation_.errors[known->second].count;
  }
}

Explanation ExplanationBuilder::finish(std::size_t lines) {
  explanation_.lines = lines;
  const auto rank = [](const ExplainedError& e) {
    return std::tuple(e.record->is_wrapper, severity_rank(e.record->severity), e.line, e.column);
  };
  std::stable_sort(
      explanation_.errors.begin(), explanation_.errors.end(),
      [&](const ExplainedError& a, const ExplainedError& b) { return rank(a) < rank(b); });
  return std::move(explanation_);
}

Explanation explain_text(const MessageMatcher& matcher, std::string source, std::string_view text) {
  ExplanationBuilder builder(std::move(source));
  builder.add(matcher.find(text));
  const bool ends_in_line = !text.empty() && text.back() != '\n';
  return builder.finish(count_line_feeds(text) + (ends_in_line ? 1 : 0));
}

}  // namespace assay
