// What one line of a log says once its wrapping is taken off.
#pragma once

#include <string_view>

namespace assay {

struct LogLine {
  std::string_view error_class;  // "ValueError", "torch.OutOfMemoryError"; empty when none is named
  std::string_view message;      // what follows it, else the line without clock, level and process
};

// Views look at `line`. Prefixes of several processes and clocks may be stacked; trailing blanks
// and pydantic's "[type=...]" tail are left out.
LogLine split_log_line(std::string_view line);

}  // namespace assay
