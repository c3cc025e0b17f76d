// Runs a command in front of the user, and keeps the end of what it printed.
#pragma once

#include <string>
#include <vector>

#include "engine/text/result.h"

namespace assay::cli {

struct ChildOutcome {
  int exit_status = 0;      // 128 + n when signal n ended it
  std::string output_tail;  // the last bytes of standard output and standard error, as they came
  bool tail_is_cut = false;
};

// Passes the command's output through to ours as it comes, and the signals that ask to end (INT,
// TERM, HUP, QUIT) and USR1, USR2 on to it, until it has ended and its output is closed. Its
// standard input is ours. Errors: cannot_run, with kNotFound or kNotExecutable in `exit_status`.
Result<ChildOutcome> run_child(const std::vector<std::string>& words, std::size_t tail_bytes,
                               int& exit_status);

}  // namespace assay::cli
