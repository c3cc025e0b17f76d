// What to say to a value that is none of an argument's choices.
#pragma once

#include <string>
#include <string_view>

#include "engine/read/pack_release.h"

namespace assay {

// Which releases take it, which choice is meant, or who could add it; may be empty.
std::string help_on_choice(const PackRelease& release, FactId fact, std::string_view value);

}  // namespace assay
