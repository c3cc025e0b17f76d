// What the `main` of both programs does around their work.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace assay::cli {

// Calls `run` with a session and the words behind the program's name, writes out what it said, and
// returns the exit status. A fault that is thrown is said, and kNoAnswer.
int run_main(int argc, char** argv, int (*run)(Session&, const std::vector<std::string>&));

}  // namespace assay::cli
