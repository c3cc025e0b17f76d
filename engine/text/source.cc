// Lines and columns are computed when asked for, by counting: places are shown rarely (a
// diagnostic, a finding), while sources are read always (10,000 rule files), so an eager line index
// would cost more than it saves.
#include "engine/text/source.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace assay {

Position Source::position(std::uint32_t offset) const {
  const std::string_view all = text();
  const auto end = std::min<std::size_t>(offset, all.size());
  const std::string_view before = all.substr(0, end);
  const auto newline = before.rfind('\n');
  const auto line_start = newline == std::string_view::npos ? 0 : newline + 1;
  Position position;
  position.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  position.column = 1;
  for (auto i = line_start; i < end; ++i) {
    const bool is_continuation = (static_cast<unsigned char>(all[i]) & 0xc0) == 0x80;
    if (!is_continuation) ++position.column;
  }
  return position;
}

std::string_view Source::line_at(std::uint32_t offset) const {
  const std::string_view all = text();
  const auto at = std::min<std::size_t>(offset, all.size());
  const auto newline = all.substr(0, at).rfind('\n');
  const auto begin = newline == std::string_view::npos ? 0 : newline + 1;
  auto end = all.find('\n', at);
  if (end == std::string_view::npos) end = all.size();
  if (end > begin && all[end - 1] == '\r') --end;
  return all.substr(begin, end - begin);
}

SourceId SourceSet::add(std::string name, std::string text) {
  ASSAY_CHECK(text.size() < 0xffffffffu, "a source is below 4 GiB");
  sources_.emplace_back(std::move(name), std::move(text));
  return static_cast<SourceId>(size_++);
}

SourceId SourceSet::add(std::unique_ptr<const ItemReader<Source>> archive) {
  const auto first = static_cast<SourceId>(size_);
  size_ += archive->size();
  archives_.push_back({first, LazyList<Source>(std::move(archive))});
  return first;
}

const Source& SourceSet::get(SourceId id) const {
  ASSAY_CHECK(id < size_, "a source id comes from this set");
  std::size_t at = id;
  for (const Archive& archive : archives_) {
    if (id < archive.first) break;
    if (id - archive.first < archive.sources.size()) return archive.sources[id - archive.first];
    at -= archive.sources.size();
  }
  return sources_[at];
}

std::string_view SourceSet::text(Span span) const {
  if (!span.is_known()) return {};
  const std::string_view text = get(span.source).text();
  return text.substr(std::min<std::size_t>(span.begin, text.size()), span.end - span.begin);
}

}  // namespace assay
