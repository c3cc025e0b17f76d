// One pass over the text, building the current word byte by byte with the place of each byte. What
// needs the shell's own state (arithmetic, command substitution, arrays, most of ${...}) is kept as
// written and marked unresolved; conditions and loops are ignored, so that the commands inside them
// are read like any others.
//
// Hostile text: scanning is linear but for the recovery from an unclosed quote, which is tried a
// few times only; what variables expand to is limited in size.
#include "engine/text/shell_words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/text/typography.h"

namespace assay {
namespace {

constexpr std::size_t kMaxWords = 200'000;
constexpr std::size_t kMaxVariableBytes = 64u << 10;
constexpr std::size_t kMaxExpandedBytes = 4u << 20;
constexpr int kMaxQuoteRecoveries = 16;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_byte(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Splitter {
 public:
  Splitter(const MappedText& text, Diagnostics& diagnostics, ShellVariables variables)
      : in_(text), t_(text.text()), diagnostics_(diagnostics), variables_(std::move(variables)) {}

  ShellScript split() {
    while (at_ < t_.size() && !is_full_) read_next();
    end_command();
    warn_about_typography();
    return std::move(script_);
  }

 private:
  // --- looking
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < t_.size() ? t_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view text) const { return t_.compare(at_, text.size(), text) == 0; }
  Span place(std::size_t begin, std::size_t end) const { return in_.span(begin, end); }
  std::size_t line_end(std::size_t from) const { return std::min(t_.find('\n', from), t_.size()); }

  // --- the word being built
  void open_word() {
    if (is_in_word_) return;
    is_in_word_ = true;
    word_ = {};
    word_begin_ = at_;
    segments_ = 0;
    bare_prefix_ = 0;
  }
  void add(std::size_t begin, std::size_t end, bool is_bare) {  // as written
    open_word();
    word_.content.append(in_, begin, end);
    if (is_bare) add_bare(end - begin);
  }
  void add_as(std::string_view bytes, std::size_t begin, std::size_t end) {  // decoded
    open_word();
    if (bytes.size() == 1) {
      word_.content.append(bytes[0], place(begin, end));
    } else {
      word_.content.append_opaque(bytes, place(begin, end));
    }
  }
  void add_bare(std::size_t count) {
    if (segments_ == 0) {
      bare_prefix_ += count;
    } else {
      word_.quoting = ShellQuoting::mixed;
    }
  }
  // A quoted stretch begins; the word is quoted throughout only when it is the only one.
  void note_segment(ShellQuoting quoting) {
    open_word();
    const bool is_whole = segments_ == 0 && word_.text().empty() && at_ == word_begin_;
    word_.quoting = is_whole ? quoting : ShellQuoting::mixed;
    ++segments_;
  }
  void end_word();
  void end_command();
  void note_command_words(ShellCommand& command);
  void assign(const ShellAssignment& assignment);
  std::optional<ShellAssignment> as_assignment(const ShellWord& word,
                                               std::size_t bare_prefix) const;

  // --- reading
  void read_next();
  bool read_typographic();
  void read_dash(TypographicCharacter dash);
  bool read_redirection();
  void read_line_end();
  void skip_here_documents();
  void read_backslash();
  void read_single_quotes(std::size_t opener_size, bool is_typographic);
  void read_double_quotes(std::size_t opener_size, bool is_typographic);
  void read_escaped_quotes();  // $'...'
  void read_dollar(bool is_in_quotes);
  void read_parameter(bool is_in_quotes);
  void add_expansion(std::string_view value, std::size_t begin, bool is_in_quotes);
  void add_unresolved(std::size_t begin, std::size_t end) {
    add(begin, end, false);
    word_.is_unresolved = true;
    ++segments_;  // what follows is no longer the literal start of the word
  }
  std::size_t skip_balanced(std::size_t from, char open, char close) const;
  // The end of a quote that is never closed: the end of its line, or of the text when there are
  // many.
  std::size_t recover_quote(std::size_t opener) {
    diagnostics_.push_back(make_error(code::unclosed_quote, place(opener, opener + 1),
                                      "a quote is opened here and never closed",
                                      "Close it, or escape it with a backslash."));
    return ++recoveries_ <= kMaxQuoteRecoveries ? line_end(opener) : t_.size();
  }
  void note_typographic(std::size_t begin, std::size_t size) {
    if (typographic_count_++ == 0) first_typographic_ = place(begin, begin + size);
  }
  void warn_about_typography();

  const MappedText& in_;
  std::string_view t_;
  Diagnostics& diagnostics_;
  ShellVariables variables_;
  ShellScript script_;
  ShellCommand command_;
  bool is_in_command_ = false;
  std::size_t command_begin_ = 0, command_end_ = 0;
  std::size_t at_ = 0;
  ShellWord word_;
  bool is_in_word_ = false;
  std::size_t word_begin_ = 0;
  int segments_ = 0;
  std::size_t bare_prefix_ = 0;  // leading bytes that were neither quoted nor expanded
  bool is_target_next_ = false;  // the next word is a redirection's target
  std::vector<std::string> here_documents_;
  bool is_here_delimiter_next_ = false;
  int recoveries_ = 0;
  std::size_t expanded_bytes_ = 0;
  std::size_t word_count_ = 0;
  bool is_full_ = false;
  std::size_t typographic_count_ = 0;
  Span first_typographic_;
};

std::optional<ShellAssignment> Splitter::as_assignment(const ShellWord& word,
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

void Splitter::end_word() {
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
  if (!is_in_command_) {
    static constexpr std::array kSkipped = {"if", "then", "elif", "else", "while", "until",
                                            "do", "!",    "{",    "$",    "%"};
    const bool is_bare = word_.quoting == ShellQuoting::none;
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
  auto assignment = command_.words.empty() ? as_assignment(word_, bare_prefix_) : std::nullopt;
  if (assignment) {
    command_.assignments.push_back(std::move(*assignment));
  } else {
    command_.words.push_back(std::move(word_));
  }
}

void Splitter::assign(const ShellAssignment& assignment) {
  const bool is_literal =
      !assignment.value.is_unresolved && assignment.value.text().size() <= kMaxVariableBytes;
  if (is_literal) {
    variables_[assignment.name] = assignment.value.text();
  } else {
    variables_.erase(assignment.name);
  }
}

// What the command does to the variables of the ones after it.
void Splitter::note_command_words(ShellCommand& command) {
  if (command.words.empty()) {
    for (const ShellAssignment& assignment : command.assignments) assign(assignment);
    return;
  }
  const std::string& program = command.words[0].text();
  const bool is_export = program == "export";
  const bool is_declaration = is_export || program == "declare" || program == "local" ||
                              program == "readonly" || program == "typeset";
  const bool is_forgetting = program == "unset" || program == "for" || program == "read";
  if (!is_declaration && !is_forgetting) return;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (is_forgetting) {
      variables_.erase(word.text());
      if (program == "for") return;
      continue;
    }
    if (const auto assignment = as_assignment(word, word.text().size())) {
      assign(*assignment);
      if (is_export) script_.exports.push_back(*assignment);
    } else if (const auto known = variables_.find(word.text());
               is_export && known != variables_.end()) {
      ShellAssignment exported{known->first, word, word.span};
      exported.value.content = MappedText::opaque(word.span, known->second);
      script_.exports.push_back(std::move(exported));
    }
  }
}

void Splitter::end_command() {
  end_word();
  is_target_next_ = false;
  is_here_delimiter_next_ = false;
  if (!is_in_command_) return;
  is_in_command_ = false;
  command_.span = place(command_begin_, command_end_);
  command_.export_count = script_.exports.size();
  note_command_words(command_);
  script_.commands.push_back(std::move(command_));
  command_ = {};
}

void Splitter::read_next() {
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
  if (c == '\n') return read_line_end();
  if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
    end_word();
    ++at_;
    return;
  }
  if (c == '#' && !is_in_word_) {
    at_ = line_end(at_);
    return;
  }
  if (read_redirection()) return;
  if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
    end_command();
    ++at_;
    return;
  }
  if (read_typographic()) return;
  open_word();
  if (c == '*' || c == '?' || c == '[') word_.has_glob = true;
  add(at_, at_ + 1, true);
  ++at_;
}

// True when a typographic character was read as its ASCII form.
bool Splitter::read_typographic() {
  const TypographicCharacter found = typographic_at(t_.substr(at_));
  switch (found.kind) {
    case Typographic::none:
      return false;
    case Typographic::double_quote:
      note_typographic(at_, found.size);
      read_double_quotes(found.size, true);
      return true;
    case Typographic::single_quote: {
      // Inside a word it is an apostrophe.
      const bool is_opening = !is_in_word_ || word_.text().ends_with('=');
      if (!is_opening) return false;
      note_typographic(at_, found.size);
      read_single_quotes(found.size, true);
      return true;
    }
    case Typographic::short_dash:
    case Typographic::long_dash:
      if (is_in_word_ && !word_.text().starts_with('-')) return false;
      read_dash(found);
      return true;
    case Typographic::blank:
      note_typographic(at_, found.size);
      end_word();
      break;
    case Typographic::invisible:
      break;
  }
  at_ += found.size;
  return true;
}

// Word processors make one long dash of "--"; two dashes of any kind stand for themselves.
void Splitter::read_dash(TypographicCharacter dash) {
  note_typographic(at_, dash.size);
  const auto after = at_ + dash.size;
  const Typographic next = typographic_at(t_.substr(after)).kind;
  const bool is_pair = next == Typographic::long_dash || next == Typographic::short_dash ||
                       (after < t_.size() && t_[after] == '-');
  const bool stands_for_two = dash.kind == Typographic::long_dash && !is_in_word_ && !is_pair;
  add_as(stands_for_two ? "--" : "-", at_, after);
  add_bare(0);
  at_ = after;
}

void Splitter::read_backslash() {
  const auto begin = at_;
  if (begin + 1 >= t_.size()) {
    ++at_;
    return;
  }
  if (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n')) {  // the line goes on
    at_ += peek(1) == '\n' ? 2 : 3;
    return;
  }
  open_word();
  word_.quoting = ShellQuoting::mixed;
  ++segments_;
  add_as(t_.substr(begin + 1, 1), begin, begin + 2);
  at_ += 2;
}

void Splitter::read_line_end() {
  end_command();
  ++at_;
  skip_here_documents();
}

void Splitter::skip_here_documents() {
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

// Redirections are left out of the words; `<NAME>` is a placeholder that somebody forgot to fill.
bool Splitter::read_redirection() {
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

void Splitter::read_single_quotes(std::size_t opener_size, bool is_typographic) {
  const auto opener = at_;
  note_segment(ShellQuoting::single_quotes);
  at_ += opener_size;
  const auto closer_size = [&](std::size_t at) -> std::size_t {
    if (t_[at] == '\'') return 1;
    if (!is_typographic) return 0;
    const auto found = typographic_at(t_.substr(at));
    return found.kind == Typographic::single_quote ? found.size : 0;
  };
  auto end = at_;
  std::size_t size = 0;
  const auto find_end = [&](std::size_t limit) {
    while (end < limit && (size = closer_size(end)) == 0) ++end;
    return end < limit;
  };
  while (find_end(t_.size())) {
    add(at_, end, false);
    at_ = end + size;
    // '\'' and '"'"' are how a single quote is written inside single quotes.
    const std::string_view rest = t_.substr(end, 5);
    const std::size_t escape = rest.starts_with("'\\''") ? 4 : rest == "'\"'\"'" ? 5 : 0;
    if (escape == 0) return;
    add_as("'", end, end + escape);
    at_ = end = end + escape;
  }
  end = std::max(at_, recover_quote(opener));
  add(at_, end, false);
  at_ = end;
}

void Splitter::read_double_quotes(std::size_t opener_size, bool is_typographic) {
  const auto opener = at_;
  note_segment(ShellQuoting::double_quotes);
  at_ += opener_size;
  // A typographic quote is closed by another one of its line, where there is one.
  bool wants_typographic = false;
  if (is_typographic) {
    const std::string_view line = t_.substr(at_, std::min<std::size_t>(line_end(at_) - at_, 4096));
    wants_typographic = line.find("\xe2\x80\x9d") != std::string_view::npos ||
                        line.find("\xe2\x80\x9c") != std::string_view::npos;
  }
  while (at_ < t_.size()) {
    const char c = peek();
    if (c == '"' && !wants_typographic) {
      ++at_;
      return;
    }
    if (is_typographic) {
      const auto found = typographic_at(t_.substr(at_));
      if (found.kind == Typographic::double_quote) {
        at_ += found.size;
        return;
      }
    }
    if (c == '\\' && peek(1) == '\n') {
      at_ += 2;
    } else if (c == '\\' && peek(1) == '\r' && peek(2) == '\n') {
      at_ += 3;
    } else if (c == '\\' && at_ + 1 < t_.size() &&
               std::string_view("$`\"\\").find(peek(1)) != std::string_view::npos) {
      add_as(t_.substr(at_ + 1, 1), at_, at_ + 2);
      at_ += 2;
    } else if (c == '$') {
      read_dollar(true);
    } else if (c == '`') {
      const auto close = t_.find('`', at_ + 1);
      const auto end = close == std::string_view::npos ? at_ + 1 : close + 1;
      add_unresolved(at_, end);
      at_ = end;
    } else {
      add(at_, at_ + 1, false);
      ++at_;
    }
  }
  const auto end = recover_quote(opener);
  word_.content = {};
  add(std::min(opener + opener_size, end), end, false);
  at_ = end;
}

void Splitter::read_escaped_quotes() {
  const auto opener = at_;
  note_segment(ShellQuoting::mixed);
  at_ += 2;
  while (at_ < t_.size()) {
    if (peek() == '\'') {
      ++at_;
      return;
    }
    if (peek() != '\\' || at_ + 1 >= t_.size()) {
      add(at_, at_ + 1, false);
      ++at_;
      continue;
    }
    const auto begin = at_;
    const char c = peek(1);
    at_ += 2;
    static constexpr std::string_view kLetters = "nrtabfve0", kBytes("\n\r\t\a\b\f\v\033\0", 9);
    char byte = c;
    if (is_digit(c) && c < '8') {
      unsigned value = static_cast<unsigned>(c - '0');
      for (int i = 0; i < 2 && peek() >= '0' && peek() < '8'; ++i, ++at_)
        value = value * 8 + static_cast<unsigned>(peek() - '0');
      byte = static_cast<char>(value & 0xff);
    } else if (const auto letter = kLetters.find(c); letter != std::string_view::npos) {
      byte = kBytes[letter];
    }
    add_as(std::string_view(&byte, 1), begin, at_);
  }
  const auto end = recover_quote(opener);
  word_.content = {};
  add(std::min(opener + 2, end), end, false);
  at_ = end;
}

// The place after the closing bracket, or the end of the text.
std::size_t Splitter::skip_balanced(std::size_t from, char open, char close) const {
  int depth = 0;
  for (auto i = from; i < t_.size(); ++i) {
    const char c = t_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      auto end = i + 1;
      while (end < t_.size() && t_[end] != c) end += t_[end] == '\\' && c == '"' ? 2 : 1;
      i = end;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return i + 1;
    }
  }
  return t_.size();
}

void Splitter::read_dollar(bool is_in_quotes) {
  const char next = peek(1);
  if (next == '\'' && !is_in_quotes) return read_escaped_quotes();
  if (next == '"' && !is_in_quotes) {
    at_ += 1;
    return read_double_quotes(1, false);
  }
  if (is_name_start(next) || next == '{') return read_parameter(is_in_quotes);
  const auto begin = at_;
  auto end = begin + 1;
  if (next == '(') {
    end = skip_balanced(begin + 1, '(', ')');
  } else if (is_digit(next) ||
             (next != '\0' && std::string_view("@*#?$!").find(next) != std::string_view::npos)) {
    end = begin + 2;
  } else {  // a dollar sign and nothing more
    add(begin, end, !is_in_quotes);
    at_ = end;
    return;
  }
  add_unresolved(begin, end);
  at_ = end;
}

void Splitter::read_parameter(bool is_in_quotes) {
  const auto begin = at_;
  const bool is_braced = peek(1) == '{';
  auto name_end = begin + (is_braced ? 2 : 1);
  const auto name_begin = name_end;
  while (name_end < t_.size() && is_name_byte(t_[name_end])) ++name_end;
  const std::string name(t_.substr(name_begin, name_end - name_begin));
  const auto known = variables_.find(name);
  auto end = name_end;
  std::string_view operation;
  if (is_braced) {
    end = skip_balanced(begin + 1, '{', '}');
    const auto inner_end = t_[end - 1] == '}' ? end - 1 : end;
    operation = t_.substr(std::min(name_end, inner_end), inner_end - std::min(name_end, inner_end));
  }
  const bool has_default = operation.starts_with(":-") || operation.starts_with(":=") ||
                           operation.starts_with("-") || operation.starts_with("=");
  std::optional<std::string> value;
  if (known != variables_.end() && (operation.empty() || has_default) &&
      !(known->second.empty() && operation.starts_with(':')))
    value = known->second;
  if (!value && has_default) {
    std::string fallback(operation.substr(operation.starts_with(':') ? 2 : 1));
    const bool is_literal = fallback.find_first_of("$`\\") == std::string::npos;
    std::erase_if(fallback, [](char c) { return c == '"' || c == '\''; });
    if (is_literal) value = std::move(fallback);
  }
  if (value && expanded_bytes_ + value->size() <= kMaxExpandedBytes) {
    expanded_bytes_ += value->size();
    at_ = end;
    add_expansion(*value, begin, is_in_quotes);
    return;
  }
  add_unresolved(begin, end);
  at_ = end;
}

// An unquoted expansion is split at blanks, as a shell does.
void Splitter::add_expansion(std::string_view value, std::size_t begin, bool is_in_quotes) {
  const auto end = at_;
  const auto add_piece = [&](std::string_view piece) {
    if (!is_in_word_) {
      at_ = begin;
      open_word();
      at_ = end;
    }
    word_.content.append_opaque(piece, place(begin, end));
    word_.is_substituted = true;
    if (!is_in_quotes) word_.quoting = ShellQuoting::mixed;
    ++segments_;
  };
  if (is_in_quotes) return add_piece(value);
  static constexpr std::string_view kBlanks = " \t\n";
  std::size_t from = 0;
  while (from < value.size()) {
    if (kBlanks.find(value[from]) != std::string_view::npos) {
      end_word();
      if (is_full_) return;
      ++from;
      continue;
    }
    const auto to = std::min(value.find_first_of(kBlanks, from), value.size());
    add_piece(value.substr(from, to - from));
    from = to;
  }
}

void Splitter::warn_about_typography() {
  if (typographic_count_ == 0) return;
  Diagnostic warning{Severity::warning,
                     code::typographic_character,
                     first_typographic_,
                     std::to_string(typographic_count_) +
                         " typographic quotes, dashes or blanks are read as ASCII ones",
                     "A shell does not read them so; type them again.",
                     {}};
  diagnostics_.push_back(std::move(warning));
}

}  // namespace

ShellScript split_shell(const MappedText& text, Diagnostics& diagnostics,
                        ShellVariables variables) {
  return Splitter(text, diagnostics, std::move(variables)).split();
}

}  // namespace assay
