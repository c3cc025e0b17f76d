// Line ends: continuations, sound and broken, and here-documents. Behind a backslash that is not
// the last byte of its line a shell takes the blank for a word and ends the command; what was meant
// is told by the next line, so only there a continuation is read.
#include <utility>

#include "engine/text/shell_splitter.h"

namespace assay::shell {

void ShellSplitter::read_backslash() {
  const auto begin = at_;
  if (begin + 1 >= t_.size()) {
    ++at_;
    return;
  }
  if (peek(1) == '\n') {  // the line goes on
    at_ += 2;
    return;
  }
  if (read_broken_continuation()) return;
  open_word();
  word_.quoting = ShellQuoting::mixed;
  ++segments_;
  add_as(t_.substr(begin + 1, 1), begin, begin + 2);
  at_ += 2;
}

void ShellSplitter::read_line_end() {
  end_command();
  if (!is_list_continued_) end_list();
  ++at_;
  skip_here_documents();
}

void ShellSplitter::skip_here_documents() {
  for (const std::string& delimiter : here_documents_) {
    while (at_ < t_.size()) {
      const auto end = line_end(at_);
      std::string_view line = t_.substr(at_, end - at_);
      at_ = std::min(end + 1, t_.size());
      while (!line.empty() && line.front() == '\t') line.remove_prefix(1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line == delimiter) break;
    }
  }
  here_documents_.clear();
}

// At a backslash with blanks or a carriage return behind it. Where the next line is not set off,
// and no flag, the command may well end here, with an escaped blank.
bool ShellSplitter::read_broken_continuation() {
  const auto begin = at_ + 1;
  const auto end = t_.find_first_not_of(" \t\r", begin);
  if (end == begin || end == std::string_view::npos || t_[end] != '\n') return false;
  const bool is_meant = is_in_command_ || is_in_word_ || open_array_;
  const auto next = t_.find_first_not_of(" \t\r", end + 1);
  const bool is_set_off = next != std::string_view::npos && (next > end + 1 || t_[next] == '-');
  const bool goes_on = is_set_off && t_[next] != '\n' && t_[next] != '#';
  if (!is_meant || !goes_on) return false;
  note_broken_line(begin, end);
  at_ = end + 1;
  return true;
}

// At the carriage return of a line end. A shell takes it for the last byte of the word before.
void ShellSplitter::read_carriage_return() {
  const bool ends_word = is_in_word_;
  end_word();
  if (ends_word && is_in_command_ && !open_array_ && peek(1) == '\n')
    note_broken_line(at_, at_ + 1);
  ++at_;
}

void ShellSplitter::note_broken_line(std::size_t begin, std::size_t end) {
  command_end_ = std::max(command_end_, end);
  has_carriage_return_ = t_[end - 1] == '\r';
  if (broken_lines_.size() < kMaxTypographic) broken_lines_.push_back({place(begin, end), {}});
}

void ShellSplitter::tell_broken_lines() {
  if (broken_lines_.empty()) return;
  const Span first = broken_lines_.front().span;
  const std::size_t count = broken_lines_.size();
  const std::string lines =
      count > 1 ? " (" + std::to_string(count) + " lines, the first here)" : "";
  Diagnostic fault =
      has_carriage_return_
          ? make_error(code::typographic_character, first,
                       "a carriage return stands before the line end" + lines +
                           ": the shell takes it for a part of the command",
                       "Save the file with line ends of Unix (dos2unix).")
          : make_error(code::typographic_character, first,
                       "the backslash is not the last character of its line" + lines +
                           ": the shell ends the command here, without the flags of the next line",
                       "Take out the blanks behind it.");
  fault.related = std::exchange(broken_lines_, {});
  diagnostics_.push_back(std::move(fault));
}

}  // namespace assay::shell
