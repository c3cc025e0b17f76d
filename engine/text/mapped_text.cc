// Runs instead of an offset per byte: a ten-megabyte line without quotes is one run. Looking up a
// place is a binary search over the runs; adding merges into the last run where it goes on.
#include "engine/text/mapped_text.h"

#include <algorithm>

#include "engine/base/check.h"

namespace assay {

MappedText MappedText::verbatim(SourceId source, std::uint32_t begin, std::string_view text) {
  MappedText mapped;
  mapped.source_ = source;
  mapped.text_ = text;
  const auto size = static_cast<std::uint32_t>(text.size());
  mapped.runs_.push_back({0, begin, begin + size, true});
  return mapped;
}

MappedText MappedText::opaque(Span span, std::string_view text) {
  MappedText mapped;
  mapped.append_opaque(text, span);
  return mapped;
}

const MappedText::Run& MappedText::run_at(std::size_t position) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), position,
                       [](std::size_t wanted, const Run& run) { return wanted < run.text_begin; });
  return after == runs_.begin() ? runs_.front() : *(after - 1);
}

Span MappedText::span(std::size_t begin, std::size_t end) const {
  if (runs_.empty()) return {};
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  Span span{source_, 0, 0};
  if (begin < text_.size()) {
    const Run& first = run_at(begin);
    span.begin = first.begin;
    if (first.is_exact) span.begin += static_cast<std::uint32_t>(begin) - first.text_begin;
  } else {
    span.begin = runs_.back().end;
  }
  if (begin == end) {
    span.end = span.begin;
    return span;
  }
  const Run& last = run_at(end - 1);
  span.end =
      last.is_exact ? last.begin + static_cast<std::uint32_t>(end) - last.text_begin : last.end;
  // Pieces of a substituted variable may come from before the place where it is used.
  span.end = std::max(span.end, span.begin);
  return span;
}

bool MappedText::is_verbatim(std::size_t begin, std::size_t end) const {
  if (begin >= end || runs_.empty()) return false;
  const Run& first = run_at(begin);
  return first.is_exact && &first == &run_at(end - 1);
}

void MappedText::append(char byte, Span origin) {
  const bool is_exact = origin.end - origin.begin == 1;
  const bool goes_on =
      !runs_.empty() && is_exact && runs_.back().is_exact && runs_.back().end == origin.begin;
  if (goes_on) {
    runs_.back().end = origin.end;
  } else {
    runs_.push_back({static_cast<std::uint32_t>(text_.size()), origin.begin, origin.end, is_exact});
  }
  if (source_ == kNoSource) source_ = origin.source;
  text_ += byte;
}

void MappedText::append_opaque(std::string_view bytes, Span origin) {
  if (source_ == kNoSource) source_ = origin.source;
  runs_.push_back({static_cast<std::uint32_t>(text_.size()), origin.begin, origin.end, false});
  text_ += bytes;
}

void MappedText::append(const MappedText& other, std::size_t begin, std::size_t end) {
  ASSAY_CHECK(end <= other.text_.size(), "the range lies in the text");
  if (begin < end && other.is_verbatim(begin, end)) {  // a long stretch at once
    const Span origin = other.span(begin, end);
    append(other.text_[begin], {origin.source, origin.begin, origin.begin + 1});
    text_.append(other.text_, begin + 1, end - begin - 1);
    runs_.back().end = origin.end;
    return;
  }
  for (std::size_t i = begin; i < end; ++i) append(other.text_[i], other.span(i, i + 1));
}

MappedText MappedText::part(std::size_t begin, std::size_t end) const {
  MappedText result;
  result.append(*this, begin, end);
  if (begin == end) result.append_opaque("", span(begin, end));
  return result;
}

}  // namespace assay
