// Reads a contract in the order of its parts: dimensions, tensors, scalars, clauses. Names are
// collected as they come, so that a clause can be held against the table; CEL inside is only
// carried along (the compiler of contracts checks it).
#include "engine/read/contract_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/model/type_parsing.h"
#include "engine/read/document_reader.h"
#include "engine/read/expression_text.h"
#include "engine/read/fact_names.h"
#include "engine/read/rule_parts_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

class ContractReader {
 public:
  ContractReader(const SourceSet& sources, Diagnostics& faults)
      : sources_(sources), faults_(faults) {}

  TensorContract read(const Node& document, const std::string& path);

 private:
  void read_dimensions(const MappingReader& reader);
  void read_tensors(const MappingReader& reader);
  void read_scalars(const MappingReader& reader);
  void read_clauses(const MappingReader& reader);
  ContractTensor read_tensor(const Entry& entry);
  void read_layout(const MappingReader& reader, ContractTensor& tensor);
  std::vector<DType> read_dtypes(const MappingReader& reader);
  std::optional<Extent> read_extent(const Node& node);
  void read_group(const Node& node);
  void add_clause(ContractClause clause);
  ContractClause read_clause(const Node& node, const std::vector<std::string>* group);
  void check_tensors(const MappingReader& reader, std::string_view key,
                     const std::vector<std::string>& named);
  void check_alone(const MappingReader& reader, const ContractClause& clause);
  void read_subject(const MappingReader& reader, ContractClause& clause);
  std::vector<TensorProperty> read_properties(const MappingReader& reader);
  std::vector<std::string> words_or_list(const MappingReader& reader, std::string_view key);
  void declare(const std::string& name, Span span);
  const ContractTensor* tensor(std::string_view name) const;
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  const SourceSet& sources_;
  Diagnostics& faults_;
  TensorContract contract_;
  std::uint32_t groups_ = 0;
  std::vector<std::pair<std::string, Span>>
      names_;  // dimensions, tensors and scalars share one space
};

TensorContract ContractReader::read(const Node& document, const std::string& path) {
  const MappingReader reader(document, "a contract", kContractKeys, faults_);
  contract_.path = path;
  contract_.span = document.span;
  contract_.kernel = reader.filled_text("kernel").value_or("");
  contract_.title = reader.filled_text("title").value_or("");
  contract_.repository = reader.filled_text("repository").value_or("");
  contract_.summary = reader.filled_text("summary").value_or("");
  contract_.documentation = reader.text("documentation").value_or("");
  if (const Node* source = reader.mapping("source"))
    contract_.source = RulePartsReader(sources_, nullptr, faults_).read_source(*source);
  read_dimensions(reader);
  read_tensors(reader);
  read_scalars(reader);
  read_clauses(reader);
  const std::string expected = contract_.kernel + ".yaml";
  const bool is_file = !path.starts_with('<');  // else handed over as a text
  if (const Node* kernel = reader.find("kernel"); is_file && kernel && !contract_.kernel.empty() &&
                                                  path != expected &&
                                                  !path.ends_with("/" + expected))
    faults_.push_back(
        make_error(code::id_differs_from_path, kernel->span,
                   fmt::format("the kernel is `{}`, but its file is {}", contract_.kernel, path),
                   "name the file after the kernel"));
  return std::move(contract_);
}

void ContractReader::declare(const std::string& name, Span span) {
  if (!is_identifier(name)) refuse(span, fmt::format("`{}` is not a name", name));
  for (const auto& [other, first] : names_) {
    if (other != name) continue;
    Diagnostic fault =
        make_error(code::duplicate_id, span, fmt::format("`{}` is declared twice", name),
                   "dimensions, tensors and scalars share one set of names");
    fault.related.push_back({first, "first declared here"});
    faults_.push_back(std::move(fault));
    return;
  }
  names_.emplace_back(name, span);
}

void ContractReader::read_dimensions(const MappingReader& reader) {
  const Node* dimensions = reader.mapping("dimensions");
  if (!dimensions) return;
  for (const Entry& entry : dimensions->entries) {
    declare(entry.key, entry.key_span);
    if (!entry.value.is_string())
      faults_.push_back(
          wrong_type(fmt::format("dimension `{}`", entry.key), "its documentation", entry.value));
    contract_.dimensions.push_back({entry.key, entry.value.text, entry.key_span});
  }
}

void ContractReader::read_tensors(const MappingReader& reader) {
  const Node* tensors = reader.mapping("tensors");
  if (!tensors) return;
  if (tensors->entries.empty()) refuse(tensors->span, "a contract without tensors");
  for (const Entry& entry : tensors->entries) {
    declare(entry.key, entry.key_span);
    contract_.tensors.push_back(read_tensor(entry));
  }
}

ContractTensor ContractReader::read_tensor(const Entry& entry) {
  ContractTensor tensor;
  tensor.name = entry.key;
  tensor.span = entry.key_span;
  const MappingReader reader(entry.value, "a tensor", kContractTensorKeys, faults_);
  if (entry.value.kind != NodeKind::mapping) return tensor;
  tensor.documentation = reader.text("documentation").value_or("");
  tensor.is_optional = reader.boolean("optional").value_or(false);
  tensor.is_output = reader.boolean("output").value_or(false);
  tensor.dtypes = read_dtypes(reader);
  tensor.device = reader.text("device").value_or("");
  if (const auto alignment = reader.integer("alignment")) {
    const bool is_power_of_two = *alignment > 0 && (*alignment & (*alignment - 1)) == 0;
    if (is_power_of_two && *alignment <= 4096)
      tensor.alignment_bytes = static_cast<std::uint32_t>(*alignment);
    else
      refuse(reader.find("alignment")->span,
             fmt::format("alignment must be a power of two up to 4096 bytes, got {}", *alignment));
  }
  read_layout(reader, tensor);
  return tensor;
}

void ContractReader::read_layout(const MappingReader& reader, ContractTensor& tensor) {
  tensor.elements = reader.integer("elements");
  if (tensor.elements && *tensor.elements < 1)
    refuse(reader.find("elements")->span,
           fmt::format("elements must be positive, got {}", *tensor.elements));
  const Node* shape = reader.sequence("shape");
  if (reader.has("shape") == reader.has("elements"))
    refuse(tensor.span, fmt::format("tensor `{}` needs either `shape` or `elements`", tensor.name));
  if (shape)
    for (const Node& item : shape->items)
      if (auto extent = read_extent(item)) tensor.shape.push_back(std::move(*extent));
  const Node* strides = reader.sequence("strides");
  if (!strides) return;
  tensor.is_contiguous = false;
  for (const Node& item : strides->items) {
    if (item.is_string() && item.text == "any")
      tensor.strides.emplace_back();
    else if (auto stride = read_expression(sources_, item, "a stride", faults_))
      tensor.strides.push_back(std::move(*stride));
  }
  if (!shape)
    refuse(strides->span, "`strides` without a `shape`");
  else if (strides->items.size() != shape->items.size())
    refuse(strides->span, fmt::format("{} strides for a shape of {} extents", strides->items.size(),
                                      shape->items.size()));
}

std::optional<Extent> ContractReader::read_extent(const Node& node) {
  Extent extent;
  const Node* expression = &node;
  if (node.kind == NodeKind::mapping) {
    const MappingReader reader(node, "an extent", kContractExtentKeys, faults_);
    expression = reader.find("at_least");
    extent.is_at_least = true;
    if (!expression) return std::nullopt;
  }
  auto text = read_expression(sources_, *expression, "an extent", faults_);
  if (!text) return std::nullopt;
  extent.expression = std::move(*text);
  return extent;
}

std::vector<DType> ContractReader::read_dtypes(const MappingReader& reader) {
  std::vector<DType> dtypes;
  const Node* node = reader.find("dtype");
  if (!node) return dtypes;
  const std::span<const Node> names = node->kind == NodeKind::sequence
                                          ? std::span<const Node>(node->items)
                                          : std::span<const Node>(node, 1);
  for (const Node& name : names) {
    const auto dtype = name.is_string() ? parse_dtype(name.text) : std::nullopt;
    if (dtype)
      dtypes.push_back(*dtype);
    else
      refuse(name.span, fmt::format("`{}` is not an element type", name.text),
             did_you_mean(name.text, {kDTypeNames.begin(), kDTypeNames.end()}));
  }
  return dtypes;
}

void ContractReader::read_scalars(const MappingReader& reader) {
  const Node* scalars = reader.mapping("scalars");
  if (!scalars) return;
  for (const Entry& entry : scalars->entries) {
    declare(entry.key, entry.key_span);
    const MappingReader scalar(entry.value, "a scalar", kContractScalarKeys, faults_);
    ContractScalar result;
    result.name = entry.key;
    result.span = entry.key_span;
    result.documentation = scalar.text("documentation").value_or("");
    if (const auto text = scalar.text("type")) {
      const auto type = parse_type(*text);
      if (type && (type->kind == TypeKind::integer || type->kind == TypeKind::real ||
                   type->kind == TypeKind::boolean))
        result.type = *type;
      else
        refuse(scalar.find("type")->span,
               fmt::format("a scalar is an int, a double or a bool, not `{}`", *text));
    }
    if (const Node* value = scalar.find("default")) result.default_value = *value;
    contract_.scalars.push_back(std::move(result));
  }
}

void ContractReader::read_clauses(const MappingReader& reader) {
  const Node* clauses = reader.sequence("clauses");
  if (!clauses) return;
  for (const Node& node : clauses->items) {
    if (node.find("for_each"))
      read_group(node);
    else
      add_clause(read_clause(node, nullptr));
  }
}

// Clauses over the same tensors, judged tensor by tensor.
void ContractReader::read_group(const Node& node) {
  const MappingReader reader(node, "a group of clauses", kContractGroupKeys, faults_);
  const std::vector<std::string> tensors = words_or_list(reader, "for_each");
  check_tensors(reader, "for_each", tensors);
  ++groups_;
  if (const Node* clauses = reader.sequence("clauses"))
    for (const Node& item : clauses->items) add_clause(read_clause(item, &tensors));
}

void ContractReader::add_clause(ContractClause clause) {
  for (const ContractClause& other : contract_.clauses) {
    if (other.id != clause.id || clause.id.empty()) continue;
    Diagnostic fault = make_error(code::duplicate_id, clause.span,
                                  fmt::format("two clauses are called `{}`", clause.id));
    fault.related.push_back({other.span, "the first one"});
    faults_.push_back(std::move(fault));
  }
  contract_.clauses.push_back(std::move(clause));
}

void ContractReader::check_tensors(const MappingReader& reader, std::string_view key,
                                   const std::vector<std::string>& named) {
  for (const std::string& name : named) {
    if (tensor(name)) continue;
    std::vector<std::string_view> names;
    for (const ContractTensor& other : contract_.tensors) names.push_back(other.name);
    refuse(reader.find(key)->span, fmt::format("no tensor is called `{}`", name),
           did_you_mean(name, names));
  }
}

// `group`: the tensors of the group it stands in, null outside.
ContractClause ContractReader::read_clause(const Node& node,
                                           const std::vector<std::string>* group) {
  const MappingReader reader(node, "a clause", kContractClauseKeys, faults_);
  ContractClause clause;
  clause.span = node.span;
  if (node.kind != NodeKind::mapping) return clause;
  clause.id = reader.filled_text("id").value_or("");
  clause.message = reader.filled_text("message").value_or("");
  if (const Node* message = reader.find("message"); message && message->is_string()) {
    const TextPlace place = place_of_text(sources_, *message, clause.message);
    clause.message_span = place.span;
    clause.message_is_verbatim = place.is_verbatim;
  }
  clause.error = reader.word("error").value_or("");
  if (const Node* error = reader.find("error")) clause.error_span = error->span;
  if (!clause.error.empty() && !is_record_id(clause.error))
    refuse(reader.find("error")->span,
           fmt::format("`{}` is not a record's id: 16 hexadecimal digits", clause.error));
  clause.raises = reader.text("raises").value_or("");
  clause.back_ends = words_or_list(reader, "back_ends");
  if (reader.has("profile"))
    if (const auto index = reader.choice("profile", {"safety", "engine", "both"}))
      clause.profile = static_cast<ContractProfile>(*index + 1);
  if (const Node* require = reader.find("require"))
    clause.require = read_expression(sources_, *require, "require", faults_);
  if (!group) {
    read_subject(reader, clause);
    return clause;
  }
  clause.group = groups_;
  clause.tensors = *group;
  clause.properties = read_properties(reader);
  for (const std::string_view key : {"of", "require", "values_of", "enforced_by"})
    if (const Node* stray = reader.find(key))
      refuse(stray->span, fmt::format("`{}` in a group, whose clauses only `check`", key));
  if (clause.properties.empty()) refuse(clause.span, "a clause of a group says what to `check`");
  check_alone(reader, clause);
  return clause;
}

// What the clause is about: parts of the law (check, of), the values of a tensor (values_of,
// require, enforced_by), or CEL alone (require).
void ContractReader::read_subject(const MappingReader& reader, ContractClause& clause) {
  const bool is_check = reader.has("check");
  const bool is_over_values = reader.has("values_of");
  clause.is_data_dependent = is_over_values;
  clause.properties = read_properties(reader);
  clause.tensors = words_or_list(reader, is_over_values ? "values_of" : "of");
  const std::string_view key = is_over_values ? "values_of" : "of";
  check_tensors(reader, key, clause.tensors);
  check_alone(reader, clause);
  if (is_check == (clause.require.has_value() || is_over_values) || (is_check != reader.has("of")))
    refuse(clause.span,
           "a clause has `check` with `of`, or `require`, or `values_of` with `require`");
  if (is_over_values != reader.has("enforced_by"))
    refuse(clause.span, "`values_of` and `enforced_by` stand together");
  else if (is_over_values && reader.choice("enforced_by", {"status", "checked"}))
    clause.enforced_by = *reader.text("enforced_by");
}

// no_alias is about tensors together, and nothing else can be said in the same clause.
void ContractReader::check_alone(const MappingReader& reader, const ContractClause& clause) {
  const bool is_there = std::find(clause.properties.begin(), clause.properties.end(),
                                  TensorProperty::no_alias) != clause.properties.end();
  if (is_there && (clause.properties.size() > 1 || clause.group != 0))
    refuse(reader.find("check")->span,
           "`no_alias` is judged for all its tensors together: it is the only `check` of a clause "
           "outside groups");
}

std::vector<TensorProperty> ContractReader::read_properties(const MappingReader& reader) {
  std::vector<TensorProperty> properties;
  for (const std::string& name : words_or_list(reader, "check")) {
    const auto found = std::find(kTensorPropertyNames.begin(), kTensorPropertyNames.end(), name);
    if (found != kTensorPropertyNames.end())
      properties.push_back(static_cast<TensorProperty>(found - kTensorPropertyNames.begin()));
    else
      refuse(reader.find("check")->span, fmt::format("`{}` is no part of a tensor's law", name),
             did_you_mean(name, {kTensorPropertyNames.begin(), kTensorPropertyNames.end()}));
  }
  return properties;
}

std::vector<std::string> ContractReader::words_or_list(const MappingReader& reader,
                                                       std::string_view key) {
  const Node* node = reader.find(key);
  if (!node) return {};
  if (node->is_string()) return {node->text};
  return reader.texts(key);
}

const ContractTensor* ContractReader::tensor(std::string_view name) const {
  for (const ContractTensor& tensor : contract_.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

}  // namespace

std::optional<DType> parse_dtype(std::string_view name) {
  const auto found = std::find(kDTypeNames.begin(), kDTypeNames.end(), name);
  if (found == kDTypeNames.end()) return std::nullopt;
  return static_cast<DType>(found - kDTypeNames.begin());
}

Result<TensorContract> read_contract(const SourceSet& sources, SourceId source) {
  ASSAY_TRY(const Node document, read_yaml(sources, source));
  Diagnostics faults;
  TensorContract contract =
      ContractReader(sources, faults).read(document, sources.get(source).name());
  if (has_errors(faults)) return faults;
  return contract;
}

Result<std::vector<TensorContract>> read_contracts(SourceSet& sources, const FileSystem& files,
                                                   const std::string& folder) {
  std::vector<TensorContract> contracts;
  if (!files.is_folder(folder)) return contracts;
  Diagnostics faults;
  ASSAY_TRY(const std::vector<std::string> paths, files.list_files(folder, ".yaml"));
  const auto added = add_files(sources, files, paths, DocumentLimits{}.max_bytes);
  std::vector<std::optional<Result<TensorContract>>> read(paths.size());
  constexpr std::size_t kMinForThreads = 8;
  for_each_in_parallel(paths.size(), kMinForThreads, [&](std::size_t at) {
    if (added[at]) read[at].emplace(read_contract(sources, *added[at]));
  });
  for (std::size_t at = 0; at < paths.size(); ++at) {
    if (read[at] && *read[at])
      contracts.push_back(std::move(**read[at]));
    else
      append(faults, read[at] ? read[at]->error() : added[at].error());
  }
  if (has_errors(faults)) return faults;
  std::sort(contracts.begin(), contracts.end(),
            [](const TensorContract& a, const TensorContract& b) { return a.kernel < b.kernel; });
  return contracts;
}

}  // namespace assay
