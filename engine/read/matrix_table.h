// rules/matrices.yaml: which tables of the site say what goes together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/document.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct MatrixModel {
  std::string name;              // "deepseek-ai/DeepSeek-V3", as in models.yaml
  std::int64_t gpu_count = 1;    // of each kind of GPU
  std::vector<Entry> arguments;  // of every launch with it
  Span span;
};

struct MatrixGpu {
  std::string name;  // as in gpus.yaml
  Span span;
};

struct MatrixDeclaration {
  std::string name;  // its address: lower case letters, digits, dashes
  std::string pack;
  std::string title;
  std::string documentation;
  std::string rows;  // an argument with choices
  std::string columns;
  Span span;
  Span pack_span;
  Span rows_span;
  Span columns_span;
  std::vector<MatrixGpu> gpus;
  std::vector<MatrixModel> models;
};

// Errors: those of the YAML text; unknown_key, missing_key, wrong_type, invalid_value (a name that
// is no address, a list without items, a number of GPUs below 1).
Result<std::vector<MatrixDeclaration>> read_matrix_table(const SourceSet& sources, SourceId source);

}  // namespace assay
