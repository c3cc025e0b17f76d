// A checkout of an engine, from which the pages of its errors show the lines that raise them.
#pragma once

#include <string>

#include "engine/model/error_record.h"
#include "engine/text/file_system.h"

namespace assay {

// `record` with its source excerpt read from a checkout below `root`, when it names a file and line
// that are there; unchanged otherwise.
ErrorRecord with_source_excerpt(ErrorRecord record, const FileSystem& files,
                                const std::string& root);

}  // namespace assay
