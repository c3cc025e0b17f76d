// One block a place: header, an empty gutter line, the line, the underline. What is shown of the
// line is a window of bytes around the span (cut at code points), made printable piece by piece, so
// that the underline's position is the printed width of what stands before it. A character counts
// as one column.
#include "engine/text/diagnostic_rendering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "engine/text/utf8.h"

namespace assay {
namespace {

// Of a long line this much is shown before and behind the place's begin.
constexpr std::size_t kBytesBefore = 60;
constexpr std::size_t kBytesBehind = 100;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kCyan = "\x1b[1;36m";
constexpr std::string_view kBlue = "\x1b[1;34m";
constexpr std::string_view kReset = "\x1b[0m";

std::string_view color_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return kCyan;
    case Severity::warning:
      return kYellow;
    case Severity::error:
      break;
  }
  return kRed;
}

bool is_printable(char32_t c) {
  const bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool reorders_text =
      (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool breaks_line = c == 0x2028 || c == 0x2029;
  return !is_control && !reorders_text && !breaks_line && c != 0xfeff;
}

std::size_t count_columns(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !is_utf8_continuation(c); }));
}

// The shown part of a line, with the columns [mark_begin, mark_end) to underline.
struct Excerpt {
  std::string text;
  std::size_t mark_begin = 0;
  std::size_t mark_end = 0;
};

Excerpt make_excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  std::size_t from = 0, to = line.size();
  if (line.size() > kBytesBefore + kBytesBehind) {
    from = begin - std::min(begin, kBytesBefore);
    to = std::min(line.size(), begin + kBytesBehind);
    while (from < begin && is_utf8_continuation(line[from])) ++from;
    while (to > begin && to < line.size() && is_utf8_continuation(line[to])) --to;
    end = std::min(end, to);
  }
  Excerpt excerpt;
  if (from > 0) excerpt.text = "...";
  excerpt.text += printable(line.substr(from, begin - from));
  excerpt.mark_begin = count_columns(excerpt.text);
  excerpt.text += printable(line.substr(begin, end - begin));
  excerpt.mark_end = std::max(count_columns(excerpt.text), excerpt.mark_begin + 1);
  excerpt.text += printable(line.substr(end, to - end));
  if (to < line.size()) excerpt.text += "...";
  return excerpt;
}

class Renderer {
 public:
  Renderer(const SourceSet& sources, bool use_color) : sources_(sources), use_color_(use_color) {}

  std::string render(const Diagnostic& diagnostic) {
    const std::string_view color = color_of(diagnostic.severity);
    out_ =
        paint(color, fmt::format("{}[{}]", to_string(diagnostic.severity), diagnostic.code.name));
    out_ += paint(kBold, ": " + printable(diagnostic.message)) + "\n";
    gutter_ = gutter_width(diagnostic);
    if (diagnostic.span.is_known()) append_place(diagnostic.span, '^', color, {});
    for (const Diagnostic::Related& related : diagnostic.related)
      if (related.span.is_known()) append_place(related.span, '-', kBlue, related.message);
    for (const Diagnostic::Related& related : diagnostic.related)
      if (!related.span.is_known()) append_remark("note", related.message);
    if (!diagnostic.help.empty()) append_remark("help", diagnostic.help);
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view color, std::string_view text) const {
    if (!use_color_) return std::string(text);
    return fmt::format("{}{}{}", color, text, kReset);
  }

  std::size_t gutter_width(const Diagnostic& diagnostic) const {
    std::uint32_t largest = 1;
    const auto take = [&](Span span) {
      if (span.is_known())
        largest = std::max(largest, sources_.get(span.source).position(span.begin).line);
    };
    take(diagnostic.span);
    for (const Diagnostic::Related& related : diagnostic.related) take(related.span);
    return fmt::formatted_size("{}", largest);
  }

  void append_place(Span span, char mark, std::string_view color, std::string_view label) {
    const Source& source = sources_.get(span.source);
    const Position position = source.position(span.begin);
    const std::string_view line = source.line_at(span.begin);
    const std::size_t line_begin = static_cast<std::size_t>(line.data() - source.text().data());
    const std::size_t begin = span.begin - std::min<std::size_t>(line_begin, span.begin);
    const std::size_t length = span.end - std::min(span.begin, span.end);
    const Excerpt excerpt = make_excerpt(line, begin, begin + length);

    out_ += fmt::format("{:{}}{} {}:{}:{}\n", "", gutter_ + 1, paint(kBlue, "-->"),
                        printable(source.name()), position.line, position.column);
    out_ += fmt::format("{:{}} {}\n", "", gutter_ + 1, paint(kBlue, "|"));
    out_ += paint(kBlue, fmt::format(" {:>{}} |", position.line, gutter_));
    out_ += excerpt.text.empty() ? "\n" : " " + excerpt.text + "\n";
    out_ +=
        fmt::format("{:{}} {} {:{}}", "", gutter_ + 1, paint(kBlue, "|"), "", excerpt.mark_begin);
    std::string underline(excerpt.mark_end - excerpt.mark_begin, mark);
    if (const auto last = last_line(source, span); last > position.line)
      underline += fmt::format(" ... to line {}", last);
    if (!label.empty()) underline += " " + printable(label);
    out_ += paint(color, underline) + "\n";
  }

  static std::uint32_t last_line(const Source& source, Span span) {
    return source.position(span.end > span.begin ? span.end - 1 : span.begin).line;
  }

  void append_remark(std::string_view kind, std::string_view text) {
    out_ += fmt::format("{:{}} {} {}: {}\n", "", gutter_ + 1, paint(kBlue, "="), paint(kBold, kind),
                        printable(text));
  }

  const SourceSet& sources_;
  bool use_color_;
  std::size_t gutter_ = 1;
  std::string out_;
};

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t begin = offset;
    const char32_t c = next_code_point(text, offset);
    if (c == kNotUtf8) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[begin]));
    } else if (c == '\t') {
      out += "    ";
    } else if (is_printable(c)) {
      out += text.substr(begin, offset - begin);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x80) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
    } else {
      out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(c));
    }
  }
  return out;
}

std::string render_diagnostic(const Diagnostic& diagnostic, const SourceSet& sources,
                              bool use_color) {
  return Renderer(sources, use_color).render(diagnostic);
}

}  // namespace assay
