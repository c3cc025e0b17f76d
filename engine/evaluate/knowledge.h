// Everything known, ready to use: the packs and kernel contracts of rules/ compiled, the records of
// dataset/ read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/lazy_list.h"
#include "engine/base/name_index.h"
#include "engine/compile/bundle_reader.h"
#include "engine/compile/compiled_contract.h"
#include "engine/compile/compiled_pack.h"
#include "engine/model/dataset.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

inline constexpr std::size_t kMaxTableBytes = 4u << 20;

// Where knowledge is read from; either may be empty, and one that does not exist holds nothing.
struct KnowledgeFolder {
  std::string rules;    // holds <pack>/pack.yaml, kernels/<kernel>.yaml and gpus.yaml
  std::string dataset;  // holds <project>/<slug>.json

  // The folder that holds both: `root`/rules and `root`/dataset. The empty root is the current
  // folder.
  static KnowledgeFolder below(const std::string& root) {
    const std::string prefix = root.empty() ? "" : root + "/";
    return {prefix + "rules", prefix + "dataset"};
  }
  std::string kernels() const { return rules + "/kernels"; }
  // Tables beside packs and records, of at most kMaxTableBytes.
  std::string gpu_table() const { return rules + "/gpus.yaml"; }
  std::string model_table() const { return rules + "/models.yaml"; }
  std::string matrix_table() const { return rules + "/matrices.yaml"; }
  std::string retirement() const { return dataset + "/retired.yaml"; }
};

// The tables beside packs and records, where they were read (knowledge_tables.h).
struct KnowledgeTables {
  std::optional<SourceId> gpus;
  std::optional<SourceId> models;
  std::optional<SourceId> matrices;
  std::optional<SourceId> retirement;
};

// Immutable once loaded; safe to share between threads, together with the sources it was read into.
// Of knowledge from a bundle (knowledge_bundle.h) most is read when it is first asked for.
struct Knowledge {
  // The bundle it is read from, and how; null for knowledge from source files.
  std::unique_ptr<const BundleFile> bundle;
  std::unique_ptr<const BundleReading> reading;

  std::vector<CompiledPackPtr> packs;    // by name
  LazyList<CompiledContract> contracts;  // by kernel
  NameIndex<std::size_t> contract_of_kernel;
  Dataset dataset;
  KnowledgeTables tables;  // of a bundle

  std::vector<const RulePack*> rule_packs() const;
  const CompiledPack* find_pack(std::string_view name) const;  // null when there is none
  const CompiledContract* find_contract(std::string_view kernel) const;
  // What was found to be wrong with the bundle so far: whoever gives an answer looks here before.
  Diagnostics damage() const { return bundle == nullptr ? Diagnostics() : bundle->damage(); }
};

// The folders below `rules_folder` that hold a pack.yaml, sorted.
Result<std::vector<std::string>> find_pack_folders(const FileSystem& files,
                                                   const std::string& rules_folder);

// What is loaded. Explaining a log needs the records alone, and checking a launch only those of
// what it finds (read_records).
enum class KnowledgeParts : std::uint8_t { all, without_contracts, rules, records };

// All faults of all packs and records are reported together; with one, nothing is returned.
// Errors: those of read_pack, compile_pack, read_contracts, compile_contract and read_dataset;
// unreadable_file where there is no pack.
Result<Knowledge> load_knowledge(SourceSet& sources, const FileSystem& files,
                                 const KnowledgeFolder& folder, Diagnostics& warnings,
                                 KnowledgeParts parts = KnowledgeParts::all);

}  // namespace assay
