// Where the knowledge is.
#pragma once

#include <optional>
#include <string>

#include "engine/evaluate/knowledge.h"
#include "engine/text/result.h"
#include "tools/cli/command.h"

namespace assay::cli {

// The folder the user named (--knowledge and what stands for it), else `../share/assay` seen from
// the program's own folder: the installed data, or in a build folder a link to the source tree.
// Below the current folder it is named relative to it. Errors: unreadable_file.
Result<KnowledgeFolder> find_knowledge(const std::optional<std::string>& named,
                                       const FileSystem& files);

// Finds and loads it. Faults are shown; then nothing is returned. Warnings are for `assay lint` to
// show.
std::optional<Knowledge> open_knowledge(Session& session);

}  // namespace assay::cli
