// The lines of a launch's text, for whoever pastes them: the rest of its first and last line is
// taken from the file, and the line of the key above items that stand on lines of their own.
#include <algorithm>

#include "engine/read/launch_rewriter.h"

namespace assay {
namespace {

constexpr int kMaxLinesAbove = 8;  // comments between a key and its first item

// Without blanks and line ends behind it.
std::string_view without_tail(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  const auto newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

bool is_of_file(Enclosure level) {
  return level != Enclosure::shell_single_quotes && level != Enclosure::shell_double_quotes &&
         level != Enclosure::opaque;
}

// Where the line begins that the text at `at` belongs to.
std::size_t first_line(std::string_view text, std::size_t at) {
  std::size_t line = line_begin(text, at);
  const std::string_view head = text.substr(line, at - line);
  if (head.find_first_not_of(" \t") != std::string_view::npos) return line;
  std::size_t above = line;
  for (int i = 0; i < kMaxLinesAbove && above > 0; ++i) {
    const std::size_t begin = line_begin(text, above - 1);
    const std::string_view written = without_tail(text.substr(begin, above - 1 - begin));
    above = begin;
    if (written.ends_with(':')) return begin;
    const auto content = written.find_first_not_of(" \t");
    const bool is_passed_over = content == std::string_view::npos || written[content] == '#';
    if (!is_passed_over) break;
  }
  return line;
}

}  // namespace

std::string whole_lines(const SourceSet& sources, const Launch& launch,
                        std::string_view rewritten) {
  const bool is_part = launch.form == LaunchForm::word_list ||
                       (!launch.enclosures.empty() && is_of_file(launch.enclosures.front()));
  if (!is_part || !launch.span.is_known()) return {};
  const std::string_view text = sources.get(launch.span.source).text();
  const std::size_t begin = first_line(text, launch.span.begin);
  // A block scalar ends with its last line.
  const bool ends_line = rewritten.ends_with('\n');
  const std::size_t end =
      ends_line ? launch.span.end : std::min(text.find('\n', launch.span.end), text.size());
  std::string lines(text.substr(begin, launch.span.begin - begin));
  lines += rewritten;
  lines += text.substr(launch.span.end, end - launch.span.end);
  const std::size_t indent = std::min(lines.find_first_not_of(" \t"), lines.size());
  std::string shown;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t next = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    const std::size_t content = std::min(lines.find_first_not_of(" \t", at), next);
    shown += lines.substr(std::min(content, at + indent), next - std::min(content, at + indent));
    at = next;
  }
  return std::string(without_tail(shown));
}

}  // namespace assay
