// Settings: what options are when nobody typed them. The environment (`ASSAY_GPU` for `--gpu`)
// beats the file `assay.yaml`, found by walking up from the current folder; its keys are the
// options' names.
#pragma once

#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "tools/cli/command.h"

namespace assay::cli {

// Fills the options that are still empty. A key that is an option of another verb is passed over;
// one that is an option of none is an error (unknown_key). Errors besides: those of reading YAML,
// wrong_type, invalid_value.
Diagnostics apply_settings(const std::vector<Option>& options, const std::vector<Verb>& verbs,
                           Session& session);

std::string environment_name(std::string_view option);  // "model-config" -> "ASSAY_MODEL_CONFIG"

}  // namespace assay::cli
