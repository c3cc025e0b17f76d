// Replacements in a stretch of a source, applied together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/source.h"

namespace assay {

class TextEdits {
 public:
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text)});
  }
  void insert(std::uint32_t at, std::string text) { replace(at, at, std::move(text)); }
  void remove(std::uint32_t begin, std::uint32_t end) { replace(begin, end, {}); }

  // The bytes of `span` with all edits. Those that begin at one place keep their order; of
  // overlapping ones the later begins where the earlier ends.
  std::string apply(const SourceSet& sources, Span span) const;

 private:
  struct Edit {
    std::uint32_t begin;
    std::uint32_t end;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace assay
