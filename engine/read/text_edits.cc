// Sorted by place, then copied piece by piece.
#include "engine/read/text_edits.h"

#include <algorithm>

namespace assay {

std::string TextEdits::apply(const SourceSet& sources, Span span) const {
  std::vector<Edit> sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  const std::string_view text = sources.get(span.source).text();
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
