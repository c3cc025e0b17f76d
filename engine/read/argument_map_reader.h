// Reads a YAML or JSON map of arguments: an engine's config file, /server_info, somebody's own
// notes.
#pragma once

#include <string_view>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/document.h"

namespace assay {

enum class UnknownKeys : std::uint8_t {
  refused,  // a fault each, with "did you mean"
  ignored,  // the map holds other things as well, or is of another version, so that what any
            // release has is taken
};

enum class MapUse : std::uint8_t {
  config_file,  // each entry becomes a flag of the command line
  keywords,     // they are handed to the engine's class, which takes 1 and 0 for bools
};

// Appends to launch.arguments and launch.faults. A key is a field name or a flag, with or without
// dashes in front, with underscores or dashes within. Faults: unknown_key, invalid_flag_value;
// deprecated_flag as a warning.
void read_argument_map(const Node& map, const PackRelease& release, UnknownKeys unknown_keys,
                       MapUse use, Launch& launch);
// The field name that `key` would be if it were one: no dashes.
std::string plain_key(std::string_view key);
// The argument closest to an unknown key, spelt as the key is; empty when none is close.
std::string closest_key(const PackRelease& release, std::string_view key);
// Does `key` name an argument of some release, as a field or as a flag?
bool names_argument(std::string_view key, const RulePack& pack);
// How many keys of `map` name arguments of `pack`.
std::size_t count_arguments(const Node& map, const RulePack& pack);

}  // namespace assay
