// A context's literals serve where the pattern's own are too short to be looked for: its lines are
// few, and the pattern is tried on each of them.
#include "engine/evaluate/searched_pattern.h"

#include <algorithm>
#include <string_view>

#include "engine/compile/literal_tables.h"
#include "engine/text/byte_scan.h"

namespace assay {

Result<SearchedPattern> SearchedPattern::compile(const ErrorRecord& record, std::size_t at) {
  SearchedPattern entry;
  entry.record = &record;
  entry.at = at;
  ASSAY_TRY(entry.pattern, PatternSearch::compile(record.message_pattern, record.pattern_span));
  if (record.context) {
    ASSAY_TRY(entry.context, PatternSearch::compile(*record.context, record.span));
  }
  for (const std::string& literal : entry.pattern->literals())
    entry.line_feeds += count_line_feeds(literal);
  return entry;
}

std::vector<std::string> literals_to_scan_for(const SearchedPattern& entry) {
  std::vector<std::string> lines;
  std::size_t longest = 0;
  const auto add = [&](const PatternSearch& pattern) {
    for (std::string_view rest : pattern.literals()) {
      for (std::size_t end = 0; end != std::string_view::npos;) {
        end = rest.find_first_of("\r\n");
        lines.emplace_back(rest.substr(0, end));
        longest = std::max(longest, lines.back().size());
        if (end != std::string_view::npos) rest.remove_prefix(end + 1);
      }
    }
  };
  add(*entry.pattern);
  if (longest < kFastLiteralBytes && entry.context) add(*entry.context);
  return lines;
}

}  // namespace assay
