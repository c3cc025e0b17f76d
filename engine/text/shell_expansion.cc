// Parameters and substitutions. Only what the text itself says is put in: a variable it assigns,
// the default of ${X:-default}; everything else is kept as written and marked unresolved.
#include "engine/text/shell_arithmetic.h"
#include "engine/text/shell_splitter.h"

namespace assay::shell {

// The place after the closing bracket, or the end of the text.
std::size_t ShellSplitter::skip_balanced(std::size_t from, char open, char close) const {
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

void ShellSplitter::read_dollar(bool is_in_quotes) {
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
    if (read_arithmetic(begin, end, is_in_quotes)) return;
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

// $((...)) from `begin` to `end`; false: it is a command, or not known.
bool ShellSplitter::read_arithmetic(std::size_t begin, std::size_t end, bool is_in_quotes) {
  const std::string_view whole = t_.substr(begin, end - begin);
  if (!whole.starts_with("$((") || !whole.ends_with("))") || whole.size() < 6) return false;
  const auto value =
      evaluate_arithmetic(whole.substr(3, whole.size() - 5),
                          [&](const std::string& name) { return scopes_.find(name); });
  if (!value) return false;
  at_ = end;
  add_expansion(std::to_string(*value), begin, is_in_quotes);
  return true;
}

void ShellSplitter::read_parameter(bool is_in_quotes) {
  const auto begin = at_;
  const bool is_braced = peek(1) == '{';
  auto name_end = begin + (is_braced ? 2 : 1);
  const auto name_begin = name_end;
  while (name_end < t_.size() && is_name_byte(t_[name_end])) ++name_end;
  const std::string name(t_.substr(name_begin, name_end - name_begin));
  const std::string* known = scopes_.find(name);
  auto end = name_end;
  std::string_view operation;
  if (is_braced) {
    end = skip_balanced(begin + 1, '{', '}');
    const auto inner_end = t_[end - 1] == '}' ? end - 1 : end;
    operation = t_.substr(std::min(name_end, inner_end), inner_end - std::min(name_end, inner_end));
  }
  if (read_elements(name, operation, begin, end, is_in_quotes)) return;
  const bool has_default = operation.starts_with(":-") || operation.starts_with(":=") ||
                           operation.starts_with("-") || operation.starts_with("=");
  std::optional<std::string> value;
  if (known != nullptr && (operation.empty() || has_default) &&
      !(known->empty() && operation.starts_with(':')))
    value = *known;
  const bool is_default_certain = known != nullptr || !scopes_.may_be_set(name);
  if (!value && has_default && is_default_certain) {
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
void ShellSplitter::add_expansion(std::string_view value, std::size_t begin, bool is_in_quotes) {
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

}  // namespace assay::shell
