// The GPUs of rules/gpus.yaml, and finding one by what a user calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct Gpu {
  std::string key;                 // "H100-SXM"
  std::vector<std::string> names;  // as the driver reports it
  std::string vendor;              // "nvidia", "amd"
  std::optional<std::int64_t> sm;  // none: the vendor has no such number
  std::optional<std::int64_t> memory_mib;
  std::optional<std::int64_t> sm_count;
};

// Errors: those of the YAML text; unknown_key, missing_key, wrong_type.
Result<std::vector<Gpu>> read_gpu_table(const SourceSet& sources, SourceId source);
// Every GPU that `name` can mean, in the table's order: one for a full name, several for "A100" or
// "H100", none when it is unknown. Case, blanks, dashes, the vendor's name do not matter; a memory
// size at the end ("H200 141GB") chooses among several.
std::vector<const Gpu*> find_gpus(const std::vector<Gpu>& table, std::string_view name);

}  // namespace assay
