// Facts are collected from the weakest source to the strongest; the last one to name a fact wins.
#include "tools/cli/launch_facts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/version.h"
#include "engine/read/argument_words.h"
#include "engine/read/given_fact_reader.h"
#include "tools/cli/machine_facts.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 16u << 20;
constexpr std::size_t kMaxTableBytes = 4u << 20;

void put(std::vector<GivenFact>& all, std::vector<GivenFact> stronger) {
  for (GivenFact& fact : stronger) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const GivenFact& other) { return other.name == fact.name; });
    if (same == all.end())
      all.push_back(std::move(fact));
    else
      *same = std::move(fact);
  }
}

bool is_about_gpu(const std::string& assignment) { return assignment.starts_with("gpu."); }

// The folder that the launch's model_path names, if it is one here and holds a config.json.
std::optional<std::string> local_model_config(const RulePack& pack, const Launch& launch,
                                              const FileSystem& files) {
  const auto found = pack.schema.by_name.find("model_path");
  if (found == pack.schema.by_name.end()) return std::nullopt;
  std::optional<std::string> path;
  for (const LaunchArgument& argument : launch.arguments)
    if (argument.fact == found->second && argument.value.is_string())
      path = argument.value.text + "/config.json";
  if (!path || !files.is_file(*path)) return std::nullopt;
  return path;
}

Result<std::vector<GivenFact>> read_config(const std::string& path, Session& session) {
  ASSAY_TRY(const SourceId source, add_file(session.sources, session.files, path, kMaxConfigBytes));
  return read_model_config(session.sources, source);
}

// Warns where the rules were not written for the release.
void judge_release(const std::string& version, Span span, const RulePack& pack,
                   Diagnostics& warnings) {
  const auto asked = parse_version(version);
  const auto oldest = parse_version(pack.versions.front());
  const auto newest = parse_version(pack.versions.back());
  const bool is_outside = asked && oldest && newest && (*asked < *oldest || *newest < *asked);
  if (!is_outside) return;
  warnings.push_back({Severity::warning,
                      code::invalid_value,
                      span,
                      "the rules for " + pack.title + " cover the releases " +
                          pack.versions.front() + " to " + pack.versions.back() + ", not " +
                          version,
                      "what changed outside them is not known here",
                      {}});
}

Result<std::vector<GivenFact>> engine_version_fact(const std::string& version, const RulePack& pack,
                                                   Diagnostics& warnings) {
  ASSAY_TRY(GivenFact fact, read_fact(pack, "version.engine=" + version));
  if (!parse_version(version))
    return make_error(code::invalid_value, {}, "`" + version + "` is no version number",
                      "a version reads like " + pack.versions.back());
  judge_release(version, {}, pack, warnings);
  fact.source = "--engine-version " + version;
  return std::vector<GivenFact>{std::move(fact)};
}

// What --engine-version said.
std::vector<GivenFact> explicit_version(const std::vector<GivenFact>& all) {
  std::vector<GivenFact> said;
  std::copy_if(all.begin(), all.end(), std::back_inserter(said),
               [](const GivenFact& fact) { return fact.name == "version.engine"; });
  return said;
}

// One fact with two values is a slip, and which was meant nobody knows.
bool contradicts(const std::vector<GivenFact>& said, const GivenFact& fact, Diagnostics& faults) {
  const auto before = std::find_if(said.begin(), said.end(), [&](const GivenFact& other) {
    return other.name == fact.name && !is_same_value(other.value, fact.value);
  });
  if (before == said.end()) return false;
  faults.push_back(
      make_error(code::invalid_value, {},
                 "`" + before->source + "` and `" + fact.source + "` contradict each other",
                 "Give the fact once."));
  return true;
}

}  // namespace

std::vector<Option> FactOptions::table() {
  return {
      {.name = "gpu",
       .target = &gpu,
       .placeholder = "NAME[xCOUNT]",
       .help = "The GPU it will run on, such as H200 or H200x8 (default: this machine's, where "
               "there is one)"},
      {.name = "fact",
       .target = &facts,
       .placeholder = "NAME=VALUE",
       .help = "A fact, such as gpu.sm=90; may be repeated"},
      {.name = "model-config",
       .target = &model_config,
       .placeholder = "FILE",
       .help = "The model's config.json (default: that of a local model folder)",
       .is_path = true},
      {.name = "engine-version",
       .target = &engine_version,
       .placeholder = "VERSION",
       .help = "The engine's release (default: the newest that the rules cover)"},
  };
}

Result<std::vector<GivenFact>> collect_facts(const FactOptions& options,
                                             const std::variant<SourceId, std::string>& gpu_table,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings) {
  std::vector<GivenFact> all;
  if (!options.gpu && std::none_of(options.facts.begin(), options.facts.end(), is_about_gpu)) {
    std::vector<GivenFact> machine = read_machine_facts();
    std::erase_if(machine,
                  [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
    put(all, std::move(machine));
  }
  std::optional<std::string> config = options.model_config;
  if (!config) config = local_model_config(pack, launch, session.files);
  if (config) {
    ASSAY_TRY(std::vector<GivenFact> facts, read_config(*config, session));
    put(all, std::move(facts));
  }
  Diagnostics faults;
  const auto take = [&](Result<std::vector<GivenFact>> facts) {
    if (facts)
      put(all, std::move(*facts));
    else
      faults.insert(faults.end(), facts.error().begin(), facts.error().end());
  };
  if (options.gpu) {
    const auto* read = std::get_if<SourceId>(&gpu_table);
    ASSAY_TRY(const SourceId table,
              read != nullptr ? Result<SourceId>(*read)
                              : add_file(session.sources, session.files,
                                         std::get<std::string>(gpu_table), kMaxTableBytes));
    take(read_gpu(session.sources, table, *options.gpu));
  }
  if (options.engine_version) take(engine_version_fact(*options.engine_version, pack, warnings));
  std::vector<GivenFact> said = explicit_version(all);
  for (const std::string& assignment : options.facts) {
    Result<GivenFact> fact = read_fact(pack, assignment);
    if (fact && contradicts(said, *fact, faults)) continue;
    if (fact) {
      said.push_back(*fact);
      put(all, {std::move(*fact)});
      continue;
    }
    faults.insert(faults.end(), fact.error().begin(), fact.error().end());
  }
  if (!faults.empty()) return faults;
  for (const GivenFact& told : launch.facts) {
    const bool is_overruled = std::any_of(
        all.begin(), all.end(), [&](const GivenFact& fact) { return fact.name == told.name; });
    if (told.name == "version.engine" && !is_overruled)
      judge_release(told.value.text, told.span, pack, warnings);
  }
  return all;
}

}  // namespace assay::cli
