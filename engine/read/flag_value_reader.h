// Converts the words behind a flag as the engine's parser does.
#pragma once

#include <span>
#include <string>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/shell_words.h"
#include "engine/text/source.h"

namespace assay {

struct FlagValue {
  std::string text;
  Span span;
  const ShellWord* word = nullptr;
  std::size_t text_at = 0;  // where it starts in the word
};

// Puts the value into `argument`, whose spelling and spans are set, and adds to launch.faults what
// the parser refuses. `argument.fact` is one of the release's; `name` is how the parser calls the
// argument. `flag` is the one in front of the values, null where they stand alone. A value that is
// not known here or cannot be read stays as text.
void read_flag_value(SourceSet& sources, const PackRelease& release, const std::string& name,
                     const Flag* flag, std::span<const FlagValue> values, LaunchArgument& argument,
                     Launch& launch);

}  // namespace assay
