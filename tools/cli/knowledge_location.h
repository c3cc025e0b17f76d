// Where the knowledge is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/text/result.h"
#include "tools/cli/command.h"

namespace assay::cli {

// The folder the user named (--knowledge and what stands for it), else `../share/assay` seen from
// the program's own folder: the installed data, or in a build folder a link to the source tree.
// Below the current folder it is named relative to it. Errors: unreadable_file.
Result<KnowledgeFolder> find_knowledge(const std::optional<std::string>& named);

// Finds and loads it. Faults are shown; then nothing is returned. Warnings are for `assay lint` to
// show.
std::optional<Knowledge> open_knowledge(Session& session,
                                        KnowledgeParts parts = KnowledgeParts::all);

// What `lint` and `test` are asked about.
struct KnowledgeSelection {
  KnowledgeFolder folder;
  std::vector<std::string> paths;  // files, and folders without "/" at the end; empty: everything

  bool covers(const std::string& path) const;  // a path as the readers name it
};

// `paths` are knowledge folders, or packs, datasets, or files in them; all of one knowledge folder.
// Without any, the selection is all of find_knowledge. Errors: unreadable_file, bad_usage.
Result<KnowledgeSelection> select_knowledge(const std::optional<std::string>& named,
                                            const std::vector<std::string>& paths,
                                            const FileSystem& files);

// What the selection names that holds no rule, contract, record or other file that was loaded.
// Errors: empty_input.
Diagnostics find_empty_paths(const KnowledgeSelection& selection, const Knowledge& knowledge,
                             const SourceSet& sources);

// Warns of what stands in the knowledge folder and is not read: links to folders and to nothing,
// what is no regular file, files with another ending.
Diagnostics find_passed_over(const KnowledgeFolder& folder, const FileSystem& files);

}  // namespace assay::cli
