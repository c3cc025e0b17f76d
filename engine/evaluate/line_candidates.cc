// The text is scanned as it is stored. What edits change is looked at apart, so that nothing has to
// be copied for it:
//
// - A window that no edit cuts is found as it stands. Is the literal around it not whole, then an
//   edit may be the reason, if one is near.
// - A window that an edit cuts begins at most `stride + 6` bytes before the edit, and holds a gram
//   that begins 7 bytes before it, or at it (or 3 before it, where the stride is 4). These are put
//   together from the bytes on both sides, and what the filter lets through is scanned with all
//   bytes around it. Where an edit leaves a byte, or others are near, its line is a candidate at
//   once.
//
// A short gram's filter bits may be of bytes behind its window, but then an edit among these has
// the same gram 7 bytes before it.
#include "engine/evaluate/line_candidates.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

// From an edit to the next one; more than a window has on one side of an edit.
constexpr std::size_t kApart = 16;

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
  const auto edits = log.edits();
  std::size_t known = 0;  // up to the end of the edit before
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const LogText::Edit& edit = edits[i];
    const std::size_t next = i + 1 < edits.size() ? edits[i + 1].at : text.size();
    const bool is_alone =
        edit.has_byte == 0 && edit.at >= known + kApart && next >= edit.end() + kApart;
    if (!is_alone || may_cut(tables, text.data() + edit.at, text.data() + edit.end()))
      places_.push_back(edit.at);
    known = edit.end();
  }
}

// Whether a window may lie across a seam: of the bytes before `left_end` and those from `right` on.
bool LineCandidates::may_cut(const LiteralTables& tables, const char* left_end, const char* right) {
  const std::uint64_t before = load_eight(left_end - 8);
  const std::uint64_t behind = load_eight(right);
  const bool passes =
      tables.filter.lets_through(eight_across(before, behind, 7)) ||
      tables.filter.lets_through(behind) ||
      (tables.stride != kStride && tables.filter.lets_through(eight_across(before, behind, 3)));
  if (!passes) return false;
  std::array<char, 2 * kApart> joined;
  std::copy_n(left_end - kApart, kApart, joined.data());
  std::copy_n(right, kApart, joined.data() + kApart);
  seam_hits_.clear();
  seam_windows_.clear();
  scan_literals(tables, {joined.data(), joined.size()}, seam_hits_, &seam_windows_);
  return !seam_hits_.empty() || !seam_windows_.empty();
}

}  // namespace assay
