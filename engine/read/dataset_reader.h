// Reads the error records of a folder.
#pragma once

#include <set>
#include <string>

#include "engine/model/dataset.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// Every .json below `folder` (but for `folder`/schema). Errors besides a record's own:
// duplicate_id, duplicate slug in one repo, a slug that is not the file's name, replacedBy or
// seeAlso naming no record.
Result<Dataset> read_dataset(SourceSet& sources, const FileSystem& files, const std::string& folder,
                             Diagnostics& warnings);

// The records that have no fault of their own; every fault is a warning, and its file is passed
// over. Errors: those of listing the folder, and all faults where no record is left.
Result<Dataset> read_usable_records(SourceSet& sources, const FileSystem& files,
                                    const std::string& folder, Diagnostics& warnings);

// The records below `folder` that have one of `ids`; the others are not looked at. Errors: those of
// read_dataset for these, but for links, which may lead to records that are not read.
Result<Dataset> read_records(SourceSet& sources, const FileSystem& files, const std::string& folder,
                             const std::set<std::string>& ids, Diagnostics& warnings);

}  // namespace assay
