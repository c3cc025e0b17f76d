// What to say of an option that is none of the engine's.
#pragma once

#include <optional>
#include <string>

#include "engine/read/flag_lookup.h"

namespace assay {

struct UnknownFlag {
  std::string message;             // as argparse words it
  std::string help;                // what may have been meant; may be empty
  std::optional<FlagMatch> meant;  // what was meant is plain: the word is read as this
  bool takes_no_value = false;     // as what it was most likely meant for
};

// `match`: what match_flag says of `word`, ambiguous or unknown. `may_search`: look for the closest
// of all flags too, which takes its time.
UnknownFlag judge_unknown_flag(const PackRelease& release, const std::string& word,
                               const FlagMatch& match, bool may_search);

}  // namespace assay
