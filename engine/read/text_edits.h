// Replacements in a stretch of a source, applied together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/source.h"

namespace assay {

// Where a further line of a YAML block goes that is added behind the item ending at `at`: behind a
// comment on the same line, else there.
std::uint32_t end_with_comment(std::string_view text, std::uint32_t at);

class TextEdits {
 public:
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text)});
  }
  void insert(std::uint32_t at, std::string text) { replace(at, at, std::move(text)); }
  void remove(std::uint32_t begin, std::uint32_t end) { replace(begin, end, {}); }

  // Of a flow collection, [a, b] or {a: b}: an item goes, and one of the commas around it; items
  // are added behind the last one, at `at`, with `separator` before them unless no other item is
  // left. Which comma goes is only known when all edits are, so any number of items may go
  // together.
  void remove_flow_item(std::uint32_t begin, std::uint32_t end) {
    flow_removals_.push_back({begin, end, {}});
  }
  void append_flow_item(std::uint32_t at, std::string separator, std::string text) {
    flow_additions_.push_back({at, std::move(separator), std::move(text)});
  }

  // The bytes of `span` with all edits. Those that begin at one place keep their order; of
  // overlapping ones the later begins where the earlier ends.
  std::string apply(const SourceSet& sources, Span span) const;

 private:
  struct Edit {
    std::uint32_t begin;
    std::uint32_t end;
    std::string text;
  };
  struct FlowAddition {
    std::uint32_t at;
    std::string separator;
    std::string text;
  };
  static void remove_comment(std::string_view text, std::uint32_t begin, std::uint32_t end,
                             std::vector<Edit>& edits);
  void resolve_flow_items(std::string_view text, std::vector<Edit>& edits) const;

  std::vector<Edit> edits_;
  std::vector<Edit> flow_removals_;
  std::vector<FlowAddition> flow_additions_;
};

}  // namespace assay
