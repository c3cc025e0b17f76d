// Reads kernel contracts (rules/kernels/<kernel>.yaml) as rules/kernels/FORMAT.md describes them.
#pragma once

#include <string>
#include <vector>

#include "engine/model/tensor_contract.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// Reports all faults of the file: keys, types, names declared twice, clauses about tensors that are
// not in the table, a clause that says nothing or two things at once, a file not named after its
// kernel (a source whose name begins with '<' is no file). Expressions are not compiled here.
Result<TensorContract> read_contract(const SourceSet& sources, SourceId source);

// Every contract below `folder`, sorted by kernel; empty when there is no such folder.
Result<std::vector<TensorContract>> read_contracts(SourceSet& sources, const FileSystem& files,
                                                   const std::string& folder);

// "float8_e4m3fn"; nothing for another name.
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace assay
