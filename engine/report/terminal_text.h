// Colours and wrapped paragraphs for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/text/diagnostic.h"

namespace assay {

enum class Ink : std::uint8_t { plain, bold, dim, red, yellow, cyan, green, blue };

struct TerminalStyle {
  bool use_color = false;
  std::size_t width = 100;

  // `text` must be printable already.
  std::string paint(std::string_view text, Ink ink) const;
};

Ink ink_of(Severity severity);

// `text` made printable and broken at blanks to `width` columns; the first line starts with `head`
// (printed as it is), the others with `indent` blanks. Newlines of the text are kept as line ends,
// blank lines dropped. Ends with a newline.
std::string wrapped(std::string_view head, std::size_t indent, std::string_view text,
                    const TerminalStyle& style);
// `text` line by line, indented, not broken: for code and commands.
std::string indented(std::size_t indent, std::string_view text);

}  // namespace assay
