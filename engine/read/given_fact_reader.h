// Facts from outside the launch: --fact, --gpu, --model-config, --engine-version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/given_fact.h"
#include "engine/model/rule_pack.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// "gpu.sm=90": the value is converted to the fact's declared type. Errors: unknown_fact (with "did
// you mean"), invalid_value.
Result<GivenFact> read_fact(const RulePack& pack, std::string_view assignment);
// The release that "version.engine=0.5.20" names; empty for any other assignment.
std::string_view assigned_release(std::string_view assignment);
// "H200", "H200x8", "8xH200", "NVIDIA H200 141GB": facts gpu.* from the table in `gpu_table`
// (rules/gpus.yaml).
Result<std::vector<GivenFact>> read_gpu(const SourceSet& sources, SourceId gpu_table,
                                        std::string_view text);
// A Hugging Face config.json: the fact `model.config` (the whole map); packs compute the rest from
// it.
Result<std::vector<GivenFact>> read_model_config(const SourceSet& sources, SourceId source);

}  // namespace assay
