// A record as JSON, in the key order of the dataset.
#pragma once

#include <string>

#include "engine/model/error_record.h"
#include "engine/report/json_writer.h"

namespace assay {

// Version 2 records get exactly the keys of version 2. Fields that only version 3 has follow, where
// they say something.
void write_record(JsonWriter& json, const ErrorRecord& record);
// {"record":...,"datasetVersion":...}, compact, without a newline at the end.
std::string write_record_envelope(const ErrorRecord& record, std::string_view dataset_version);

}  // namespace assay
