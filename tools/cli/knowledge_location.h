// Where the knowledge is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/text/result.h"
#include "tools/cli/command.h"

namespace assay::cli {

struct KnowledgePlace {
  KnowledgeFolder folder;           // of the source files; both empty for a bundle the user named
  std::string root;                 // what the names of the source files begin with
  std::string bundle;               // the bundle to open in place of them; empty: none
  bool is_bundle_optional = false;  // it counts only while no source file differs
  // Read and checked as a whole when it is opened: the file may change while the knowledge is used.
  bool is_bundle_copied = false;
};

// What the user named (--knowledge and what stands for it), a folder or a bundle; else
// `../share/assay` seen from the program's own folder: the installed data with its bundle, or in a
// build folder a link to the source tree, and the bundle beside the program. Below the current
// folder it is named relative to it. Errors: unreadable_file.
Result<KnowledgePlace> find_knowledge(const std::optional<std::string>& named);

// The knowledge in the place's bundle; nothing where there is none that counts. Errors: those of
// open_bundle, where the bundle is all there is.
Result<std::optional<Knowledge>> open_bundle_of(const KnowledgePlace& place, Session& session);

// Loads it. Errors: also those of open_bundle and load_knowledge.
Result<Knowledge> load_knowledge(Session& session, const KnowledgePlace& place,
                                 KnowledgeParts parts, Diagnostics& warnings);

// Finds and loads it. Faults are shown; then nothing is returned. Warnings are for `assay lint` to
// show.
std::optional<Knowledge> open_knowledge(Session& session,
                                        KnowledgeParts parts = KnowledgeParts::all);

// Whether what was read of a bundle so far is whole; else that is shown. To be asked before an
// answer is given.
bool is_whole(const Knowledge& knowledge, Session& session);

// What `lint` and `test` are asked about.
struct KnowledgeSelection {
  KnowledgeFolder folder;
  std::string bundle;              // in place of the folder; all of it is selected
  std::vector<std::string> paths;  // files, and folders without "/" at the end; empty: everything

  bool covers(const std::string& path) const;  // a path as the readers name it
};

// `paths` are knowledge folders, or packs, datasets, or files in them; all of one knowledge folder.
// Without any, the selection is all of find_knowledge. Errors: unreadable_file, bad_usage.
Result<KnowledgeSelection> select_knowledge(const std::optional<std::string>& named,
                                            const std::vector<std::string>& paths,
                                            const FileSystem& files);

// All of the knowledge that the selection is of.
Result<Knowledge> load_selected(Session& session, const KnowledgeSelection& selection,
                                Diagnostics& warnings);

// What the selection names that holds no rule, contract, record or other file that was loaded.
// Errors: empty_input.
Diagnostics find_empty_paths(const KnowledgeSelection& selection, const Knowledge& knowledge,
                             const SourceSet& sources);

// Warns of what stands in the knowledge folder and is not read: links to folders and to nothing,
// what is no regular file, files with another ending.
Diagnostics find_passed_over(const KnowledgeFolder& folder, const FileSystem& files);

}  // namespace assay::cli
