// The machine, model and release that an example fix is tried on.
#pragma once

#include <span>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/model/given_fact.h"
#include "engine/read/model_table.h"

namespace assay {

// Whether a fact says something of the surroundings: what a launch does not say itself and the pack
// does not work out from it.
bool is_of_surroundings(const FactDeclaration& fact);

// Of one pack.
class ExampleSurroundingsTable {
 public:
  // The pack's `example_fixes`, looked up in the tables. `models` must outlive it. Errors: those of
  // read_gpu.
  static Result<ExampleSurroundingsTable> make(const RulePack& pack,
                                               std::span<const PublicModel> models,
                                               SourceSet& sources,
                                               std::optional<SourceId> gpu_table);

  // The pack's GPUs that agree with `said`, in their order; one without facts where none does.
  std::vector<std::span<const GivenFact>> gpus_for(std::span<const GivenFact> said) const;

  // What a launch of `model_path` (may be empty) meets, the strongest last: the pack's facts, the
  // GPU, the pack's model, `release`, `said`, and, unless `said_is_strongest`, the
  // public model that the launch names.
  std::vector<GivenFact> facts_for(std::string_view model_path, std::string_view release,
                                   std::span<const GivenFact> gpu, std::span<const GivenFact> said,
                                   bool said_is_strongest) const;

 private:
  void add_model(const PublicModel& model, std::vector<GivenFact>& facts) const;

  const RulePack* pack_ = nullptr;
  std::span<const PublicModel> models_;
  std::vector<std::vector<GivenFact>> gpus_;
  std::vector<GivenFact> facts_;
};

}  // namespace assay
