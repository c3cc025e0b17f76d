// Lines and words alone: what a command says is for the readers of launches.
#include "engine/evaluate/example_fix.h"

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::string_view kBefore = "# before";
constexpr std::string_view kAfter = "# after";
constexpr std::string_view kRest = "\u2026";
constexpr std::string_view kWordBlanks = " \t\r\n";

// Behind the line that `at` is in.
std::size_t next_line(std::string_view text, std::size_t at) {
  const auto end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// How many bytes an assignment and the blanks behind it take; 0: there is none.
std::size_t assignment_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_')) ++at;
  if (at == 0 || is_digit(text[0]) || at == text.size() || text[at] != '=') return 0;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && kWordBlanks.find(c) != std::string_view::npos) break;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
  }
  const auto rest = text.find_first_not_of(kWordBlanks, at);
  return rest == std::string_view::npos ? text.size() : rest;
}

}  // namespace

std::optional<ExampleFix> split_example_fix(std::string_view text) {
  if (!text.starts_with(kBefore)) return std::nullopt;
  const std::size_t begin = next_line(text, 0);
  std::size_t end = begin;
  while (end < text.size() && !text.substr(end).starts_with(kAfter)) end = next_line(text, end);
  if (end == text.size()) return std::nullopt;
  ExampleFix fix{std::string(trimmed(text.substr(begin, end - begin))),
                 std::string(trimmed(text.substr(next_line(text, end))))};
  if (fix.before.empty() || fix.after.empty()) return std::nullopt;
  return fix;
}

std::string completed_command(std::string_view side, std::string_view least_command) {
  std::size_t flags = 0;
  while (const std::size_t bytes = assignment_bytes(side.substr(flags))) flags += bytes;
  std::string_view rest = side.substr(flags);
  const bool stands_for_it = rest.starts_with(kRest);
  if (least_command.empty() || (!stands_for_it && !rest.starts_with('-'))) return std::string(side);
  if (stands_for_it) rest.remove_prefix(kRest.size());
  std::string command(side.substr(0, flags));
  command.append(least_command).append(" ").append(rest);
  return command;
}

}  // namespace assay
