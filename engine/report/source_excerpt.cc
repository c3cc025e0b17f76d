// A line is turned into cells, one a character: what is printed for it and whether it is marked. A
// run of unmarked cells that is longer than needed for orientation is replaced by an ellipsis, so
// that a launch of 800 characters with two bad flags fits into a terminal line. Tabs take one cell.
#include "engine/report/source_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxCells = 4096;  // of a line; what is further right is not shown
constexpr std::size_t kContext = 30;     // unmarked cells kept on each side of a mark
constexpr std::size_t kMaxMark = 60;     // marked cells shown of one place
constexpr std::size_t kMaxLines = 6;     // of one finding

struct Cell {
  std::string text;
  bool is_marked = false;
};

struct MarkedLine {
  SourceId source = 0;
  std::uint32_t line = 0;
  std::uint32_t begin = 0;  // byte offset of the line
  std::vector<Span> places;
};

std::vector<MarkedLine> marked_lines(const SourceSet& sources, std::span<const Span> places) {
  std::vector<MarkedLine> lines;
  for (const Span& place : places) {
    if (!place.is_known()) continue;
    const Source& source = sources.get(place.source);
    const std::uint32_t line = source.position(place.begin).line;
    auto known = std::find_if(lines.begin(), lines.end(), [&](const MarkedLine& m) {
      return m.source == place.source && m.line == line;
    });
    if (known == lines.end()) {
      if (lines.size() == kMaxLines) continue;
      const auto begin = source.line_at(place.begin).data() - source.text().data();
      lines.push_back({place.source, line, static_cast<std::uint32_t>(begin), {}});
      known = lines.end() - 1;
    }
    known->places.push_back(place);
  }
  return lines;
}

std::vector<Cell> cells_of(std::string_view line, const MarkedLine& marked) {
  std::vector<Cell> cells;
  std::size_t at = 0;
  while (at < line.size() && cells.size() < kMaxCells) {
    const Character c = first_character(line.substr(at));
    const std::size_t offset = marked.begin + at;
    const bool is_marked = std::any_of(
        marked.places.begin(), marked.places.end(),
        [&](const Span& p) { return offset >= p.begin && offset < std::max(p.end, p.begin + 1); });
    const std::string shown = c.code_point == '\t' ? " " : printable(line.substr(at, c.length));
    // An escape takes several cells, so that the carets stay below it.
    if (shown.size() > 1 && shown[0] == '\\' && line[at] != '\\') {
      for (const char e : shown) cells.push_back({std::string(1, e), is_marked});
    } else {
      cells.push_back({shown, is_marked});
    }
    at += c.length;
  }
  // A place at the very end of the line: what is missing there.
  for (const Span& p : marked.places)
    if (p.begin == marked.begin + line.size()) cells.push_back({" ", true});
  return cells;
}

// Appends the cells of one run, cut in its middle when it is long.
void append_run(std::span<const Cell> run, bool is_first, bool is_last, std::string& text,
                std::string& carets) {
  const bool is_marked = run.front().is_marked;
  std::size_t head = is_marked ? kMaxMark : is_first ? 0 : kContext;
  std::size_t tail = is_marked || is_last ? 0 : kContext;
  const bool is_cut = run.size() > head + tail + 8;
  // Cut between words where one ends nearby.
  for (std::size_t i = 0; is_cut && !is_marked && i < kContext / 2; ++i) {
    if (head > 0 && run[head - 1].text != " ") --head;
    if (tail > 0 && run[run.size() - tail - 1].text != " ") --tail;
  }
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (is_cut && i == head) {
      text += is_marked ? "…" : "… ";
      carets.append(is_marked ? 1 : 2, is_marked ? '^' : ' ');
      i = run.size() - tail;
      if (i >= run.size()) break;
    }
    text += run[i].text;
    carets += is_marked ? '^' : ' ';
  }
}

void append_line(const Source& source, const MarkedLine& marked, std::size_t gutter,
                 const TerminalStyle& style, std::string& out) {
  const std::vector<Cell> cells = cells_of(source.line_at(marked.begin), marked);
  std::string text;
  std::string carets;
  for (std::size_t begin = 0; begin < cells.size();) {
    std::size_t end = begin;
    while (end < cells.size() && cells[end].is_marked == cells[begin].is_marked) ++end;
    append_run(std::span(cells).subspan(begin, end - begin), begin == 0, end == cells.size(), text,
               carets);
    begin = end;
  }
  while (!carets.empty() && carets.back() == ' ') carets.pop_back();
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::string bar = style.paint("|", Ink::blue);
  out += fmt::format(" {} {} {}\n",
                     style.paint(fmt::format("{:>{}}", marked.line, gutter), Ink::blue), bar, text);
  out += fmt::format(" {:{}} {} {}\n", "", gutter, bar, style.paint(carets, Ink::red));
}

}  // namespace

std::string source_excerpt(const SourceSet& sources, std::span<const Span> places,
                           const TerminalStyle& style) {
  std::vector<MarkedLine> lines = marked_lines(sources, places);
  if (lines.empty()) return {};
  std::size_t gutter = 1;
  for (const MarkedLine& line : lines) gutter = std::max(gutter, std::to_string(line.line).size());
  std::string out;
  std::vector<SourceId> done;
  for (const MarkedLine& first : lines) {
    if (std::find(done.begin(), done.end(), first.source) != done.end()) continue;
    done.push_back(first.source);
    const Source& source = sources.get(first.source);
    const Position position = source.position(first.places.front().begin);
    out += fmt::format(" {:{}}{} {}:{}:{}\n", "", gutter, style.paint("-->", Ink::blue),
                       printable(source.name()), position.line, position.column);
    out += fmt::format(" {:{}} {}\n", "", gutter, style.paint("|", Ink::blue));
    std::vector<const MarkedLine*> here;
    for (const MarkedLine& line : lines)
      if (line.source == first.source) here.push_back(&line);
    std::sort(here.begin(), here.end(),
              [](const MarkedLine* a, const MarkedLine* b) { return a->line < b->line; });
    for (const MarkedLine* line : here) append_line(source, *line, gutter, style, out);
  }
  return out;
}

}  // namespace assay
