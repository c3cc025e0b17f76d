// The facts of a check by a program that holds knowledge and reads no files for those who ask it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/said_facts.h"
#include "engine/read/model_table.h"

namespace assay {

// The tables of some knowledge that checks ask; the model table is read when it is first needed.
// Thread-safe.
class TableFacts {
 public:
  TableFacts(const SourceSet& sources, const KnowledgeTables& tables);

  // What is said, weighed against what is known of the model: its config.json where that is given,
  // else the table of public models. The texts that facts come from are added to `sources`.
  // Errors: those of read_model_config, read_model_table and weigh_facts; unreadable_file where a
  // GPU is said and there is no table of them.
  Result<std::vector<GivenFact>> collect(const SaidFacts& said,
                                         std::optional<std::string_view> model_config,
                                         const RulePack& pack, const Launch& launch,
                                         SourceSet& sources, Diagnostics& warnings) const;

 private:
  struct Table {
    std::string name;
    std::string text;
  };
  static std::optional<Table> table_of(const SourceSet& sources, std::optional<SourceId> id);
  const Result<std::vector<PublicModel>>& models() const;
  Result<std::vector<GivenFact>> public_model(const SaidFacts& said, const RulePack& pack,
                                              const Launch& launch, SourceSet& sources) const;

  std::optional<Table> gpu_table_;
  std::optional<Table> model_table_;
  mutable std::once_flag models_once_;
  mutable Result<std::vector<PublicModel>> models_{std::vector<PublicModel>()};
};

}  // namespace assay
