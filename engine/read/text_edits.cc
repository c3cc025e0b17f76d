// Sorted by place, then copied piece by piece. Of removed flow items, those at the front of their
// collection take the comma behind them, the others the one before; where the items at the front
// are all there were, the first addition needs no separator.
#include "engine/read/text_edits.h"

#include <algorithm>

#include "engine/base/ascii.h"

namespace assay {
namespace {

// Is the byte before `at` a blank, or a backslash that only continues its line?
bool is_gap_before(std::string_view text, std::uint32_t at) {
  if (is_space(text[at - 1])) return true;
  return text[at - 1] == '\\' && at < text.size() && (text[at] == '\n' || text[at] == '\r');
}

std::uint32_t skip_spaces(std::string_view text, std::uint32_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Is there nothing between the opening bracket and `at`?
bool stands_first(std::string_view text, std::uint32_t at) {
  while (at > 0 && is_space(text[at - 1])) --at;
  return at > 0 && (text[at - 1] == '{' || text[at - 1] == '[');
}

}  // namespace

std::uint32_t end_with_comment(std::string_view text, std::uint32_t at) {
  auto next = at;
  while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
  if (next == at || next >= text.size() || text[next] != '#') return at;
  next = static_cast<std::uint32_t>(std::min(text.find_first_of("\r\n", next), text.size()));
  return next;
}

// A comment behind the item, and the comma, that ends at `end`, where it stands alone with it on
// its line: it goes with it. Empty: there is none.
void TextEdits::remove_comment(std::string_view text, std::uint32_t begin, std::uint32_t end,
                               std::vector<Edit>& edits) {
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const bool begins_line = begin == 0 || text[begin - 1] == '\n';
  auto next = end;
  while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
  if (next < text.size() && text[next] == ',') end = ++next;
  const std::uint32_t comment_end = end_with_comment(text, end);
  if (begins_line && comment_end > end) edits.push_back({end, comment_end, {}});
}

void TextEdits::resolve_flow_items(std::string_view text, std::vector<Edit>& edits) const {
  std::vector<Edit> removals = flow_removals_;
  std::sort(removals.begin(), removals.end(),
            [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  bool is_first = !flow_additions_.empty() && stands_first(text, flow_additions_.front().at);
  std::uint32_t front_end = 0;  // behind the comma of the last item that went from the front
  for (const Edit& removal : removals) {
    std::uint32_t begin = removal.begin;
    std::uint32_t end = removal.end;
    while (begin > 0 && is_gap_before(text, begin)) --begin;
    const bool is_behind_comma = begin > 0 && text[begin - 1] == ',';
    remove_comment(text, removal.begin, removal.end, edits);
    if (is_behind_comma && removal.begin != front_end) {
      edits.push_back({begin - 1, end, {}});
      continue;
    }
    const std::uint32_t next = skip_spaces(text, end);
    is_first = next >= text.size() || text[next] != ',';
    if (!is_first) end = front_end = skip_spaces(text, next + 1);
    edits.push_back({removal.begin, end, {}});
  }
  for (const FlowAddition& addition : flow_additions_) {
    edits.push_back(
        {addition.at, addition.at, is_first ? addition.text : addition.separator + addition.text});
    is_first = false;
  }
}

std::string TextEdits::apply(const SourceSet& sources, Span span) const {
  const std::string_view text = sources.get(span.source).text();
  std::vector<Edit> sorted = edits_;
  resolve_flow_items(text, sorted);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::uint32_t at = span.begin;
  for (const Edit& edit : sorted) {
    if (edit.begin > at) result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = std::max({at, edit.begin, edit.end});
  }
  if (at < span.end) result += text.substr(at, span.end - at);
  return result;
}

}  // namespace assay
