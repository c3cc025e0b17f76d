// What `assay serve` can be told.
#pragma once

#include <optional>
#include <string>

#include "tools/cli/option.h"

namespace assay::cli {

// Read by `assay`, which knows the settings, and by the program that serves.
struct ServeOptions {
  std::optional<std::string> host;
  std::optional<std::string> port;
  std::optional<std::string> token_file;
  std::optional<std::string> access_log;
  std::optional<std::string> max_connections;
  std::optional<std::string> max_log_mib;
  std::optional<std::string> request_timeout;
  std::optional<std::string> base_url;

  Syntax syntax();  // its targets are these
};

}  // namespace assay::cli
