// Quoted stretches of shell words. An unclosed quote is reported where it opens and read to the end
// of its line, so that the commands behind it are still seen.
#include "engine/text/shell_splitter.h"

namespace assay::shell {

void ShellSplitter::read_single_quotes(std::size_t opener_size, bool is_typographic) {
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
    if (size > 1) note_typographic(end, size, "'");
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

void ShellSplitter::read_double_quotes(std::size_t opener_size, bool is_typographic) {
  const auto opener = at_;
  note_segment(ShellQuoting::double_quotes);
  at_ += opener_size;
  // A typographic quote is closed by another one of its line, where there is one.
  bool wants_typographic = false;
  if (is_typographic) {
    const std::string_view line = t_.substr(at_, std::min<std::size_t>(line_end(at_) - at_, 1024));
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
        note_typographic(at_, found.size, "\"");
        at_ += found.size;
        return;
      }
    }
    if (c == '\\' && peek(1) == '\n') {
      at_ += 2;
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
      auto end = at_ + 1;
      while (end < t_.size() && (is_plain_byte(t_[end]) || t_[end] == ' ')) ++end;
      add(at_, end, false);
      at_ = end;
    }
  }
  const auto end = recover_quote(opener);
  word_.content = {};
  add(std::min(opener + opener_size, end), end, false);
  at_ = end;
}

void ShellSplitter::read_escaped_quotes() {
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

}  // namespace assay::shell
