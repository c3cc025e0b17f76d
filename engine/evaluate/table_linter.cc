// A check reads a table only when a launch needs it, and then only to look one thing up; here both
// are read whole.
#include "engine/evaluate/table_linter.h"

#include <algorithm>

#include "engine/read/gpu_table.h"
#include "engine/read/model_table.h"

namespace assay {
namespace {

Diagnostics lint_models(const std::vector<PublicModel>& table, const Knowledge& knowledge) {
  Diagnostics found;
  for (const PublicModel& model : table)
    for (const Entry& fact : model.facts) {
      const bool is_known = std::ranges::any_of(knowledge.packs, [&](const CompiledPackPtr& pack) {
        return source_pack(*pack).schema.find(fact.key) != nullptr;
      });
      if (!is_known)
        found.push_back(make_error(code::unknown_fact, fact.key_span,
                                   "`" + fact.key + "` is no fact of any pack"));
    }
  return found;
}

}  // namespace

Diagnostics lint_tables(SourceSet& sources, const FileSystem& files, const KnowledgeFolder& folder,
                        const Knowledge& knowledge) {
  Diagnostics found;
  // Gives a table that is there to `read`, which returns its faults.
  const auto look_at = [&](const std::string& path, auto&& read) {
    if (!files.is_file(path)) return;
    const Result<SourceId> source = add_file(sources, files, path, kMaxTableBytes);
    append(found, source ? read(*source) : source.error());
  };
  look_at(folder.gpu_table(), [&](SourceId source) {
    const auto table = read_gpu_table(sources, source);
    return table ? Diagnostics() : table.error();
  });
  look_at(folder.model_table(), [&](SourceId source) {
    const auto table = read_model_table(sources, source);
    return table ? lint_models(*table, knowledge) : table.error();
  });
  return found;
}

}  // namespace assay
