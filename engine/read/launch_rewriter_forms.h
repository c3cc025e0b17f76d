// The forms a launch is rewritten in; launch_rewriter.h chooses.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/read/launch_rewriter.h"

namespace assay {

// Nothing: this launch cannot be edited in place.
std::optional<std::string> rewrite_shell(const SourceSet& sources, const RulePack& pack,
                                         const Launch& launch, std::span<const LaunchEdit> edits);
std::optional<std::string> rewrite_word_list(const SourceSet& sources, const RulePack& pack,
                                             const Launch& launch,
                                             std::span<const LaunchEdit> edits);
std::optional<std::string> rewrite_map(const SourceSet& sources, const RulePack& pack,
                                       const Launch& launch, std::span<const LaunchEdit> edits);
std::string rewrite_map_parts(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                              std::span<const PartEdit> edits);
std::string rewrite_word_list_parts(const SourceSet& sources, const RulePack& pack,
                                    const Launch& launch, std::span<const PartEdit> edits);
// A new command with the launch's arguments, edited; of a resolved launch those that differ from
// their defaults.
std::string write_fresh_command(const RulePack& pack, const Launch& launch,
                                std::span<const LaunchEdit> edits);

}  // namespace assay
