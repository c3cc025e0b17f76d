// The launches that a log shows - a command, `non-default args`, a ServerArgs(...) dump - held
// against the rules.
#pragma once

#include <span>
#include <string_view>

#include "engine/base/cancellation.h"
#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/explanation.h"
#include "engine/text/source.h"

namespace assay {

// Whether a launch may stand in `text`.
bool shows_launch(std::string_view text);
inline constexpr std::size_t kLaunchBytes = 16u << 20;  // of a log that are looked at for launches

// Puts the launches of explanation.launch_texts that break a rule into `explanation` and weighs
// them against its errors. At most 16 different ones are checked. What is read is added to
// `sources`, which, like the packs, must outlive the explanation.
//
// Left out are findings that a run which got this far disproves: faults of the argument parser,
// and, on a dump of resolved values, checks of values that a later step of the engine writes
// itself.
//
// `cancellation` is looked at before each launch and each trial of a repair.
void explain_launches(std::span<const CompiledPackPtr> packs, SourceSet& sources, bool mask,
                      Explanation& explanation, const Cancellation* cancellation = nullptr);

}  // namespace assay
