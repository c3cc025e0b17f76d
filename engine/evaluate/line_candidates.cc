// The text is scanned as it is stored. What edits change is looked at apart, so that nothing has to
// be copied for it:
//
// - A window that no edit cuts is found as it stands. Is the literal around it not whole, then an
//   edit may be the reason, if one is near.
// - A window that an edit cuts begins at most `stride + 6` bytes before the edit, and holds a gram
//   that begins 7 bytes before it, or at it (or 3 before it, where the stride is 4). These are put
//   together from the bytes on both sides. This takes eight bytes up to the next edit; and where
//   an edit leaves a byte, or others are too near, its line is a candidate at once.
//
// A short gram's filter bits may be of bytes behind its window, but then an edit among these has
// the same gram 7 bytes before it.
#include "engine/evaluate/line_candidates.h"

#include <algorithm>

namespace assay {
namespace {

// `left` ends with the bytes before a seam, `right` begins with those behind it.
std::uint64_t eight_across(std::uint64_t left, std::uint64_t right, unsigned before) {
  return left >> (8 * (8 - before)) | right << (8 * before);
}

}  // namespace

const std::vector<std::uint32_t>& LineCandidates::find(const LiteralTables& tables,
                                                       const LogText& log) {
  hits_.clear();
  broken_.clear();
  places_.clear();
  scan_literals(tables, log.whole_original(), hits_, log.edits().empty() ? nullptr : &broken_);
  for (const LiteralHit& hit : hits_) places_.push_back(hit.at);
  add_broken(log);
  add_seams(tables, log);
  std::sort(places_.begin(), places_.end());
  return places_;
}

void LineCandidates::add_broken(const LogText& log) {
  const auto edits = log.edits();
  for (const BrokenLiteral& broken : broken_) {
    const auto behind = std::upper_bound(
        edits.begin(), edits.end(), broken.end,
        [](std::uint32_t end, const LogText::Edit& edit) { return end < edit.at; });
    if (behind != edits.begin() && (behind - 1)->end() >= broken.begin)
      places_.push_back(broken.window);
  }
}

void LineCandidates::add_seams(const LiteralTables& tables, const LogText& log) {
  const std::string_view text = log.whole_original();
  std::size_t known = 0;  // up to the end of the edit before
  const auto edits = log.edits();
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const LogText::Edit& edit = edits[i];
    const std::size_t next = i + 1 < edits.size() ? edits[i + 1].at : text.size();
    bool is_candidate = edit.has_byte != 0 || edit.at < known + 8 || next < edit.end() + 8;
    known = edit.end();
    if (!is_candidate) {
      const std::uint64_t left = load_eight(text.data() + edit.at - 8);
      const std::uint64_t right = load_eight(text.data() + edit.end());
      is_candidate = tables.filter.lets_through(eight_across(left, right, 7)) ||
                     tables.filter.lets_through(right);
      if (tables.stride != kStride)
        is_candidate |= tables.filter.lets_through(eight_across(left, right, 3));
    }
    if (is_candidate) places_.push_back(edit.at);
  }
}

}  // namespace assay
