// ANSI's eight colours only, bold where it matters: they follow the theme of the user's terminal.
#include "engine/report/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/code_points.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::plain:
      return "";
    case Ink::bold:
      return "1";
    case Ink::dim:
      return "2";
    case Ink::red:
      return "1;31";
    case Ink::yellow:
      return "1;33";
    case Ink::cyan:
      return "1;36";
    case Ink::green:
      return "1;32";
    case Ink::blue:
      return "1;34";
  }
  return "";
}

// Calls `line` for each line of `text` without its end.
template <class F>
void for_each_line(std::string_view text, F line) {
  while (!text.empty()) {
    const auto newline = text.find('\n');
    line(text.substr(0, newline));
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
  }
}

}  // namespace

std::string TerminalStyle::paint(std::string_view text, Ink ink) const {
  if (!use_color || ink == Ink::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return Ink::red;
    case Severity::warning:
      return Ink::yellow;
    case Severity::note:
      break;
  }
  return Ink::cyan;
}

std::string wrapped(std::string_view head, std::size_t indent, std::string_view text,
                    const TerminalStyle& style) {
  std::string out(head);
  bool is_first = true;
  const std::size_t room = style.width > indent + 20 ? style.width - indent : 20;
  for_each_line(text, [&](std::string_view line) {
    std::string words = printable(line);
    std::string_view rest = words;
    std::size_t used = room + 1;  // a new line is due
    bool starts_line = true;
    while (true) {
      const auto begin = rest.find_first_not_of(' ');
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
      const std::size_t width = count_code_points(word);
      if (starts_line || used + 1 + width > room) {
        if (!is_first) {
          out += '\n';
          out.append(indent, ' ');
        }
        is_first = starts_line = false;
        used = width;
      } else {
        out += ' ';
        used += 1 + width;
      }
      out += word;
    }
  });
  out += '\n';
  return out;
}

std::string indented(std::size_t indent, std::string_view text) {
  std::string out;
  for_each_line(text, [&](std::string_view line) {
    if (!line.empty()) {
      out.append(indent, ' ');
      out += printable(line);
    }
    out += '\n';
  });
  return out;
}

}  // namespace assay
