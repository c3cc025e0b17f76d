// The options that every verb takes.
#include "tools/cli/option.h"

namespace assay::cli {

std::vector<Option> common_option_table(CommonOptions& common) {
  return {
      {.name = "knowledge",
       .target = &common.knowledge,
       .placeholder = "PATH",
       .help =
           "Folder that holds rules/ and dataset/, or a bundle of them (default: what came with "
           "the program)",
       .is_path = true},
      {.name = "color",
       .target = &common.color,
       .placeholder = "WHEN",
       .help = "Colours: auto, always or never; beats NO_COLOR and FORCE_COLOR",
       .choices = {"auto", "always", "never"}},
      {.name = "help",
       .target = &common.help,
       .placeholder = "",
       .help = "Print help and exit",
       .is_setting = false,
       .letter = 'h'},
      {.name = "version",
       .target = &common.version,
       .placeholder = "",
       .help = "Print the version and exit",
       .is_setting = false},
  };
}

}  // namespace assay::cli
