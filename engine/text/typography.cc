// A table of the UTF-8 sequences seen in pasted commands. A character missing here is read as what
// it is: part of a word.
#include "engine/text/typography.h"

#include <array>

namespace assay {
namespace {

struct Row {
  std::string_view bytes;
  Typographic kind;
};

constexpr std::array kRows = {
    Row{"\xe2\x80\x98", Typographic::single_quote},  // left single quotation mark
    Row{"\xe2\x80\x99", Typographic::single_quote},  // right
    Row{"\xe2\x80\x9a", Typographic::single_quote},  // low
    Row{"\xe2\x80\x9b", Typographic::single_quote},  // reversed
    Row{"\xe2\x80\x9c", Typographic::double_quote},
    Row{"\xe2\x80\x9d", Typographic::double_quote},
    Row{"\xe2\x80\x9e", Typographic::double_quote},
    Row{"\xe2\x80\x9f", Typographic::double_quote},
    Row{"\xe2\x80\x90", Typographic::short_dash},  // hyphen
    Row{"\xe2\x80\x91", Typographic::short_dash},  // no-break hyphen
    Row{"\xe2\x88\x92", Typographic::short_dash},  // minus sign
    Row{"\xe2\x80\x92", Typographic::long_dash},   // figure dash
    Row{"\xe2\x80\x93", Typographic::long_dash},   // en dash
    Row{"\xe2\x80\x94", Typographic::long_dash},   // em dash
    Row{"\xe2\x80\x95", Typographic::long_dash},   // horizontal bar
    Row{"\xc2\xa0", Typographic::blank},           // no-break space
    Row{"\xe2\x80\xaf", Typographic::blank},       // narrow no-break space
    Row{"\xe2\x80\x89", Typographic::blank},       // thin space
    Row{"\xe3\x80\x80", Typographic::blank},       // ideographic space
    Row{"\xe2\x80\x8b", Typographic::invisible},   // zero width space
    Row{"\xef\xbb\xbf", Typographic::invisible},   // byte order mark
};

}  // namespace

TypographicCharacter typographic_at(std::string_view text) {
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0xc2) return {};
  for (const Row& row : kRows)
    if (text.substr(0, row.bytes.size()) == row.bytes)
      return {row.kind, static_cast<std::uint32_t>(row.bytes.size())};
  return {};
}

}  // namespace assay
