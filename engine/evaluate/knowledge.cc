// Loads what is known from its source files. A fault in one pack does not hide those of the next,
// since whoever mends them wants to see all; nothing is used of knowledge that has a fault
// anywhere.
#include "engine/evaluate/knowledge.h"

#include <iterator>
#include <utility>

#include "engine/read/contract_reader.h"
#include "engine/read/dataset_reader.h"
#include "engine/read/pack_reader.h"

namespace assay {
namespace {

void load_pack(SourceSet& sources, const FileSystem& files, const std::string& folder,
               Knowledge& knowledge, Diagnostics& faults, Diagnostics& warnings) {
  Result<RulePack> pack = read_pack(sources, files, folder, warnings);
  if (!pack) return append(faults, std::move(pack.error()));
  Result<CompiledPackPtr> compiled = compile_pack(std::move(*pack), warnings);
  if (!compiled) return append(faults, std::move(compiled.error()));
  knowledge.packs.push_back(std::move(*compiled));
}

void load_contracts(SourceSet& sources, const FileSystem& files, const std::string& folder,
                    Knowledge& knowledge, Diagnostics& faults) {
  Result<std::vector<TensorContract>> contracts = read_contracts(sources, files, folder);
  if (!contracts) return append(faults, std::move(contracts.error()));
  for (TensorContract& contract : *contracts) {
    Result<CompiledContract> compiled = compile_contract(std::move(contract));
    if (compiled) {
      knowledge.contract_of_kernel.emplace(compiled->source.kernel, knowledge.contracts.size());
      knowledge.contracts.push_back(std::move(*compiled));
    } else {
      append(faults, std::move(compiled.error()));
    }
  }
}

}  // namespace

std::vector<const RulePack*> Knowledge::rule_packs() const {
  std::vector<const RulePack*> all;
  for (const CompiledPackPtr& pack : packs) all.push_back(&source_pack(*pack));
  return all;
}

const CompiledPack* Knowledge::find_pack(std::string_view name) const {
  for (const CompiledPackPtr& pack : packs)
    if (source_pack(*pack).name == name) return pack.get();
  return nullptr;
}

const CompiledContract* Knowledge::find_contract(std::string_view kernel) const {
  const auto found = contract_of_kernel.find(kernel);
  return found == contract_of_kernel.end() ? nullptr : &contracts[found->second];
}

Result<std::vector<std::string>> find_pack_folders(const FileSystem& files,
                                                   const std::string& rules_folder) {
  constexpr std::string_view kFile = "/pack.yaml";
  ASSAY_TRY(const std::vector<std::string> paths, files.list_files(rules_folder, kFile.substr(1)));
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    if (!path.ends_with(kFile)) continue;
    std::string folder = path.substr(0, path.size() - kFile.size());
    const bool is_direct = folder.size() > rules_folder.size() &&
                           folder.find('/', rules_folder.size() + 1) == std::string::npos;
    if (is_direct) folders.push_back(std::move(folder));
  }
  return folders;
}

Result<Knowledge> load_knowledge(SourceSet& sources, const FileSystem& files,
                                 const KnowledgeFolder& folder, Diagnostics& warnings,
                                 KnowledgeParts parts) {
  constexpr const char* kHelp = "a knowledge folder holds rules/<pack>/pack.yaml and dataset/";
  const bool has_rules = files.is_folder(folder.rules);
  const bool has_dataset = files.is_folder(folder.dataset);
  if (!has_rules && !has_dataset)
    return make_error(
        code::unreadable_file, {},
        "there is neither a folder `" + folder.rules + "` nor `" + folder.dataset + "`", kHelp);
  Knowledge knowledge;
  Diagnostics faults;
  if (has_rules && parts != KnowledgeParts::records) {
    ASSAY_TRY(const std::vector<std::string> packs, find_pack_folders(files, folder.rules));
    if (packs.empty())
      faults.push_back(make_error(code::unreadable_file, {},
                                  "no folder in `" + folder.rules + "` holds a pack.yaml", kHelp));
    for (const std::string& pack : packs)
      load_pack(sources, files, pack, knowledge, faults, warnings);
    if (parts == KnowledgeParts::all)
      load_contracts(sources, files, folder.kernels(), knowledge, faults);
  }
  if (has_dataset && parts != KnowledgeParts::rules) {
    Result<Dataset> dataset = read_dataset(sources, files, folder.dataset, warnings);
    if (dataset)
      knowledge.dataset = std::move(*dataset);
    else
      append(faults, std::move(dataset.error()));
  }
  if (!faults.empty()) return faults;
  return knowledge;
}

}  // namespace assay
