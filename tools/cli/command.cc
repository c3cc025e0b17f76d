// What several verbs share besides their session.
#include "tools/cli/command.h"

#include <utility>

#include "tools/cli/exit_code.h"

namespace assay::cli {

std::string counted(std::size_t count, std::string_view noun, std::string_view none) {
  const std::string number = count == 0 ? std::string(none) : std::to_string(count);
  return number + " " + std::string(noun) + (count == 1 ? "" : "s");
}

int usage_fault(Session& session, std::string message, std::string help) {
  session.console.show({make_error(code::bad_usage, {}, std::move(message), std::move(help))},
                       session.sources);
  return kNoAnswer;
}

}  // namespace assay::cli
