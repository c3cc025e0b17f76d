// Reads the arguments an engine printed itself: ServerArgs(...) and `non-default args: {...}` in a
// log, /server_info JSON.
#pragma once

#include <vector>

#include "engine/read/launch_reader.h"
#include "engine/text/document.h"

namespace assay {

// Every different dump of a log (ranks print the same one). Fields that no pack's argument has are
// passed over, with a note. Empty when there is none. Where the reading tells no release, each is
// of the one that the log states for it (stated_release.h); `first_line` is that of the source in
// what the user sees.
std::vector<Launch> read_dumps(const SourceSet& sources, SourceId source,
                               const LaunchReading& reading, Diagnostics& warnings,
                               std::size_t first_line = 1);
bool holds_dump(std::string_view text);
// What /server_info answers; not_a_launch when hardly a key names an argument.
Result<std::vector<Launch>> read_server_info(const Node& document, const LaunchReading& reading,
                                             Diagnostics& warnings);
bool is_server_info(const Node& document);
// The pack most of whose arguments the map names, and how many; null when there is none.
const RulePack* closest_pack(const Node& map, std::span<const RulePack* const> packs,
                             std::size_t& named);

}  // namespace assay
