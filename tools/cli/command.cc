// What several verbs share besides their session.
#include "tools/cli/command.h"

#include <utility>

#include "tools/cli/exit_code.h"

namespace assay::cli {

int usage_fault(Session& session, std::string message, std::string help) {
  session.console.show({make_error(code::bad_usage, {}, std::move(message), std::move(help))},
                       session.sources);
  return kNoAnswer;
}

}  // namespace assay::cli
