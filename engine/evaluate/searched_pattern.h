// A record's patterns, ready to be searched for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/compile/pattern_search.h"
#include "engine/model/error_record.h"
#include "engine/text/result.h"

namespace assay {

// One record, at the same place of its list.
struct SearchedPattern {
  const ErrorRecord* record = nullptr;
  std::size_t at = 0;
  std::optional<PatternSearch> pattern;  // none in a bundle's record that no pack would write
  std::optional<PatternSearch> context;  // the whole line must match this one too
  std::size_t line_feeds = 0;            // in the pattern's literals: the message has more lines

  // Errors: bad_pattern, at the record's pattern.
  static Result<SearchedPattern> compile(const ErrorRecord& record, std::size_t at);
};

// What a pattern is looked up by: its own literals, or those of its context. Split at line ends,
// since a line is found by what stands in it.
std::vector<std::string> literals_to_scan_for(const SearchedPattern& entry);

}  // namespace assay
