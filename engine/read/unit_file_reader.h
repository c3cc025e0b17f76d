// Reads what the services of systemd start: ExecStart= of a unit file.
#pragma once

#include <string_view>
#include <vector>

#include "engine/read/launch_reader.h"

namespace assay {

// Every ExecStart=, with what Environment= sets; not_a_launch when none starts a known engine.
Result<std::vector<Launch>> read_unit_file(SourceSet& sources, SourceId source,
                                           const LaunchReading& reading, Diagnostics& warnings);
// Does a text with this first line (comments left out) look like a unit file?
bool is_unit_file(std::string_view first_line);

}  // namespace assay
