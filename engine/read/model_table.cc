// Names are compared as the Hub compares them. A path is no name: a folder called DeepSeek-R1 may
// hold another quantisation of that model, a distilled one or a tuned one, whose config.json
// differs, and the one on the launch's machine cannot be looked at.
#include "engine/read/model_table.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/base/ascii.h"
#include "engine/read/document_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

bool is_repository_name(std::string_view name) {
  const auto slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < name.size() &&
         name.find('/', slash + 1) == std::string_view::npos;
}

class ModelTableReader {
 public:
  explicit ModelTableReader(const Node& document)
      : document_(document, "a table of models", kModelTableKeys, faults) {}

  std::vector<PublicModel> read() {
    std::vector<PublicModel> models;
    if (!document_.is_mapping()) return models;
    if (const Node* sources = document_.mapping("sources"))
      for (const Entry& source : sources->entries)
        MappingReader(source.value, "a source of models", kModelSourceKeys, faults);
    keys_ = document_.texts("keys");
    quantization_keys_ = document_.texts("quantization_keys");
    if (const Node* entries = document_.mapping("models"))
      for (const Entry& entry : entries->entries) models.push_back(read_model(entry));
    return models;
  }

  Diagnostics faults;

 private:
  PublicModel read_model(const Entry& entry) {
    const MappingReader reader(entry.value, "a model", kModelKeys, faults);
    PublicModel model;
    add_name(entry.key, entry.key_span, model);
    if (const Node* also = reader.sequence("also"))
      for (const Node& name : also->items) {
        if (name.is_string())
          add_name(name.text, name.span, model);
        else
          faults.push_back(wrong_type("a name under `also`", "a string", name));
      }
    const Node* sources = document_.mapping("sources");
    const Entry* source = reader.find_entry("source");
    if (const auto named = reader.text("source"); named && sources != nullptr)
      if (sources->find(*named) == nullptr)
        faults.push_back(make_error(code::invalid_value, source->value.span,
                                    "`sources` has no `" + *named + "`"));
    if (const Node* config = reader.mapping("config")) {
      check_keys(*config, keys_, "keys");
      for (const std::string_view part : {"quantization_config", "compression_config"})
        if (const Node* found = config->find(part))
          check_keys(*found, quantization_keys_, "quantization_keys");
      model.config = *config;
    }
    if (const Node* facts = reader.mapping("facts")) model.facts = facts->entries;
    return model;
  }

  void add_name(const std::string& name, Span span, PublicModel& model) {
    if (!is_repository_name(name))
      faults.push_back(make_error(code::invalid_value, span,
                                  "`" + name + "` is no name of a repository: OWNER/NAME"));
    if (!names_.insert(lowered(name)).second)
      faults.push_back(
          make_error(code::duplicate_id, span, "`" + name + "` is the name of two models"));
    model.names.push_back(name);
  }

  void check_keys(const Node& map, const std::vector<std::string>& known, std::string_view list) {
    for (const Entry& entry : map.entries)
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        faults.push_back(
            make_error(code::unknown_key, entry.key_span,
                       "`" + entry.key + "` is not among the table's `" + std::string(list) + "`",
                       "A key that rules read is listed there, and then known of each "
                       "model."));
  }

  MappingReader document_;
  std::vector<std::string> keys_;
  std::vector<std::string> quantization_keys_;
  std::unordered_set<std::string> names_;
};

// The last `count` components of the path, or all when it has fewer.
std::string_view last_words(std::string_view path, std::size_t count) {
  std::size_t begin = path.size();
  for (; count > 0; --count) {
    const auto slash = begin == 0 ? std::string_view::npos : path.rfind('/', begin - 1);
    if (slash == std::string_view::npos) return path;
    begin = slash;
  }
  return path.substr(begin + 1);
}

// "OWNER/NAME" of ".../models--OWNER--NAME/snapshots/REVISION"; empty when it is no such path.
std::string name_in_cache(std::string_view path) {
  const std::string_view tail = last_words(path, 3);
  constexpr std::string_view kPrefix = "models--";
  const auto folder_end = tail.find('/');
  if (!tail.starts_with(kPrefix) || folder_end == std::string_view::npos) return {};
  if (!tail.substr(folder_end).starts_with("/snapshots/")) return {};
  const std::string_view folder = tail.substr(kPrefix.size(), folder_end - kPrefix.size());
  const auto separator = folder.find("--");
  if (separator == std::string_view::npos) return {};
  return std::string(folder.substr(0, separator)) + "/" + std::string(folder.substr(separator + 2));
}

}  // namespace

Result<std::vector<PublicModel>> read_model_table(const SourceSet& sources, SourceId source) {
  ASSAY_TRY(const Node document, read_yaml(sources, source));
  ModelTableReader reader(document);
  std::vector<PublicModel> table = reader.read();
  if (!reader.faults.empty()) return std::move(reader.faults);
  return table;
}

const PublicModel* find_public_model(std::span<const PublicModel> table,
                                     std::string_view model_path) {
  while (model_path.size() > 1 && model_path.ends_with('/')) model_path.remove_suffix(1);
  const std::string cached = name_in_cache(model_path);
  const std::string wanted = lowered(cached.empty() ? model_path : cached);
  const auto is_called_so = [&](const std::string& name) { return lowered(name) == wanted; };
  const auto found = std::ranges::find_if(table, [&](const PublicModel& model) {
    return std::ranges::any_of(model.names, is_called_so);
  });
  return found == table.end() ? nullptr : &*found;
}

std::vector<GivenFact> facts_of(const PublicModel& model) {
  const std::string source = model.names.front() + " in models.yaml";
  std::vector<GivenFact> facts;
  facts.push_back({"model.config", model.config, Origin::model_config, model.config.span, source});
  for (const Entry& fact : model.facts)
    facts.push_back({fact.key, fact.value, Origin::model_config, fact.key_span, source});
  return facts;
}

}  // namespace assay
