// pack.yaml, arguments.yaml and facts.yaml first: they say which steps and facts a rule may name.
// Where one of them has a fault, what it declares is not complete, and rules are read without that
// check, so that one mistake is not reported once a rule.
#include "engine/read/pack_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/read/document_reader.h"
#include "engine/read/fact_names.h"
#include "engine/read/fact_schema_reader.h"
#include "engine/read/pack_file_reader.h"
#include "engine/read/pack_release.h"
#include "engine/read/rule_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

constexpr std::string_view kRuleExtension = ".yaml";

struct RuleFile {
  SourceId source;
  RuleReading reading;
  std::optional<Result<Rule>> rule;
};

class PackReader {
 public:
  PackReader(SourceSet& sources, const FileSystem& files, const std::string& folder)
      : sources_(sources), files_(files), folder_(folder) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    pack_.folder = folder_;
    const std::string name = folder_.substr(folder_.rfind('/') + 1);
    if (name != "." && name != "..") folder_name_ = name;
  }

  Result<RulePack> read(Diagnostics& warnings) {
    if (!files_.is_folder(folder_))
      return make_error(code::unreadable_file, {},
                        fmt::format("cannot read `{}`: there is no such folder", folder_));
    read_declarations();
    read_rules();
    warn_of_other_extension(warnings);
    if (!faults_.empty()) return std::move(faults_);
    return std::move(pack_);
  }

 private:
  // The pack's own documents, in this order; nothing in place of one that cannot be read.
  enum Declarations { pack_document, arguments_document, facts_document, declaration_count };
  using Documents = std::array<std::optional<Node>, declaration_count>;
  Documents read_documents();

  void read_declarations();
  void declare_engine_version();
  std::optional<FactId> find_fact(const std::string& name, Span span);
  std::optional<FactId> find_argument(const std::string& name, Span span);
  void check_positionals(const Node& pack_file);
  void read_overlays(const Node& pack_file);
  void read_renamed_flags(const Node& pack_file);
  void read_example_surroundings(const Node& pack_file);
  void read_rules();
  void warn_of_other_extension(Diagnostics& warnings) const;

  SourceSet& sources_;
  const FileSystem& files_;
  std::string folder_;
  std::string folder_name_;
  RulePack pack_;
  bool has_schema_ = false;
  bool has_steps_ = false;
  std::set<std::string, std::less<>> steps_;
  Diagnostics faults_;
};

PackReader::Documents PackReader::read_documents() {
  constexpr std::array kNames = {"/pack.yaml", "/arguments.yaml", "/facts.yaml"};
  std::array<std::optional<Result<SourceId>>, declaration_count> texts;
  std::array<std::optional<Result<Node>>, declaration_count> read;
  for (std::size_t at = 0; at < kNames.size(); ++at)
    texts[at].emplace(add_file(sources_, files_, folder_ + kNames[at], DocumentLimits().max_bytes));
  for_each_in_parallel(kNames.size(), 0, [&](std::size_t at) {
    if (*texts[at]) read[at].emplace(read_yaml(sources_, **texts[at]));
  });
  Documents documents;
  for (std::size_t at = 0; at < kNames.size(); ++at) {
    if (!*texts[at])
      append(faults_, texts[at]->error());
    else if (!*read[at])
      append(faults_, read[at]->error());
    else
      documents[at] = std::move(**read[at]);
  }
  return documents;
}

void PackReader::read_declarations() {
  const Documents documents = read_documents();
  const auto& pack = documents[pack_document];
  if (pack) {
    const std::size_t before = faults_.size();
    read_pack_file(sources_, *pack, folder_name_, pack_, faults_);
    has_steps_ = faults_.size() == before;
  }
  for (const PipelineStage& stage : pack_.stages)
    for (const PipelineStep& step : stage.steps) steps_.insert(step.name);

  const std::size_t before = faults_.size();
  const auto& arguments = documents[arguments_document];
  const auto& facts = documents[facts_document];
  if (arguments) read_arguments(*arguments, pack_.versions, pack_.schema, faults_);
  if (facts) read_facts(sources_, *facts, pack_.schema, faults_);
  declare_engine_version();
  has_schema_ = arguments && facts && faults_.size() == before;
  if (!has_schema_ || !has_steps_) return;
  check_positionals(*pack);
  read_overlays(*pack);
  read_renamed_flags(*pack);
  read_example_surroundings(*pack);
}

// `version.engine` is a string of every pack, declared or not.
void PackReader::declare_engine_version() {
  constexpr std::string_view kName = "version.engine";
  if (const FactDeclaration* declared = pack_.schema.find(kName)) {
    if (declared->type != Type::of(TypeKind::string))
      faults_.push_back(make_error(code::invalid_value, declared->span,
                                   "`version.engine` is of type string and not nullable"));
    return;
  }
  FactDeclaration version;
  version.name = kName;
  version.type = Type::of(TypeKind::string);
  version.documentation = "The engine's version.";
  pack_.schema.by_name.emplace(version.name, static_cast<FactId>(pack_.schema.facts.size()));
  pack_.schema.facts.push_back(std::move(version));
}

std::optional<FactId> PackReader::find_fact(const std::string& name, Span span) {
  const auto found = pack_.schema.by_name.find(name);
  if (found != pack_.schema.by_name.end()) return found->second;
  faults_.push_back(unknown_fact_fault(pack_.schema, name, span, faults_.size()));
  return {};
}

std::optional<FactId> PackReader::find_argument(const std::string& name, Span span) {
  const auto fact = find_fact(name, span);
  if (!fact || pack_.schema.facts[*fact].is_argument) return fact;
  faults_.push_back(
      make_error(code::invalid_value, span, fmt::format("`{}` is not an argument", name)));
  return {};
}

void PackReader::check_positionals(const Node& pack_file) {
  for (const Node& launcher : pack_file.find("launchers")->items)
    if (const Node* positionals = launcher.find("positionals"))
      for (const Node& name : positionals->items) find_argument(name.text, name.span);
}

void PackReader::read_overlays(const Node& pack_file) {
  const Node* overlays = pack_file.find("overlays");
  if (overlays == nullptr) return;
  if (overlays->kind != NodeKind::mapping) {
    faults_.push_back(wrong_type("`overlays`", "a mapping", *overlays));
    return;
  }
  for (const Entry& entry : overlays->entries) {
    const MappingReader keys(entry.value, "an overlay", kOverlayKeys, faults_);
    const auto fact = find_fact(entry.key, entry.key_span);
    const auto argument = keys.filled_text("argument");
    FactOverlay overlay;
    overlay.merges = keys.texts("merges");
    const auto over =
        argument ? find_argument(*argument, keys.find("argument")->span) : std::nullopt;
    if (!fact || !over) continue;
    if (pack_.schema.facts[*fact].type.kind != TypeKind::map) {
      faults_.push_back(make_error(code::invalid_value, entry.key_span,
                                   fmt::format("`{}` is not a map", entry.key)));
      continue;
    }
    overlay.fact = *fact;
    overlay.argument = *over;
    pack_.overlays.push_back(std::move(overlay));
  }
}

void PackReader::read_renamed_flags(const Node& pack_file) {
  const Node* renamed = pack_file.find("renamed_flags");
  if (renamed == nullptr) return;
  if (renamed->kind != NodeKind::mapping) {
    faults_.push_back(wrong_type("`renamed_flags`", "a mapping", *renamed));
    return;
  }
  const PackRelease newest(pack_);
  const auto is_flag = [&](const std::string& word) {
    const std::string spelling = word.substr(0, word.find('='));
    return pack_.schema.by_flag.contains(spelling) && newest.absence_of_flag(spelling).empty();
  };
  for (const Entry& entry : renamed->entries) {
    if (!entry.key.starts_with('-') || is_flag(entry.key))
      faults_.push_back(
          make_error(code::invalid_value, entry.key_span,
                     fmt::format("`{}` is {}", entry.key,
                                 is_flag(entry.key) ? "a flag of this pack" : "not a flag"),
                     "a renamed flag is one that the engine does not take any more"));
    if (!entry.value.is_string())
      faults_.push_back(wrong_type("what a flag is called now", "a string", entry.value));
    else if (!is_flag(entry.value.text))
      faults_.push_back(make_error(code::invalid_value, entry.value.span,
                                   fmt::format("`{}` is no flag of this pack", entry.value.text)));
    pack_.renamed_flags.push_back({entry.key, entry.value.text});
  }
}

void PackReader::read_example_surroundings(const Node& pack_file) {
  const Node* node = pack_file.find("example_fixes");
  if (node == nullptr) return;
  const MappingReader keys(*node, "`example_fixes`", kExampleSurroundingsKeys, faults_);
  if (!keys.is_mapping()) return;
  ExampleSurroundings& read = pack_.example_surroundings;
  read.span = node->span;
  read.command = keys.filled_text("command").value_or("");
  read.gpus = keys.texts("gpus");
  read.model = keys.text("model").value_or("");
  const Node* facts = keys.mapping("facts");
  if (facts == nullptr) return;
  for (const Entry& fact : facts->entries)
    if (find_fact(fact.key, fact.key_span)) read.facts.push_back(fact);
}

void PackReader::read_rules() {
  auto paths = files_.list_files(folder_, kRuleExtension);
  if (!paths) {
    append(faults_, paths.error());
    return;
  }
  // The texts first, since a set of sources grows on one thread only; then the rules, which do not
  // know of each other.
  std::vector<std::string> rule_paths;
  for (std::string& path : *paths) {
    const std::string relative = path.substr(folder_.size() + 1);
    if (relative == "pack.yaml" || relative == "arguments.yaml" || relative == "facts.yaml")
      continue;
    if (relative.find('/') == std::string::npos) {
      faults_.push_back(
          make_error(code::id_differs_from_path, {},
                     fmt::format("`{}` is none of pack.yaml, arguments.yaml and facts.yaml", path),
                     "a rule stands in the folder of its area"));
      continue;
    }
    rule_paths.push_back(std::move(path));
  }
  std::vector<RuleFile> rule_files;
  const auto sources = add_files(sources_, files_, rule_paths, kMaxRuleBytes);
  for (std::size_t at = 0; at < sources.size(); ++at) {
    if (!sources[at]) {
      append(faults_, sources[at].error());
      continue;
    }
    const std::string relative = rule_paths[at].substr(folder_.size() + 1);
    RuleReading reading;
    if (has_schema_) reading.schema = &pack_.schema;
    if (has_steps_) reading.steps = &steps_;
    const std::string& pack_name = folder_name_.empty() ? pack_.name : folder_name_;
    reading.id = pack_name + "/" + relative.substr(0, relative.size() - kRuleExtension.size());
    rule_files.push_back({*sources[at], std::move(reading), {}});
  }
  constexpr std::size_t kMinForThreads = 50;
  for_each_in_parallel(rule_files.size(), kMinForThreads, [&](std::size_t at) {
    RuleFile& file = rule_files[at];
    file.rule.emplace(read_rule(sources_, file.source, file.reading));
  });
  for (RuleFile& file : rule_files) {
    if (*file.rule)
      pack_.rules.push_back(std::move(**file.rule));
    else
      append(faults_, file.rule->error());
  }
  std::sort(pack_.rules.begin(), pack_.rules.end(),
            [](const Rule& a, const Rule& b) { return a.id < b.id; });
}

void PackReader::warn_of_other_extension(Diagnostics& warnings) const {
  const auto others = files_.list_files(folder_, ".yml");
  if (!others) return;
  for (const std::string& path : *others) {
    warnings.push_back(make_error(code::invalid_value, {}, fmt::format("`{}` is not read", path),
                                  "rule files end in .yaml"));
    warnings.back().severity = Severity::warning;
  }
}

}  // namespace

Result<RulePack> read_pack(SourceSet& sources, const FileSystem& files, const std::string& folder,
                           Diagnostics& warnings) {
  return PackReader(sources, files, folder).read(warnings);
}

}  // namespace assay
