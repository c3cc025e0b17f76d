// Facts are collected from the weakest source to the strongest; the last one to name a fact wins.
#include "tools/cli/launch_facts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/version.h"
#include "engine/evaluate/release_scope.h"
#include "engine/read/argument_words.h"
#include "engine/read/given_fact_reader.h"
#include "tools/cli/machine_facts.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 16u << 20;

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

// The text that the launch gives for an argument.
std::optional<std::string> given_text(const RulePack& pack, const Launch& launch,
                                      std::string_view argument_name) {
  const auto found = pack.schema.by_name.find(argument_name);
  if (found == pack.schema.by_name.end()) return std::nullopt;
  std::optional<std::string> text;
  for (const LaunchArgument& argument : launch.arguments)
    if (argument.fact == found->second && argument.value.is_string()) text = argument.value.text;
  return text;
}

Result<std::vector<GivenFact>> read_config(const std::string& path, Session& session) {
  ASSAY_TRY(const SourceId source, add_file(session.sources, session.files, path, kMaxConfigBytes));
  return read_model_config(session.sources, source);
}

// What the table of public models says of `model_path`, as far as the pack asks for it.
Result<std::vector<GivenFact>> public_model_facts(FactTables& tables, const RulePack& pack,
                                                  std::string_view model_path, Session& session) {
  ASSAY_TRY(const std::span<const PublicModel> table, tables.models(session));
  const PublicModel* model = find_public_model(table, model_path);
  if (model == nullptr) return std::vector<GivenFact>();
  std::vector<GivenFact> facts = facts_of(*model);
  std::erase_if(facts,
                [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
  return facts;
}

// What is known of the model that the launch names: from the file that the user named, from the
// folder that the launch names if it is one here, from the table of public models.
Result<std::vector<GivenFact>> model_facts(const FactOptions& options, FactTables& tables,
                                           const RulePack& pack, const Launch& launch,
                                           Session& session) {
  if (options.model_config) return read_config(*options.model_config, session);
  const auto path = given_text(pack, launch, "model_path");
  if (!path) return std::vector<GivenFact>();
  const std::string local = *path + "/config.json";
  if (session.files.is_file(local)) return read_config(local, session);
  const bool is_said = std::any_of(
      options.facts.begin(), options.facts.end(),
      [](const std::string& assignment) { return assignment.starts_with("model.config="); });
  // Another revision than the newest may hold another config.json.
  if (is_said || given_text(pack, launch, "revision")) return std::vector<GivenFact>();
  return public_model_facts(tables, pack, *path, session);
}

// Warns where the rules were not written for the release.
void judge_release(const std::string& version, Span span, const RulePack& pack,
                   Diagnostics& warnings) {
  if (!is_outside_of(pack, version)) return;
  Diagnostic warning{Severity::warning,
                     code::invalid_value,
                     span,
                     "the rules for " + pack.title + " were read from the releases " +
                         covered_releases(pack) + ", not " + version,
                     "what changed outside them is not known here, so flags and choices that they "
                     "lack are only warned of",
                     {}};
  const bool is_said = std::any_of(warnings.begin(), warnings.end(), [&](const Diagnostic& other) {
    return other.message == warning.message && other.span == warning.span;
  });
  if (!is_said) warnings.push_back(std::move(warning));
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
       .help =
           "The model's config.json (default: that of a local model folder, or what is known of "
           "a public model's)",
       .is_path = true},
      {.name = "engine-version",
       .target = &engine_version,
       .placeholder = "VERSION",
       .help = "The engine's release (default: the newest that the rules cover)"},
  };
}

std::string FactOptions::release() const {
  std::string said = engine_version.value_or("");
  for (const std::string& assignment : facts)
    if (const std::string_view release = assigned_release(assignment); !release.empty())
      said = release;
  return said;
}

Result<SourceId> FactTables::gpus(Session& session) {
  if (!sources_.gpus) {
    ASSAY_TRY(sources_.gpus,
              add_file(session.sources, session.files, folder_.gpu_table(), kMaxTableBytes));
  }
  return *sources_.gpus;
}

Result<std::span<const PublicModel>> FactTables::models(Session& session) {
  if (!models_) {
    if (!sources_.models && session.files.is_file(folder_.model_table())) {
      ASSAY_TRY(sources_.models,
                add_file(session.sources, session.files, folder_.model_table(), kMaxTableBytes));
    }
    std::vector<PublicModel> read;
    if (sources_.models) {
      ASSAY_TRY(read, read_model_table(session.sources, *sources_.models));
    }
    models_ = std::move(read);
  }
  return std::span<const PublicModel>(*models_);
}

Result<std::vector<GivenFact>> collect_facts(const FactOptions& options, FactTables& tables,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings) {
  std::vector<GivenFact> all;
  if (!options.gpu && std::none_of(options.facts.begin(), options.facts.end(), is_about_gpu)) {
    std::vector<GivenFact> machine = read_machine_facts();
    std::erase_if(machine,
                  [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
    put(all, std::move(machine));
  }
  ASSAY_TRY(std::vector<GivenFact> of_model, model_facts(options, tables, pack, launch, session));
  put(all, std::move(of_model));
  Diagnostics faults;
  const auto take = [&](Result<std::vector<GivenFact>> facts) {
    if (facts)
      put(all, std::move(*facts));
    else
      faults.insert(faults.end(), facts.error().begin(), facts.error().end());
  };
  if (options.gpu) {
    ASSAY_TRY(const SourceId table, tables.gpus(session));
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
