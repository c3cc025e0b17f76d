// The records' patterns for the pages that find known errors in pasted text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/dataset.h"
#include "engine/report/site_document.h"

namespace assay {

// Of one record, as JSON for its page: `{"message": ..., "pattern": ..., "context": ...}`. Empty
// when the pattern is not for browsers (compile/browser_pattern.h).
std::string browser_pattern_of(const ErrorRecord& record);

struct LogPatterns {
  std::string script;  // the file `log-patterns.js`
  // Those that a browser cannot find, with the reason.
  struct LeftOut {
    const ErrorRecord* record = nullptr;
    std::string reason;
  };
  std::vector<LeftOut> left_out;
};
LogPatterns log_patterns(const Dataset& dataset);

// The page "explain/index", on which a log is pasted; `records` is the dataset's size.
SitePage log_page(const LogPatterns& patterns, std::size_t records);

}  // namespace assay
