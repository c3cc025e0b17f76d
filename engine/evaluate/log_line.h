// What one line of a log says once its wrapping is taken off.
#pragma once

#include <string_view>
#include <vector>

namespace assay {

struct LogLine {
  std::string_view error_class;  // "ValueError", "torch.OutOfMemoryError"; empty when none is named
  std::string_view message;      // what follows it, else the line without clock, level and process
};

// Views look at `line`. Prefixes of several processes and clocks may be stacked; trailing blanks
// and pydantic's "[type=...]" tail are left out.
LogLine split_log_line(std::string_view line);

// Replaces `records` by those that a line consists of: more than one where a log's records are
// glued together, because a progress bar ended without its line end, several processes wrote at
// once, or the line ends were lost. A record begins with a clock in brackets, or a level and a
// clock, and the processes in front of them; what stands before the first one is a record as well.
void split_glued_records(std::string_view line, std::vector<std::string_view>& records);

}  // namespace assay
