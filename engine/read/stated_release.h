// The release of an engine that a log says it runs: an image's tag, what pip installed, a version
// line of the engine or of its environment report.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/given_fact.h"

namespace assay {

struct StatedRelease {
  std::string release;    // "0.5.21"
  std::size_t begin = 0;  // bytes of the text: what says it
  std::size_t end = 0;
};

// Every place of `text` that states the release of the engine `name` ("sglang"), in the order of
// the text. At most 64 are looked for.
std::vector<StatedRelease> find_stated_releases(std::string_view text, std::string_view name);

// The one that holds for a launch at `launch`: the last one before it, else the one behind it where
// no other contradicts. Null: nobody says it, or several say different things.
const StatedRelease* release_stated_for(const std::vector<StatedRelease>& stated,
                                        std::size_t launch);

// It as a fact of a launch. `source` holds the text, which is line `line` of what the user sees.
GivenFact release_fact(const StatedRelease& stated, SourceId source, std::size_t line);

}  // namespace assay
