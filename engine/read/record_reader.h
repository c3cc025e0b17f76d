// Reads error records: schema version 2 (as the first document of the dataset has it) and 3, bare
// or in the envelope
// {"record": ..., "datasetVersion": ...}.
#pragma once

#include <cstddef>

#include "engine/model/error_record.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

inline constexpr std::size_t kMaxRecordBytes = 4u << 20;

Result<ErrorRecord> read_record(const SourceSet& sources, SourceId source, Diagnostics& warnings);

}  // namespace assay
