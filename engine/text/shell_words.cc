// One pass over the text, building the current word byte by byte with the place of each byte. What
// needs the shell's own state (command substitution, most of ${...}) is kept as
// written and marked unresolved; the commands inside conditions and loops are read like any others,
// but what they assign is not known behind them (shell_scopes.h).
//
// Hostile text: scanning is linear but for the recovery from an unclosed quote, which is tried a
// few times only; what variables expand to is limited in size.
#include "engine/text/shell_words.h"

#include <algorithm>
#include <array>

#include "engine/text/shell_splitter.h"

namespace assay {
namespace shell {
namespace {

// Looks only where a scheme can be: a word of many parts is not read again at each of them.
bool begins_address(std::string_view word) {
  return word.substr(0, 256).find("://") != std::string_view::npos;
}

}  // namespace

std::optional<ShellAssignment> ShellSplitter::as_assignment(const ShellWord& word,
                                                            std::size_t bare_prefix) const {
  const std::string& text = word.text();
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals >= bare_prefix) return {};
  if (!is_name_start(text[0]) ||
      !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_name_byte))
    return {};
  ShellAssignment assignment;
  assignment.name = text.substr(0, equals);
  assignment.value = word;
  assignment.value.content = word.content.part(equals + 1, text.size());
  assignment.value.span = {word.span.source, word.content.span(equals, equals + 1).end,
                           word.span.end};
  assignment.span = word.span;
  return assignment;
}

void ShellSplitter::end_word() {
  if (!is_in_word_) return;
  is_in_word_ = false;
  if (is_here_delimiter_next_) {
    here_documents_.push_back(word_.text());
    is_here_delimiter_next_ = false;
    return;
  }
  if (is_target_next_) {
    is_target_next_ = false;
    return;
  }
  if (word_.span.source == kNoSource) word_.span = place(word_begin_, at_);
  if (word_.text().empty()) word_.content = MappedText::opaque(word_.span, "");
  const bool opens_function = is_in_command_ && word_.text() == "{" && command_.words.size() == 2 &&
                              command_.words[0].text() == "function";
  if (opens_function) {  // function NAME {
    end_command();
    return note_keyword("{");
  }
  if (!is_in_command_) {
    static constexpr std::array kSkipped = {"if", "then", "elif", "else", "while", "until",
                                            "do", "!",    "{",    "$",    "%"};
    const bool is_bare = word_.quoting == ShellQuoting::none;
    is_list_continued_ = false;
    if (is_bare) note_keyword(word_.text());
    if (is_bare && std::find(kSkipped.begin(), kSkipped.end(), word_.text()) != kSkipped.end())
      return;
    is_in_command_ = true;
    command_begin_ = word_begin_;
  }
  command_end_ = std::max(at_, word_begin_);
  if (++word_count_ > kMaxWords) {
    is_full_ = true;
    diagnostics_.push_back(make_error(code::file_too_large, word_.span,
                                      "more than 200000 words; the rest is not read"));
    return;
  }
  const bool may_assign = command_.words.empty() && !open_array_;
  auto assignment = may_assign ? as_assignment(word_, bare_prefix_) : std::nullopt;
  if (assignment) {  // there only a home folder is expanded
    ShellWord& value = assignment->value;
    const bool is_home = word_.quoting == ShellQuoting::none && value.text().starts_with('~');
    value.is_unresolved = value.is_unresolved || is_home;
    command_.assignments.push_back(std::move(*assignment));
  } else {
    word_.is_unresolved = word_.is_unresolved || word_.is_expanded;
    command_.words.push_back(std::move(word_));
  }
}

void ShellSplitter::end_command() {
  end_word();
  is_target_next_ = false;
  is_here_delimiter_next_ = false;
  if (!is_in_command_) return;
  is_in_command_ = false;
  command_.span = place(command_begin_, command_end_);
  if (reach_end_ > 0)
    command_.span =
        place(std::min(command_begin_, reach_begin_), std::max(command_end_, reach_end_));
  reach_end_ = 0;
  tell_broken_lines();
  note_forgotten_exports();
  command_.export_count = script_.exports.size();
  note_command(command_);
  script_.commands.push_back(std::move(command_));
  command_ = {};
}

void ShellSplitter::read_next() {
  const char c = peek();
  if (c == '\\') return read_backslash();
  if (c == '\'') return read_single_quotes(1, false);
  if (c == '"') return read_double_quotes(1, false);
  if (c == '$') return read_dollar(false);
  if (c == '`') {
    const auto close = t_.find('`', at_ + 1);
    const auto end = close == std::string_view::npos ? recover_quote(at_) : close + 1;
    add_unresolved(at_, end);
    at_ = end;
    return;
  }
  if (c == '\n' && open_array_) {
    end_word();
    ++at_;
    return;
  }
  if (c == '\n') return read_line_end();
  if (c == '\r') return read_carriage_return();
  if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
    end_word();
    ++at_;
    return;
  }
  if (c == '#' && !is_in_word_) {
    at_ = line_end(at_);
    return;
  }
  if (read_redirection()) return;
  if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') return read_operator();
  if (read_typographic()) return;
  open_word();
  auto end = at_ + 1;  // with the plain bytes behind it
  while (end < t_.size() && is_plain_byte(t_[end])) ++end;
  note_expansions(t_.substr(at_, end - at_));
  add(at_, end, true);
  at_ = end;
}

// A pattern that matches no file stays as it is, and so do a lone bracket, braces without a comma
// and the ? of an address: only what is nearly always expanded counts.
void ShellSplitter::note_expansions(std::string_view bare) {
  const bool is_first = word_.text().empty() && segments_ == 0;
  if (is_first && bare.front() == '~') word_.is_expanded = true;
  if (bare.front() == '*' || (bare.front() == '?' && !begins_address(word_.text())))
    word_.is_expanded = true;
  if (bare.front() == '{' && braces_ != Braces::expand) braces_ = Braces::open;
  const bool divides =
      bare.find(',') != std::string_view::npos || bare.find("..") != std::string_view::npos;
  if (braces_ == Braces::open && divides) braces_ = Braces::divided;
  if (braces_ == Braces::divided && bare.front() == '}') braces_ = Braces::expand;
  if (braces_ == Braces::expand) word_.is_expanded = true;
}

// True when a typographic character was read as its ASCII form.
bool ShellSplitter::read_typographic() {
  const TypographicCharacter found = typographic_at(t_.substr(at_));
  switch (found.kind) {
    case Typographic::none:
      return false;
    case Typographic::double_quote:
      note_typographic(at_, found.size, "\"");
      read_double_quotes(found.size, true);
      return true;
    case Typographic::single_quote: {
      // Inside a word it is an apostrophe.
      const bool is_opening = !is_in_word_ || word_.text().ends_with('=');
      if (!is_opening) return false;
      note_typographic(at_, found.size, "'");
      read_single_quotes(found.size, true);
      return true;
    }
    case Typographic::short_dash:
    case Typographic::long_dash:
      if (is_in_word_ && !word_.text().starts_with('-')) return false;
      read_dash(found);
      return true;
    case Typographic::blank:
      note_typographic(at_, found.size, " ");
      end_word();
      break;
    case Typographic::invisible:
      break;
  }
  at_ += found.size;
  return true;
}

// Word processors make one long dash of "--"; two dashes of any kind stand for themselves.
void ShellSplitter::read_dash(TypographicCharacter dash) {
  const auto after = at_ + dash.size;
  const Typographic next = typographic_at(t_.substr(after)).kind;
  const bool is_pair = next == Typographic::long_dash || next == Typographic::short_dash ||
                       (after < t_.size() && t_[after] == '-');
  const bool stands_for_two = dash.kind == Typographic::long_dash && !is_in_word_ && !is_pair;
  const std::string_view ascii = stands_for_two ? "--" : "-";
  note_typographic(at_, dash.size, ascii);
  add_as(ascii, at_, after);
  add_bare(0);
  at_ = after;
}

// Redirections are left out of the words; `<NAME>` is a placeholder that somebody forgot to fill.
bool ShellSplitter::read_redirection() {
  const bool is_both = starts_with("&>");
  if (peek() != '<' && peek() != '>' && !is_both) return false;
  if (peek() == '<' && (is_name_start(peek(1)) || peek(1) == '/')) {
    const auto close = t_.find_first_of("<>\n;|&", at_ + 1);
    if (close != std::string_view::npos && t_[close] == '>' && close - at_ < 80) {
      add_unresolved(at_, close + 1);
      at_ = close + 1;
      return true;
    }
  }
  if (peek(1) == '(') {  // process substitution
    const auto end = skip_balanced(at_ + 1, '(', ')');
    add_unresolved(at_, end);
    at_ = end;
    return true;
  }
  const bool is_descriptor = is_in_word_ && segments_ == 0 &&
                             std::all_of(word_.text().begin(), word_.text().end(), is_digit);
  if (is_descriptor) {
    is_in_word_ = false;
  } else {
    end_word();
  }
  static constexpr std::array<std::string_view, 11> kOperators = {
      "&>>", "<<<", "<<-", "&>", ">>", ">&", ">|", "<<", "<&", "<>", ">"};
  std::string_view read = "<";
  for (const std::string_view candidate : kOperators) {
    if (!starts_with(candidate)) continue;
    read = candidate;
    break;
  }
  at_ += read.size();
  if (read == "<<" || read == "<<-") {
    is_here_delimiter_next_ = true;
  } else {
    is_target_next_ = true;
  }
  return true;
}

void ShellSplitter::warn_about_typography() {
  if (typographic_count_ == 0) return;
  Diagnostic warning{Severity::warning,
                     code::typographic_character,
                     typographic_.front().span,
                     "typographic quotes, dashes or blanks are read as ASCII ones (" +
                         std::to_string(typographic_count_) + " in all, the first here)",
                     "A shell does not read them so; type them again.",
                     std::move(typographic_)};
  diagnostics_.push_back(std::move(warning));
}

}  // namespace shell

ShellScript split_shell(const MappedText& text, Diagnostics& diagnostics,
                        const ShellVariables& variables) {
  return shell::ShellSplitter(text, diagnostics, variables).split();
}

}  // namespace assay
