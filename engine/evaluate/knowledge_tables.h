// The files beside packs and records: each is read when something asks for it, from the folder or
// from the bundle that holds it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/evaluate/knowledge.h"

namespace assay {

struct TablePlace {
  std::optional<SourceId> KnowledgeTables::*table;
  std::string path;
};
// Empty paths where a folder of the knowledge is.
std::array<TablePlace, 4> table_places(const KnowledgeFolder& folder);

// `read`, with each table that is not in it and is a file of `folder`. Errors: those of add_file.
Result<KnowledgeTables> add_tables(SourceSet& sources, const FileSystem& files,
                                   const KnowledgeFolder& folder, KnowledgeTables read = {});

}  // namespace assay
