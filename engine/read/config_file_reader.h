// Reads the YAML file of arguments that an engine's config flag names.
#pragma once

#include <string>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/file_system.h"
#include "engine/text/source.h"

namespace assay {

struct NamedConfigFile {
  std::string path;
  Span named_at;                      // where the command names it
  const FileSystem* files = nullptr;  // null: it is a file of another machine
  bool is_of_this_machine = false;    // the launch runs here: a file that is missing is a fault
};

// Appends the file's arguments and their faults to `launch`, as the engine's own parser would meet
// them. What the engine refuses of the file is a fault where the command names it. A file that may
// lie elsewhere and is not here leaves launch.has_unseen_arguments.
void read_config_file(SourceSet& sources, const NamedConfigFile& file, const PackRelease& release,
                      Launch& launch);

}  // namespace assay
