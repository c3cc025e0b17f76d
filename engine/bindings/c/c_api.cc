// Knowledge, checks and explanations over the C interface. A call reads its text into a set of
// sources of its own, so that calls share nothing but the knowledge, which nobody writes.
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bindings/c/edge.h"
#include "engine/evaluate/explanation.h"
#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/log_judge.h"
#include "engine/evaluate/log_launches.h"
#include "engine/evaluate/log_scan.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/release_scope.h"
#include "engine/evaluate/repair_search.h"
#include "engine/evaluate/said_facts.h"
#include "engine/read/given_fact_reader.h"
#include "engine/read/launch_reader.h"
#include "engine/report/json_report.h"
#include "engine/text/byte_stream.h"

namespace {

using namespace assay;
using c::answer;
using c::guarded;
using c::no_answer;

constexpr std::size_t kMaxTextBytes = 2u << 30;
constexpr std::size_t kMaxConfigBytes = 16u << 20;

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
  Result<KnowledgeTables> tables =
      known->knowledge.bundle != nullptr
          ? known->knowledge.tables
          : add_tables(known->sources, DiskFileSystem(), KnowledgeFolder::below(path));
  if (!tables) return no_answer(tables.error(), known->sources, message);
  known->facts.emplace(known->sources, *tables);
  for (const CompiledContract& contract : known->knowledge.contracts)
    known->contracts.push_back({&contract, &known->sources});
  *result = known.release();
  return ASSAY_CLEAN;
}

struct Request {
  std::string_view text;
  InputKind input = InputKind::automatic;
  SaidFacts said;
  std::optional<std::string_view> model_config;
  const Cancellation* cancellation = nullptr;
};

Result<CheckedLaunch> check_one(const assay_knowledge& known, const Request& request,
                                Launch& launch, SourceSet& sources, Diagnostics& warnings) {
  const CompiledPack& compiled = *known.knowledge.find_pack(launch.pack);
  const RulePack& pack = source_pack(compiled);
  ASSAY_TRY(
      const std::vector<GivenFact> facts,
      known.facts->collect(request.said, request.model_config, pack, launch, sources, warnings));
  allow_unknown_names(pack, facts, launch);
  CheckedLaunch checked{&launch, check_launch(compiled, launch, facts)};
  RepairOptions repairs;
  repairs.cancellation = request.cancellation;
  if (checked.report.has_violations())
    find_repairs(compiled, sources, launch, facts, checked.report, repairs);
  return checked;
}

assay_status check(const assay_knowledge& known, const Request& request, char** report,
                   char** message) {
  SourceSet sources;
  Diagnostics warnings;
  const std::vector<const RulePack*> packs = known.knowledge.rule_packs();
  const SourceId source = sources.add("<text>", std::string(request.text));
  Result<std::vector<Launch>> launches = read_launches(
      sources, source, {packs, nullptr, request.input, request.said.release()}, warnings);
  if (!launches) return no_answer(launches.error(), sources, message);

  std::vector<CheckedLaunch> checked;
  bool is_clean = true;
  for (Launch& launch : *launches) {
    if (is_cancelled(request.cancellation)) return ASSAY_CANCELLED;
    Result<CheckedLaunch> one = check_one(known, request, launch, sources, warnings);
    if (!one) return no_answer(one.error(), sources, message);
    checked.push_back(std::move(*one));
    is_clean &= !checked.back().report.has_violations();
  }
  if (is_cancelled(request.cancellation)) return ASSAY_CANCELLED;
  const std::string text_of_report =
      write_json_report({checked, &sources, &known.knowledge.dataset});
  const Diagnostics damage = known.knowledge.damage();
  if (!damage.empty()) return no_answer(damage, sources, message);
  return answer(is_clean ? ASSAY_CLEAN : ASSAY_FINDINGS, text_of_report, report, message);
}

// Reads `options` into `request`; false: `message` says what is wrong with them.
bool read_options(const assay_check_options& options, Request& request, char** message) {
  const auto refuse = [&](const std::string& why) {
    no_answer(why, message);
    return false;
  };
  if (options.size != sizeof(assay_check_options))
    return refuse("`options->size` is not sizeof(assay_check_options)");
  if (options.facts == nullptr && options.fact_count > 0) return refuse("`facts` is NULL");
  if (options.model_config == nullptr && options.model_config_size > 0)
    return refuse("`model_config` is NULL");
  if (options.model_config_size > kMaxConfigBytes)
    return refuse("the model's config.json is larger than 16 MiB");
  const std::string_view kind = options.input == nullptr ? "auto" : options.input;
  const auto named = find_input_kind(kind);
  if (!named)
    return refuse("`input` is \"" + std::string(kind) + "\", which names no kind of input");
  request.input = *named;
  for (std::size_t i = 0; i < options.fact_count; ++i)
    request.said.facts.emplace_back(options.facts[i] == nullptr ? "" : options.facts[i]);
  if (options.gpu != nullptr) request.said.gpu = options.gpu;
  if (options.engine_version != nullptr) request.said.engine_version = options.engine_version;
  if (options.model_config != nullptr)
    request.model_config.emplace(options.model_config, options.model_config_size);
  request.cancellation = c::wish_of(options.cancellation);
  return true;
}

assay_status explain(const assay_knowledge& known, std::string_view text,
                     const Cancellation* cancellation, char** report, char** message) {
  SourceSet sources;
  Result<LogReader> reader = LogReader::open(stream_of(text), "<text>");
  if (!reader) return no_answer(reader.error(), sources, message);
  ExplainOptions options;
  options.similar = &known.similar;
  LogJudge judge(options, "<text>");
  const LogScanResult scan = scan_log(*known.matcher, *reader, 1, [&](ScannedChunk& scanned) {
    judge.add({scanned.chunk->text(), scanned.found, static_cast<std::size_t>(scanned.first_line),
               scanned.chunk});
    return !is_cancelled(cancellation);
  });
  if (is_cancelled(cancellation)) return ASSAY_CANCELLED;
  if (!scan.faults.empty()) return no_answer(scan.faults, sources, message);
  Explanation explanation = judge.finish(static_cast<std::size_t>(scan.lines));
  explain_launches(known.knowledge.packs, sources, options.mask, explanation, cancellation);
  if (is_cancelled(cancellation)) return ASSAY_CANCELLED;
  const std::string text_of_report = write_json_explanations({&explanation, 1});
  const Diagnostics damage = known.knowledge.damage();
  if (!damage.empty()) return no_answer(damage, known.sources, message);
  return answer(explanation.has_answer() ? ASSAY_CLEAN : ASSAY_FINDINGS, text_of_report, report,
                message);
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
                         const assay_check_options* options, char** report,
                         char** message) noexcept {
  return guarded(report, message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    if (size > kMaxTextBytes) return no_answer("the text is larger than 2 GiB", message);
    Request request;
    request.text = {text, size};
    if (options != nullptr && !read_options(*options, request, message)) return ASSAY_NO_ANSWER;
    return check(*knowledge, request, report, message);
  });
}

assay_status assay_explain(const assay_knowledge* knowledge, const char* text, size_t size,
                           const assay_cancellation* cancellation, char** report,
                           char** message) noexcept {
  return guarded(report, message, [&] {
    if (knowledge == nullptr) return no_answer("`knowledge` is NULL", message);
    if (text == nullptr && size > 0) return no_answer("`text` is NULL", message);
    if (size > kMaxTextBytes) return no_answer("the text is larger than 2 GiB", message);
    return explain(*knowledge, {text, size}, c::wish_of(cancellation), report, message);
  });
}

}  // extern "C"
