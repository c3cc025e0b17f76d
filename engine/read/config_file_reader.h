// Reads the YAML file of arguments that an engine's config flag names.
#pragma once

#include <string>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/file_system.h"
#include "engine/text/source.h"

namespace assay {

// Appends the file's arguments and their faults to `launch`. A file that cannot be read is a fault
// at `flag_value`, where the command names it.
void read_config_file(SourceSet& sources, const FileSystem& files, const std::string& path,
                      const PackRelease& release, Span flag_value, Launch& launch);

}  // namespace assay
