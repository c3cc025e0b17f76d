// Compiling tells every pattern that is refused, by its place; a record is one file, so the file of
// the place names the record. The matcher is compiled again from the rest: a fault costs time, and
// only then.
#include "engine/evaluate/usable_matcher.h"

#include <set>

namespace assay {

Result<MessageMatcher> compile_usable_matcher(Dataset& dataset, Diagnostics& warnings) {
  Result<MessageMatcher> matcher = MessageMatcher::compile(dataset);
  if (matcher) return matcher;
  std::set<SourceId> broken;
  for (const Diagnostic& fault : matcher.error()) broken.insert(fault.span.source);
  Dataset usable;
  usable.version = dataset.version;
  for (const ErrorRecord& record : dataset.records) {
    if (broken.contains(record.span.source)) continue;
    usable.by_id.emplace(record.id, usable.records.size());
    usable.records.push_back(record);
  }
  if (usable.records.empty()) return matcher;
  for (Diagnostic& fault : matcher.error()) {
    fault.severity = Severity::warning;
    warnings.push_back(std::move(fault));
  }
  dataset = std::move(usable);
  return MessageMatcher::compile(dataset);
}

}  // namespace assay
