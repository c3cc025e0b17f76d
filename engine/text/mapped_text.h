// A text that was decoded from a source (unquoted, unfolded, unescaped), and where each of its
// bytes stands there. It keeps places right through `bash -c '...'` inside a block scalar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/span.h"

namespace assay {

class MappedText {
 public:
  MappedText() = default;
  // The bytes of `text` as they stand at `begin` in `source`.
  static MappedText verbatim(SourceId source, std::uint32_t begin, std::string_view text);
  // A text whose bytes all come from the whole of `span`.
  static MappedText opaque(Span span, std::string_view text);

  const std::string& text() const { return text_; }
  SourceId source() const { return source_; }
  // The source bytes behind text()[begin, end); for an empty range the place before `begin`.
  Span span(std::size_t begin, std::size_t end) const;
  Span span() const { return span(0, text_.size()); }
  // True when [begin, end) stands in the source byte by byte, so that it can be read in place.
  bool is_verbatim(std::size_t begin, std::size_t end) const;
  bool is_verbatim() const { return is_verbatim(0, text_.size()); }

  // Adds one byte that stands for `origin` (its own byte when the origin is one byte long).
  void append(char byte, Span origin);
  // Adds bytes that all stand for the whole of `origin`.
  void append_opaque(std::string_view bytes, Span origin);
  // Adds other.text()[begin, end) with its places.
  void append(const MappedText& other, std::size_t begin, std::size_t end);
  MappedText part(std::size_t begin, std::size_t end) const;

 private:
  // Text bytes from `text_begin` up to the next run. An exact run stands in the source byte by
  // byte from `begin`; in any other each byte stands for all of [begin, end).
  struct Run {
    std::uint32_t text_begin;
    std::uint32_t begin;
    std::uint32_t end;
    bool is_exact;
  };
  const Run& run_at(std::size_t position) const;

  std::string text_;
  SourceId source_ = kNoSource;
  std::vector<Run> runs_;
};

}  // namespace assay
