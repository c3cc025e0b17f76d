// One list of the tables, so that a bundle holds what the program reads: a table is added here and
// in KnowledgeTables.
#include "engine/evaluate/knowledge_tables.h"

namespace assay {

std::array<TablePlace, 4> table_places(const KnowledgeFolder& folder) {
  const auto of_rules = [&](std::string path) { return folder.rules.empty() ? "" : path; };
  return {{{&KnowledgeTables::gpus, of_rules(folder.gpu_table())},
           {&KnowledgeTables::models, of_rules(folder.model_table())},
           {&KnowledgeTables::matrices, of_rules(folder.matrix_table())},
           {&KnowledgeTables::retirement, folder.dataset.empty() ? "" : folder.retirement()}}};
}

Result<KnowledgeTables> add_tables(SourceSet& sources, const FileSystem& files,
                                   const KnowledgeFolder& folder, KnowledgeTables read) {
  for (const TablePlace& place : table_places(folder))
    if (!(read.*place.table) && files.is_file(place.path)) {
      ASSAY_TRY(read.*place.table, add_file(sources, files, place.path, kMaxTableBytes));
    }
  return read;
}

}  // namespace assay
