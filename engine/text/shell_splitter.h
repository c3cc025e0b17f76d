// The scanner behind split_shell (shell_words.h), in one class over six files: words and commands
// (shell_words.cc), line ends (shell_lines.cc), quotes (shell_quotes.cc), variables
// (shell_expansion.cc), arrays (shell_arrays.cc), control flow and what commands do to variables
// (shell_control.cc). Not for use by others.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ascii.h"
#include "engine/text/shell_scopes.h"
#include "engine/text/shell_words.h"
#include "engine/text/typography.h"

namespace assay::shell {

inline constexpr std::size_t kMaxWords = 200'000;
inline constexpr std::size_t kMaxVariableBytes = 64u << 10;
inline constexpr std::size_t kMaxExpandedBytes = 4u << 20;
inline constexpr std::size_t kMaxTypographic = 200;  // that are told one by one
inline constexpr std::size_t kMaxArrayWords = 4096;
inline constexpr int kMaxQuoteRecoveries = 16;

inline bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_name_byte(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
// Means itself wherever it stands in a word.
inline bool is_plain_byte(char c) {
  return is_name_byte(c) || c == '-' || c == '.' || c == '/' || c == ',' || c == ':' || c == '=';
}

class ShellSplitter {
 public:
  ShellSplitter(const MappedText& text, Diagnostics& diagnostics, const ShellVariables& variables)
      : in_(text), t_(text.text()), diagnostics_(diagnostics), scopes_(variables) {}

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
    braces_ = Braces::none;
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
  // Unquoted bytes of which a shell may make other words: `*`, `{a,b}`, `~` in front.
  void note_expansions(std::string_view bare);
  // A quoted stretch begins; the word is quoted throughout only when it is the only one.
  void note_segment(ShellQuoting quoting) {
    open_word();
    const bool is_whole = segments_ == 0 && word_.text().empty() && at_ == word_begin_;
    word_.quoting = is_whole ? quoting : ShellQuoting::mixed;
    ++segments_;
  }
  void end_word();
  void end_command();

  // --- what commands do to variables (shell_control.cc)
  void note_command(const ShellCommand& command);
  void note_declaration(const ShellCommand& command);
  void note_setting_program(const ShellCommand& command);
  void assign(const ShellAssignment& assignment);
  void append_to_variable(const ShellWord& word, std::size_t name_size);
  void note_forgotten_exports();
  void forget_variable(const std::string& name) {
    scopes_.forget(name);
    forget_array(name);
  }
  void note_keyword(std::string_view word);
  void read_operator();
  void open_parenthesis();
  void forget_arithmetic();
  void end_list() {
    if (scopes_.is_innermost(ScopeKind::list)) scopes_.close(ScopeKind::list);
  }
  std::optional<ShellAssignment> as_assignment(const ShellWord& word,
                                               std::size_t bare_prefix) const;

  // --- arrays (shell_arrays.cc)
  struct Array {
    std::vector<ShellWord> words;
    std::size_t begin = 0;  // NAME=( ... )
    std::size_t end = 0;
    std::size_t bytes = 0;  // that its words take
  };
  struct FoundArray {
    const Array* array = nullptr;  // null: not known
    bool is_certain = false;       // false: perhaps followed by others
  };
  struct OpenArray {
    std::string name;
    std::size_t begin = 0;
    bool is_appended = false;
  };
  void begin_array(std::string name, std::size_t begin, bool is_appended);
  void end_array(bool is_closed);
  void store_array(const OpenArray& open, std::vector<ShellWord> words);
  void forget_array(const std::string& name);
  FoundArray find_array(const std::string& name) const;
  // True: the expansion from `begin` to `end` was read as the elements of an array.
  bool read_elements(const std::string& name, std::string_view operation, std::size_t begin,
                     std::size_t end, bool is_in_quotes);

  // --- reading
  void read_next();
  bool read_typographic();
  void read_dash(TypographicCharacter dash);
  bool read_redirection();
  void read_line_end();
  void skip_here_documents();
  void read_backslash();
  bool read_broken_continuation();
  void read_carriage_return();
  void note_broken_line(std::size_t begin, std::size_t end);
  void tell_broken_lines();
  void read_single_quotes(std::size_t opener_size, bool is_typographic);
  void read_double_quotes(std::size_t opener_size, bool is_typographic);
  void read_escaped_quotes();  // $'...'
  void read_dollar(bool is_in_quotes);
  void read_parameter(bool is_in_quotes);
  bool read_arithmetic(std::size_t begin, std::size_t end, bool is_in_quotes);
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
  void note_typographic(std::size_t begin, std::size_t size, std::string_view ascii) {
    ++typographic_count_;
    if (typographic_.size() < kMaxTypographic)
      typographic_.push_back({place(begin, begin + size), std::string(ascii)});
  }
  void warn_about_typography();

  const MappedText& in_;
  std::string_view t_;
  Diagnostics& diagnostics_;
  ShellScopes scopes_;
  ShellScript script_;
  ShellCommand command_;
  bool is_in_command_ = false;
  std::size_t command_begin_ = 0, command_end_ = 0;
  std::size_t at_ = 0;
  ShellWord word_;
  bool is_in_word_ = false;
  std::size_t word_begin_ = 0;
  int segments_ = 0;
  enum class Braces : std::uint8_t { none, open, divided, expand } braces_ = Braces::none;
  std::size_t bare_prefix_ = 0;  // leading bytes that were neither quoted nor expanded
  bool is_target_next_ = false;  // the next word is a redirection's target
  std::vector<std::string> here_documents_;
  bool is_here_delimiter_next_ = false;
  bool is_list_continued_ = false;  // behind && || |, also on the next line
  bool does_last_succeed_ = false;  // the command before: an assignment, an export
  std::string function_name_;       // `name ()` stands before
  int recoveries_ = 0;
  std::size_t expanded_bytes_ = 0;
  std::size_t word_count_ = 0;
  bool is_full_ = false;
  std::optional<OpenArray> open_array_;
  std::vector<Array> arrays_;  // ShellScopes holds their indices, as the value of NAME[@]
  std::map<std::string, std::pair<std::size_t, ShellScopes::Place>> array_bases_;
  std::size_t reach_begin_ = 0, reach_end_ = 0;  // of the arrays that the command's words are from
  std::vector<Diagnostic::Related> broken_lines_;  // of this command
  bool has_carriage_return_ = false;               // ... the last of them
  std::size_t typographic_count_ = 0;
  std::vector<Diagnostic::Related> typographic_;
};

}  // namespace assay::shell
