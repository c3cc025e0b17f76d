// Decodes the scalar a second time, from its bytes in the source, and keeps the result only when it
// equals what the document's reader made of it. So a form this file does not know (an explicit
// indentation indicator, a surrogate pair) costs places and never correctness.
#include "engine/read/scalar_text.h"

#include <cstdlib>

#include "engine/base/ascii.h"

namespace assay {
namespace {

class ScalarDecoder {
 public:
  ScalarDecoder(std::string_view written, Span span) : t_(written), span_(span) {}

  MappedText decode(Enclosure style, std::size_t wanted_size) {
    if (style == Enclosure::yaml_block) {
      decode_block();
    } else {
      decode_flow(style);
    }
    // The line ends that close a block scalar lie behind its span.
    while (style == Enclosure::yaml_block && out_.text().size() < wanted_size)
      out_.append_opaque("\n", place(t_.size(), t_.size()));
    return std::move(out_);
  }

 private:
  Span place(std::size_t begin, std::size_t end) const {
    return {span_.source, span_.begin + static_cast<std::uint32_t>(begin),
            span_.begin + static_cast<std::uint32_t>(end)};
  }
  void copy(std::size_t at) { out_.append(t_[at], place(at, at + 1)); }
  // The break between two lines, with `empty_lines` in between.
  void fold(std::size_t begin, std::size_t end, std::size_t empty_lines) {
    if (empty_lines == 0) {
      out_.append(' ', place(begin, end));
    } else {
      out_.append_opaque(std::string(empty_lines, '\n'), place(begin, end));
    }
  }

  void decode_flow(Enclosure style);
  void decode_escape(std::size_t& at);
  void decode_block();

  std::string_view t_;
  Span span_;
  MappedText out_;
};

void append_utf8(std::string& text, unsigned long code) {
  const auto add = [&](unsigned long byte) { text += static_cast<char>(byte & 0xff); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | (code >> 6));
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3f));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  }
}

void ScalarDecoder::decode_escape(std::size_t& at) {
  static constexpr std::string_view kLetters = "0abtnvfre\"/\\ ";
  static constexpr std::string_view kBytes("\0\a\b\t\n\v\f\r\033\"/\\ ", 13);
  const auto begin = at;
  const char letter = t_[at + 1];
  at += 2;
  std::string decoded;
  if (const auto found = kLetters.find(letter); found != std::string_view::npos) {
    decoded = kBytes[found];
  } else {
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits == 0) return;
    append_utf8(decoded, std::strtoul(std::string(t_.substr(at, digits)).c_str(), nullptr, 16));
    at = std::min(at + digits, t_.size());
  }
  if (decoded.size() == 1) {
    out_.append(decoded[0], place(begin, at));
  } else {
    out_.append_opaque(decoded, place(begin, at));
  }
}

void ScalarDecoder::decode_flow(Enclosure style) {
  const bool is_quoted = style != Enclosure::yaml_plain;
  std::size_t at = is_quoted ? 1 : 0;
  const std::size_t end = is_quoted && t_.size() > 1 ? t_.size() - 1 : t_.size();
  while (at < end) {
    const char c = t_[at];
    if (style == Enclosure::yaml_single_quotes && c == '\'') {
      out_.append('\'', place(at, at + 2));
      at += 2;
      continue;
    }
    if (style == Enclosure::yaml_double_quotes && c == '\\' && at + 1 < end) {
      const bool joins_lines = t_[at + 1] == '\n' || t_[at + 1] == '\r';
      if (!joins_lines) {
        decode_escape(at);
        continue;
      }
      at = std::min(t_.find('\n', at) + 1, end);
      while (at < end && is_blank(t_[at])) ++at;
      continue;
    }
    // Blanks before a line end belong to the fold.
    const auto after_blanks = std::min(t_.find_first_not_of(" \t\r", at), end);
    if (after_blanks < end && t_[after_blanks] == '\n') {
      std::size_t lines = 0;
      auto next = after_blanks;
      while (next < end && (is_blank(t_[next]) || t_[next] == '\n' || t_[next] == '\r'))
        lines += t_[next++] == '\n' ? 1 : 0;
      fold(at, next, lines - 1);
      at = next;
      continue;
    }
    for (const auto stop = std::max(after_blanks, at + 1); at < stop; ++at) copy(at);
  }
}

void ScalarDecoder::decode_block() {
  const bool is_folded = t_[0] == '>';
  std::size_t at = std::min(t_.find('\n'), t_.size());
  std::size_t indent = std::string_view::npos;
  std::size_t empty_lines = 0;
  std::size_t break_at = at;  // the end of the line before
  bool is_first = true, was_indented = false;
  while (at < t_.size()) {
    ++at;  // the line end
    const auto line_end = std::min(t_.find('\n', at), t_.size());
    const auto content = std::min(t_.find_first_not_of(' ', at), line_end);
    const bool is_empty =
        content == line_end && (indent == std::string_view::npos || content - at <= indent);
    if (is_empty) {
      ++empty_lines;
      at = line_end;
      continue;
    }
    if (indent == std::string_view::npos) indent = content - at;
    const auto begin = std::min(at + indent, line_end);
    const bool is_indented = begin < line_end && is_blank(t_[begin]);
    if (is_first) {
      if (empty_lines > 0)
        out_.append_opaque(std::string(empty_lines, '\n'), place(break_at, begin));
    } else if (is_folded && !is_indented && !was_indented) {
      fold(break_at, begin, empty_lines);
    } else if (empty_lines == 0) {
      out_.append('\n', place(break_at, begin));
    } else {
      out_.append_opaque(std::string(empty_lines + 1, '\n'), place(break_at, begin));
    }
    for (auto i = begin; i < line_end; ++i)
      if (!(t_[i] == '\r' && i + 1 == line_end)) copy(i);
    is_first = false;
    was_indented = is_indented;
    empty_lines = 0;
    at = break_at = line_end;
  }
}

}  // namespace

ScalarText read_scalar_text(const SourceSet& sources, const Node& scalar) {
  ScalarText result;
  const std::string_view written = sources.text(scalar.span);
  if (written.starts_with('"')) result.style = Enclosure::yaml_double_quotes;
  if (written.starts_with('\'')) result.style = Enclosure::yaml_single_quotes;
  if (scalar.quoted && (written.starts_with('|') || written.starts_with('>')))
    result.style = Enclosure::yaml_block;
  if (!written.empty()) {
    result.content = ScalarDecoder(written, scalar.span).decode(result.style, scalar.text.size());
    if (result.content.text() == scalar.text && !scalar.text.empty()) return result;
  }
  result.content = MappedText::opaque(scalar.span, scalar.text);
  result.has_places = false;
  return result;
}

}  // namespace assay
