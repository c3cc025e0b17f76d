// Reads a rule pack folder (pack.yaml, arguments.yaml, facts.yaml, <area>/<slug>.yaml) as
// rules/FORMAT.md describes it.
#pragma once

#include <string>

#include "engine/model/rule_pack.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// All faults of all files are reported together; a pack with an error is not returned. Checks what
// one file or two together can show: unknown, missing, duplicate keys; wrong types;
// id_differs_from_path; duplicate_id; unknown_step; facts named in examples, fixes and effects that
// are not declared (unknown_fact). Expressions are not compiled here.
Result<RulePack> read_pack(SourceSet& sources, const FileSystem& files, const std::string& folder,
                           Diagnostics& warnings);

}  // namespace assay
