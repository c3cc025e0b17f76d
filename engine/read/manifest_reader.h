// Finds the containers of Kubernetes and compose manifests and reads the engines they start.
#pragma once

#include <vector>

#include "engine/read/launch_reader.h"
#include "engine/text/document.h"

namespace assay {

// Every launch of any container, wherever in the documents it stands; where there is none, of
// commands and flags under other names (values_reader.h). Faults of the YAML text come
// back as errors; not_a_launch when no container starts a known engine.
Result<std::vector<Launch>> read_manifest(SourceSet& sources, SourceId source,
                                          const LaunchReading& reading, Diagnostics& warnings);
// Does the document look like a manifest (an object with a kind, containers, or services)?
bool is_manifest(const Node& document);
// A list of words as one command; the launches it makes.
std::vector<Launch> read_word_list(SourceSet& sources, const Node& list,
                                   const LaunchReading& reading, Diagnostics& warnings);

}  // namespace assay
