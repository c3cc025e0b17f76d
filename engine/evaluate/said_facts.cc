// Facts are collected from the weakest source to the strongest; the last one to name a fact wins.
// The program and the C interface both ask here, so that they answer alike. Sources of facts are
// named as the program's options are.
#include "engine/evaluate/said_facts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/version.h"
#include "engine/evaluate/release_scope.h"
#include "engine/read/argument_words.h"
#include "engine/read/given_fact_reader.h"

namespace assay {
namespace {

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

// What `engine_version` said.
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

std::string SaidFacts::release() const {
  std::string named = engine_version.value_or("");
  for (const std::string& assignment : facts)
    if (const std::string_view release = assigned_release(assignment); !release.empty())
      named = release;
  return named;
}

std::optional<std::string> given_text(const RulePack& pack, const Launch& launch,
                                      std::string_view argument_name) {
  const auto found = pack.schema.by_name.find(argument_name);
  if (found == pack.schema.by_name.end()) return std::nullopt;
  std::optional<std::string> text;
  for (const LaunchArgument& argument : launch.arguments)
    if (argument.fact == found->second && argument.value.is_string()) text = argument.value.text;
  return text;
}

std::vector<GivenFact> public_model_facts(std::span<const PublicModel> table, const SaidFacts& said,
                                          const RulePack& pack, const Launch& launch) {
  const auto path = given_text(pack, launch, "model_path");
  const bool is_said = std::any_of(
      said.facts.begin(), said.facts.end(),
      [](const std::string& assignment) { return assignment.starts_with("model.config="); });
  if (!path || is_said || given_text(pack, launch, "revision")) return {};
  const PublicModel* model = find_public_model(table, *path);
  if (model == nullptr) return {};
  std::vector<GivenFact> facts = facts_of(*model);
  std::erase_if(facts,
                [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
  return facts;
}

Result<std::vector<GivenFact>> weigh_facts(std::vector<GivenFact> found, const SaidFacts& said,
                                           std::optional<SourceId> gpu_table, SourceSet& sources,
                                           const RulePack& pack, const Launch& launch,
                                           Diagnostics& warnings) {
  std::vector<GivenFact> all;
  put(all, std::move(found));
  Diagnostics faults;
  const auto take = [&](Result<std::vector<GivenFact>> facts) {
    if (facts)
      put(all, std::move(*facts));
    else
      faults.insert(faults.end(), facts.error().begin(), facts.error().end());
  };
  if (said.gpu && gpu_table) take(read_gpu(sources, *gpu_table, *said.gpu));
  if (said.engine_version) take(engine_version_fact(*said.engine_version, pack, warnings));
  std::vector<GivenFact> told_once = explicit_version(all);
  for (const std::string& assignment : said.facts) {
    Result<GivenFact> fact = read_fact(pack, assignment);
    if (fact && contradicts(told_once, *fact, faults)) continue;
    if (fact) {
      told_once.push_back(*fact);
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

}  // namespace assay
