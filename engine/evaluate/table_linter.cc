// A check reads a table only when a launch needs it, and then only to look one thing up; here all
// are read whole.
#include "engine/evaluate/table_linter.h"

#include <algorithm>

#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/support_matrix.h"
#include "engine/read/gpu_table.h"
#include "engine/read/model_table.h"
#include "engine/read/retirement_reader.h"

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
  KnowledgeTables tables = knowledge.tables;
  for (const TablePlace& place : table_places(folder)) {
    if (tables.*place.table || !files.is_file(place.path)) continue;
    const Result<SourceId> source = add_file(sources, files, place.path, kMaxTableBytes);
    if (source)
      tables.*place.table = *source;
    else
      append(found, source.error());
  }
  if (tables.gpus)
    if (const auto table = read_gpu_table(sources, *tables.gpus); !table)
      append(found, table.error());
  if (tables.models) {
    const auto table = read_model_table(sources, *tables.models);
    append(found, table ? lint_models(*table, knowledge) : table.error());
  }
  // Its cells are computed from the other tables: a fault of those is said already.
  if (tables.matrices && found.empty()) {
    const auto matrices = read_matrix_table(sources, *tables.matrices);
    const auto support = matrices ? compute_support(knowledge, tables, *matrices, sources)
                                  : Result<std::vector<SupportTable>>(matrices.error());
    if (!support) append(found, support.error());
  }
  if (tables.retirement) {
    const auto retirement = read_retirement(sources, *tables.retirement);
    append(found,
           retirement ? check_retirement(*retirement, knowledge.dataset) : retirement.error());
  }
  return found;
}

}  // namespace assay
