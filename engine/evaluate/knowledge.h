// Everything known, ready to use: the packs of rules/ compiled, the records of dataset/ read.
#pragma once

#include <string>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/model/dataset.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// The folders of a knowledge folder.
struct KnowledgeFolder {
  std::string root;

  std::string rules() const { return below("rules"); }
  std::string dataset() const { return below("dataset"); }
  std::string gpu_table() const { return below("rules/gpus.yaml"); }
  std::string below(std::string_view name) const {
    return root.empty() ? std::string(name) : root + "/" + std::string(name);
  }
};

// Immutable once loaded; safe to share between threads, together with the sources it was read into.
struct Knowledge {
  std::vector<CompiledPackPtr> packs;  // by name
  Dataset dataset;

  std::vector<const RulePack*> rule_packs() const;
  const CompiledPack* find_pack(std::string_view name) const;  // null when there is none
};

// The folders below `rules_folder` that hold a pack.yaml, sorted.
Result<std::vector<std::string>> find_pack_folders(const FileSystem& files,
                                                   const std::string& rules_folder);

// All faults of all packs and records are reported together; with one, nothing is returned.
// Errors: those of read_pack, compile_pack and read_dataset; unreadable_file where there is no
// pack.
Result<Knowledge> load_knowledge(SourceSet& sources, const FileSystem& files,
                                 const KnowledgeFolder& folder, Diagnostics& warnings);

}  // namespace assay
