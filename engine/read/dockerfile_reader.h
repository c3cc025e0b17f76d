// Reads what the containers of a Dockerfile start: ENTRYPOINT and CMD, as a JSON list or in shell
// form.
#pragma once

#include <string_view>
#include <vector>

#include "engine/read/launch_reader.h"

namespace assay {

// Of each stage the last ENTRYPOINT and the last CMD, with what ENV sets before them; not_a_launch
// when no stage starts a known engine.
Result<std::vector<Launch>> read_dockerfile(SourceSet& sources, SourceId source,
                                            const LaunchReading& reading, Diagnostics& warnings);
// Does a text with this first line (comments left out) look like a Dockerfile?
bool is_dockerfile(std::string_view first_line);

}  // namespace assay
