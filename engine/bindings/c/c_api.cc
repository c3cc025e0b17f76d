// Knowledge, checks and explanations over the C interface. A call reads its text into a set of
// sources of its own, so that calls share nothing but the knowledge, which nobody writes.
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bindings/c/edge.h"
#include "engine/evaluate/explanation.h"
#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/log_launches.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/release_scope.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/given_fact_reader.h"
#include "engine/read/launch_reader.h"
#include "engine/report/json_report.h"

namespace {

using namespace assay;
using c::answer;
using c::guarded;
using c::no_answer;

constexpr std::size_t kMaxTextBytes = 2u << 30;

Result<Knowledge> read_knowledge(const std::string& path, SourceSet& sources) {
  const DiskFileSystem files;
  if (files.is_file(path)) return open_bundle(sources, path);
  Diagnostics warnings;
  return load_knowledge(sources, files, KnowledgeFolder::below(path), warnings);
}

assay_status load(const std::string& path, assay_knowledge** result, char** message) {
  SourceSet sources;
  Result<Knowledge> knowledge = read_knowledge(path, sources);
  if (!knowledge) return no_answer(knowledge.error(), sources, message);
  auto known = std::make_unique<assay_knowledge>();
  known->sources = std::move(sources);
  known->knowledge = std::move(*knowledge);
  const Dataset& dataset = known->knowledge.dataset;
  if (known->knowledge.bundle != nullptr) {
    known->matcher.emplace(MessageMatcher::open(dataset, *known->knowledge.bundle));
  } else {
    Result<MessageMatcher> matcher = MessageMatcher::compile(dataset);
    if (!matcher) return no_answer(matcher.error(), known->sources, message);
    known->matcher.emplace(std::move(*matcher));
  }
  for (const CompiledContract& contract : known->knowledge.contracts)
    known->contracts.push_back({&contract, &known->sources});
  *result = known.release();
  return ASSAY_CLEAN;
}

struct Request {
  std::string_view text;
  InputKind input = InputKind::automatic;
  const char* const* facts = nullptr;
  std::size_t fact_count = 0;
};

Result<std::vector<GivenFact>> read_facts(const RulePack& pack, const Request& request) {
  std::vector<GivenFact> all;
  for (std::size_t i = 0; i < request.fact_count; ++i) {
    ASSAY_TRY(GivenFact fact, read_fact(pack, request.facts[i] == nullptr ? "" : request.facts[i]));
    all.push_back(std::move(fact));
  }
  return all;
}

// The release that the facts name; empty: none does.
std::string said_release(const Request& request) {
  std::string release;
  for (std::size_t i = 0; i < request.fact_count; ++i)
    if (request.facts[i] != nullptr && !assigned_release(request.facts[i]).empty())
      release = assigned_release(request.facts[i]);
  return release;
}

assay_status check(const assay_knowledge& known, const Request& request, char** report,
                   char** message) {
  SourceSet sources;
  Diagnostics warnings;
  const std::vector<const RulePack*> packs = known.knowledge.rule_packs();
  const SourceId source = sources.add("<text>", std::string(request.text));
  Result<std::vector<Launch>> launches = read_launches(
      sources, source, {packs, nullptr, request.input, said_release(request)}, warnings);
  if (!launches) return no_answer(launches.error(), sources, message);

  std::vector<CheckedLaunch> checked;
  bool is_clean = true;
  for (Launch& launch : *launches) {
    const CompiledPack& pack = *known.knowledge.find_pack(launch.pack);
    const auto given = read_facts(source_pack(pack), request);
    if (!given) return no_answer(given.error(), sources, message);
    allow_unknown_names(source_pack(pack), *given, launch);
    checked.push_back({&launch, check_launch(pack, launch, *given)});
    CheckReport& one = checked.back().report;
    if (!one.has_violations()) continue;
    is_clean = false;
    find_repairs(pack, sources, launch, *given, one);
  }
  const std::string text_of_report =
      write_json_report({checked, &sources, &known.knowledge.dataset});
  const Diagnostics damage = known.knowledge.damage();
  if (!damage.empty()) return no_answer(damage, sources, message);
  return answer(is_clean ? ASSAY_CLEAN : ASSAY_FINDINGS, text_of_report, report, message);
}

}  // namespace

extern "C" {

const char* assay_version(void) noexcept { return ASSAY_VERSION; }

void assay_text_free(char* text) noexcept { std::free(text); }

assay_status assay_knowledge_load(const char* path, assay_knowledge** knowledge,
                                  char** message) noexcept {
  return guarded(nullptr, message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    *knowledge = nullptr;
    if (path == nullptr) return no_answer("`path` is NULL", message);
    return load(path, knowledge, message);
  });
}

void assay_knowledge_free(assay_knowledge* knowledge) noexcept { delete knowledge; }

assay_status assay_check(const assay_knowledge* knowledge, const char* text, size_t size,
                         const char* input, const char* const* facts, size_t fact_count,
                         char** report, char** message) noexcept {
  return guarded(report, message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    if (facts == nullptr && fact_count > 0) return no_answer("`facts` is NULL", message);
    if (size > kMaxTextBytes) return no_answer("the text is larger than 2 GiB", message);
    const std::string_view kind = input == nullptr ? "auto" : input;
    const auto named = find_input_kind(kind);
    if (!named)
      return no_answer("`input` is \"" + std::string(kind) + "\", which names no kind of input",
                       message);
    return check(*knowledge, {{text, size}, *named, facts, fact_count}, report, message);
  });
}

assay_status assay_explain(const assay_knowledge* knowledge, const char* text, size_t size,
                           char** report, char** message) noexcept {
  return guarded(report, message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    if (size > kMaxTextBytes) return no_answer("the text is larger than 2 GiB", message);
    ExplainOptions options;
    options.dataset = &knowledge->knowledge.dataset;
    SourceSet sources;
    Explanation explanation = explain_text(*knowledge->matcher, "<text>", {text, size}, options);
    explain_launches(knowledge->knowledge.packs, sources, options.mask, explanation);
    const std::string text_of_report = write_json_explanations({&explanation, 1});
    const Diagnostics damage = knowledge->knowledge.damage();
    if (!damage.empty()) return no_answer(damage, knowledge->sources, message);
    return answer(explanation.has_answer() ? ASSAY_CLEAN : ASSAY_FINDINGS, text_of_report, report,
                  message);
  });
}

}  // extern "C"
