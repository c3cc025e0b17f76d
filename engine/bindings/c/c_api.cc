// The C interface over the library. Each function catches everything at its edge (memory is what
// can run out) and turns it into a status and a message. A call reads its text into a set of
// sources of its own, so that calls share nothing but the knowledge, which nobody writes.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "engine/bindings/c/assay.h"
#include "engine/evaluate/explanation.h"
#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/given_fact_reader.h"
#include "engine/read/launch_reader.h"
#include "engine/report/json_report.h"
#include "engine/text/diagnostic_rendering.h"

struct assay_knowledge {
  assay::SourceSet sources;
  assay::Knowledge knowledge;
  assay::MessageMatcher matcher;
};

namespace {

using namespace assay;

constexpr std::size_t kMaxTextBytes = 2u << 30;

char* copy(const std::string& text) {
  char* const memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory != nullptr) std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

assay_status no_answer(const std::string& why, char** message) {
  if (message != nullptr) *message = copy(why);
  return ASSAY_NO_ANSWER;
}

assay_status no_answer(const Diagnostics& faults, const SourceSet& sources, char** message) {
  std::string text;
  for (const Diagnostic& fault : faults) text += render_diagnostic(fault, sources, false);
  return no_answer(text, message);
}

// Runs `work`; what it throws becomes ASSAY_NO_ANSWER.
template <class Work>
assay_status guarded(char** message, Work work) noexcept {
  if (message != nullptr) *message = nullptr;
  try {
    return work();
  } catch (const std::exception& fault) {
    if (message != nullptr) *message = strdup(fault.what());
  } catch (...) {
    if (message != nullptr) *message = strdup("internal fault");
  }
  return ASSAY_NO_ANSWER;
}

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
  Result<MessageMatcher> matcher = MessageMatcher::compile(knowledge->dataset);
  if (!matcher) return no_answer(matcher.error(), sources, message);
  *result = new assay_knowledge{std::move(sources), std::move(*knowledge), std::move(*matcher)};
  return ASSAY_CLEAN;
}

Result<std::vector<GivenFact>> read_facts(const RulePack& pack, const char* const* facts,
                                          std::size_t count) {
  std::vector<GivenFact> all;
  for (std::size_t i = 0; i < count; ++i) {
    ASSAY_TRY(GivenFact fact, read_fact(pack, facts[i] == nullptr ? "" : facts[i]));
    all.push_back(std::move(fact));
  }
  return all;
}

assay_status check(const assay_knowledge& known, std::string text, const char* const* facts,
                   std::size_t fact_count, char** report, char** message) {
  SourceSet sources;
  Diagnostics warnings;
  const std::vector<const RulePack*> packs = known.knowledge.rule_packs();
  const SourceId source = sources.add("<text>", std::move(text));
  const Result<std::vector<Launch>> launches =
      read_launches(sources, source, {packs, nullptr, InputKind::automatic}, warnings);
  if (!launches) return no_answer(launches.error(), sources, message);

  std::vector<CheckedLaunch> checked;
  bool is_clean = true;
  for (const Launch& launch : *launches) {
    const CompiledPack& pack = *known.knowledge.find_pack(launch.pack);
    const auto given = read_facts(source_pack(pack), facts, fact_count);
    if (!given) return no_answer(given.error(), sources, message);
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
  *report = copy(text_of_report);
  if (*report == nullptr) return no_answer("out of memory", message);
  return is_clean ? ASSAY_CLEAN : ASSAY_FINDINGS;
}

}  // namespace

extern "C" {

const char* assay_version(void) noexcept { return ASSAY_VERSION; }

assay_status assay_knowledge_load(const char* folder, assay_knowledge** knowledge,
                                  char** message) noexcept {
  return guarded(message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    *knowledge = nullptr;
    if (folder == nullptr) return no_answer("`folder` is NULL", message);
    return load(folder, knowledge, message);
  });
}

void assay_knowledge_free(assay_knowledge* knowledge) noexcept { delete knowledge; }

assay_status assay_check(const assay_knowledge* knowledge, const char* text, size_t size,
                         const char* const* facts, size_t fact_count, char** report,
                         char** message) noexcept {
  return guarded(message, [&] {
    if (report == nullptr) return no_answer("`report` is NULL", message);
    *report = nullptr;
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    if (facts == nullptr && fact_count > 0) return no_answer("`facts` is NULL", message);
    if (size > kMaxTextBytes) return no_answer("the text is larger than 2 GiB", message);
    return check(*knowledge, std::string(text, size), facts, fact_count, report, message);
  });
}

assay_status assay_explain(const assay_knowledge* knowledge, const char* text, size_t size,
                           char** report, char** message) noexcept {
  return guarded(message, [&] {
    if (report == nullptr) return no_answer("`report` is NULL", message);
    *report = nullptr;
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    const Explanation explanation = explain_text(knowledge->matcher, "<text>", {text, size});
    const Diagnostics damage = knowledge->knowledge.damage();
    if (!damage.empty()) return no_answer(damage, knowledge->sources, message);
    *report = copy(write_json_explanations({&explanation, 1}));
    if (*report == nullptr) return no_answer("out of memory", message);
    return explanation.errors.empty() ? ASSAY_FINDINGS : ASSAY_CLEAN;
  });
}

void assay_text_free(char* text) noexcept { std::free(text); }

}  // extern "C"
