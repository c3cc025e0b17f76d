// The form only: whether packs, arguments, GPUs and models are known is asked where they are
// (evaluate/support_matrix.h).
#include "engine/read/matrix_table.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/document_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

class MatrixTableReader {
 public:
  std::vector<MatrixDeclaration> read(const Node& document) {
    const MappingReader reader(document, "a table of matrices", kMatrixTableKeys, faults);
    std::vector<MatrixDeclaration> all;
    if (!reader.is_mapping()) return all;
    if (const Node* matrices = reader.mapping("matrices"))
      for (const Entry& entry : matrices->entries) all.push_back(read_matrix(entry));
    return all;
  }

  Diagnostics faults;

 private:
  MatrixDeclaration read_matrix(const Entry& entry) {
    const MappingReader reader(entry.value, "a matrix", kMatrixKeys, faults);
    MatrixDeclaration matrix;
    matrix.name = entry.key;
    matrix.span = entry.key_span;
    const bool is_address = !entry.key.empty() && std::ranges::all_of(entry.key, [](char c) {
      return (is_letter(c) && to_lower(c) == c) || is_digit(c) || c == '-';
    });
    if (!is_address) refuse(entry.key_span, "a matrix's name has lower case letters, digits and -");
    matrix.pack = named(reader, "pack", matrix.pack_span);
    matrix.title = reader.filled_text("title").value_or("");
    matrix.documentation = reader.text("documentation").value_or("");
    matrix.rows = named(reader, "rows", matrix.rows_span);
    matrix.columns = named(reader, "columns", matrix.columns_span);
    if (const Node* gpus = filled_list(reader, "gpus"))
      for (const Node& gpu : gpus->items) {
        if (!gpu.is_string()) faults.push_back(wrong_type("a GPU", "a string", gpu));
        matrix.gpus.push_back({gpu.text, gpu.span});
      }
    if (const Node* models = filled_list(reader, "models"))
      for (const Node& model : models->items) matrix.models.push_back(read_model(model));
    return matrix;
  }

  MatrixModel read_model(const Node& node) {
    const MappingReader reader(node, "a matrix's model", kMatrixModelKeys, faults);
    MatrixModel model;
    model.span = node.span;
    if (!reader.is_mapping()) return model;
    model.name = reader.filled_text("model").value_or("");
    model.gpu_count = reader.integer("gpu_count").value_or(1);
    if (model.gpu_count < 1) refuse(reader.find("gpu_count")->span, "`gpu_count` is at least 1");
    if (const Node* arguments = reader.mapping("arguments")) model.arguments = arguments->entries;
    return model;
  }

  std::string named(const MappingReader& reader, std::string_view key, Span& span) {
    if (const Node* value = reader.find(key)) span = value->span;
    return reader.filled_text(key).value_or("");
  }

  const Node* filled_list(const MappingReader& reader, std::string_view key) {
    const Node* list = reader.sequence(key);
    if (list != nullptr && list->items.empty())
      refuse(list->span, "`" + std::string(key) + "` names at least one");
    return list;
  }

  void refuse(Span span, std::string message) {
    faults.push_back(make_error(code::invalid_value, span, std::move(message)));
  }
};

}  // namespace

Result<std::vector<MatrixDeclaration>> read_matrix_table(const SourceSet& sources,
                                                         SourceId source) {
  ASSAY_TRY(const Node document, read_yaml(sources, source));
  MatrixTableReader reader;
  std::vector<MatrixDeclaration> table = reader.read(document);
  if (!reader.faults.empty()) return std::move(reader.faults);
  return table;
}

}  // namespace assay
