// A closed pipe is a write that fails, no signal: what is left to be said is then still said
// elsewhere.
#include "tools/cli/program.h"

#include <csignal>
#include <exception>
#include <new>

#include "tools/cli/exit_code.h"

namespace assay::cli {

int run_main(int argc, char** argv, int (*run)(Session&, const std::vector<std::string>&)) {
  std::signal(SIGPIPE, SIG_IGN);
  Session session;
  try {
    const int status = run(session, std::vector<std::string>(argv + 1, argv + argc));
    return session.console.finish() ? status : kNoAnswer;
  } catch (const std::bad_alloc&) {
    session.console.write_error("error: out of memory\n");
  } catch (const std::exception& fault) {
    session.console.write_error(std::string("error: internal fault: ") + fault.what() + "\n");
  }
  return kNoAnswer;
}

}  // namespace assay::cli
