// What commands and control flow do to the variables of the commands after them. Nothing is run, so
// every branch is possible: ShellScopes keeps what is certain in each. Lists are straight while
// what stands before && cannot well fail (an assignment, an export, cd).
//
// Not followed: variables of an outer script that a function's body reads and that are assigned
// between its definition and its call.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/shell_splitter.h"

namespace assay::shell {
namespace {

constexpr std::size_t kMaxArithmetic = 256;  // bytes of ((...)) that are looked at

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t name_size(std::string_view text) {
  if (text.empty() || !is_name_start(text[0])) return 0;
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name_byte) -
                                  text.begin());
}

bool is_declaration(std::string_view program) {
  static constexpr std::array<std::string_view, 5> kPrograms = {"export", "declare", "local",
                                                                "readonly", "typeset"};
  return is_one_of(program, kPrograms);
}

// `source venv/bin/activate`, `eval "$(conda shell.bash hook)"`: they set variables of their own.
bool activates_environment(const ShellCommand& command) {
  const std::string& text = command.words[1].text();
  if (command.words[0].text() == "eval") return text.find("shell.bash hook") != std::string::npos;
  return text.ends_with("/activate") || text == "activate" || text.ends_with("/conda.sh");
}

}  // namespace

void ShellSplitter::assign(const ShellAssignment& assignment) {
  const bool is_literal =
      !assignment.value.is_unresolved && assignment.value.text().size() <= kMaxVariableBytes;
  if (is_literal) {
    scopes_.set(assignment.name, assignment.value.text());
  } else {  // perhaps to nothing: ${NAME:-default} still holds
    scopes_.unset(assignment.name);
  }
  forget_array(assignment.name);
}

// NAME+=value
void ShellSplitter::append_to_variable(const ShellWord& word, std::size_t name_size) {
  const std::string name = word.text().substr(0, name_size);
  const std::string* known = scopes_.find(name);
  const std::size_t added = word.text().size() - name_size - 2;
  const bool is_certain = !word.is_unresolved && (known != nullptr || !scopes_.may_be_set(name));
  const std::size_t size = (known != nullptr ? known->size() : 0) + added;
  expanded_bytes_ += size;
  if (!is_certain || size > kMaxVariableBytes || expanded_bytes_ > kMaxExpandedBytes)
    return scopes_.forget(name);
  scopes_.set(name, (known != nullptr ? *known : "") + word.text().substr(name_size + 2));
}

void ShellSplitter::note_declaration(const ShellCommand& command) {
  const bool is_export = command.words[0].text() == "export";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (const auto assignment = as_assignment(word, word.text().size())) {
      assign(*assignment);
      if (!is_export) continue;
      script_.exports.push_back(*assignment);
      scopes_.note_export(assignment->name, script_.exports.size() - 1);
    } else if (is_export && word.is_unresolved) {  // export $(cat .env)
      scopes_.forget_all();
    } else if (const std::string* known = scopes_.find(word.text());
               is_export && known != nullptr) {
      ShellAssignment exported{word.text(), word, word.span};
      expanded_bytes_ += known->size();
      exported.value.is_unresolved = expanded_bytes_ > kMaxExpandedBytes;
      if (!exported.value.is_unresolved)
        exported.value.content = MappedText::opaque(word.span, *known);
      script_.exports.push_back(std::move(exported));
      scopes_.note_export(word.text(), script_.exports.size() - 1);
    }
  }
}

// Programs of the shell that set the variables they are given.
void ShellSplitter::note_setting_program(const ShellCommand& command) {
  static constexpr std::array<std::string_view, 5> kReaders = {"read", "mapfile", "readarray",
                                                               "getopts", "let"};
  const auto& words = command.words;
  const std::string& program = words[0].text();
  if (program == "unset") {
    for (std::size_t i = 1; i < words.size(); ++i) {
      scopes_.unset(words[i].text());
      forget_array(words[i].text());
    }
  } else if (program == "for" || program == "select") {
    forget_variable(words[1].text());
  } else if (program == "printf" && words.size() > 2 && words[1].text() == "-v") {
    forget_variable(words[2].text());
  } else if (is_one_of(program, kReaders)) {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (const std::size_t size = name_size(words[i].text()); size > 0)
        forget_variable(words[i].text().substr(0, size));
  } else if (program == "source" || program == "." || program == "eval") {
    if (!activates_environment(command)) {
      scopes_.forget_all();
      array_bases_.clear();
    }
  }
}

// What the command does to the variables of the ones after it.
void ShellSplitter::note_command(const ShellCommand& command) {
  does_last_succeed_ = command.words.empty();
  if (command.words.empty()) {
    for (const ShellAssignment& assignment : command.assignments) {
      assign(assignment);
      does_last_succeed_ = does_last_succeed_ && !assignment.value.is_unresolved;
    }
    return;
  }
  const std::string& program = command.words[0].text();
  does_last_succeed_ = is_declaration(program) || program == "cd";
  if (const std::size_t size = name_size(program); size > 0 && program.compare(size, 2, "+=") == 0)
    return append_to_variable(command.words[0], size);
  else if (size > 0 && program[std::min(size, program.size() - 1)] == '[')  // NAME[0]=value
    forget_array(program.substr(0, size));
  if (program != "function") scopes_.call(program);
  if (command.words.size() < 2) return;
  if (program == "function") {
    function_name_ = command.words[1].text();
  } else if (is_declaration(program)) {
    note_declaration(command);
  } else {
    note_setting_program(command);
  }
}

void ShellSplitter::note_forgotten_exports() {
  for (const std::size_t index : scopes_.take_forgotten_exports()) {
    ShellAssignment exported = script_.exports[index];
    exported.value.is_unresolved = true;
    script_.exports.push_back(std::move(exported));
  }
}

// `word` stands where a command begins.
void ShellSplitter::note_keyword(std::string_view word) {
  const std::string function = std::exchange(function_name_, {});
  const bool is_pattern = scopes_.is_innermost(ScopeKind::choice) && !scopes_.is_in_branch();
  if (word == "esac") return scopes_.close(ScopeKind::choice);
  if (is_pattern) return;
  if (word == "if") {
    scopes_.open(ScopeKind::condition);
  } else if (word == "then" && scopes_.is_innermost(ScopeKind::condition)) {
    scopes_.begin_branch();
  } else if ((word == "else" || word == "elif") && scopes_.is_innermost(ScopeKind::condition)) {
    scopes_.end_branch();
  } else if (word == "fi") {
    scopes_.close(ScopeKind::condition);
  } else if (word == "for" || word == "while" || word == "until" || word == "select") {
    scopes_.open(ScopeKind::loop);
  } else if (word == "done") {
    scopes_.close(ScopeKind::loop);
  } else if (word == "case") {
    scopes_.open(ScopeKind::choice);
  } else if (word == "{") {
    scopes_.open(function.empty() ? ScopeKind::group : ScopeKind::function, function);
  } else if (word == "}") {
    scopes_.close_body();
  }
}

// At one of ; & | ( )
void ShellSplitter::read_operator() {
  const char c = peek();
  if (open_array_) return end_array(c == ')');
  const bool is_behind_equals =
      c == '(' && is_in_word_ && segments_ == 0 && word_.text().ends_with('=');
  if (is_behind_equals) {
    const std::string assigned = word_.text();
    const std::size_t size = name_size(assigned);
    const std::size_t begin = word_begin_;
    const bool is_appended = assigned.ends_with("+=");
    if (size > 0 && size + (is_appended ? 2 : 1) == assigned.size()) {
      is_in_word_ = false;
      end_command();
      return begin_array(assigned.substr(0, size), begin, is_appended);
    }
  }
  end_command();
  const bool is_double = peek(1) == c;
  ++at_;
  if (c == '(') return open_parenthesis();
  if (c == ')') {
    if (scopes_.is_innermost(ScopeKind::choice) && !scopes_.is_in_branch())
      return scopes_.begin_branch();
    return scopes_.close(ScopeKind::subshell);
  }
  if (c == '|' && !is_double) {
    if (peek() == '&') ++at_;
    is_list_continued_ = true;
    return;
  }
  if (c != ';' && is_double) {
    ++at_;
    is_list_continued_ = true;
    if (scopes_.is_innermost(ScopeKind::list)) {
      if (c == '|') scopes_.blur_branch();
    } else if (c == '|' || !does_last_succeed_) {
      scopes_.open(ScopeKind::list);
    }
    return;
  }
  end_list();
  const bool ends_arm = c == ';' && (peek() == ';' || peek() == '&');
  if (!ends_arm || !scopes_.is_innermost(ScopeKind::choice)) return;
  const bool falls_through = peek() == '&' || peek(1) == '&';
  at_ += peek(1) == '&' ? 2 : 1;
  if (falls_through) {
    scopes_.blur_branch();
  } else {
    scopes_.end_branch();
  }
}

// Behind the opening parenthesis.
void ShellSplitter::open_parenthesis() {
  if (scopes_.is_innermost(ScopeKind::choice) && !scopes_.is_in_branch()) return;
  const auto inside = t_.find_first_not_of(" \t", at_);
  const bool is_empty = inside != std::string_view::npos && t_[inside] == ')';
  if (is_empty && !script_.commands.empty()) {  // name ()
    const auto& words = script_.commands.back().words;
    if (!words.empty()) function_name_ = words.back().text();
    at_ = inside + 1;
    return;
  }
  if (peek() == '(') forget_arithmetic();
  scopes_.open(ScopeKind::subshell);
}

// ((TP = 8)): each name in it may be set.
void ShellSplitter::forget_arithmetic() {
  const std::string_view rest = t_.substr(at_, kMaxArithmetic);
  const std::string_view inside = rest.substr(0, std::min(rest.find("))"), rest.find('\n')));
  for (std::size_t i = 0; i < inside.size();) {
    const std::size_t size = name_size(inside.substr(i));
    if (size > 0) scopes_.forget(std::string(inside.substr(i, size)));
    i += std::max<std::size_t>(size, 1);
  }
}

}  // namespace assay::shell
