// A short log is read whole and explained as one text. A longer one, or one that is packed or in
// UTF-16, goes through the reader of logs, which asks for its bytes one piece after the other, on a
// thread of its own while they come.
// Launches are checked as the C interface does it: without a file system, with the facts that the
// request names and no others.
#include "tools/serve/service_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <set>

#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/log_judge.h"
#include "engine/evaluate/log_launches.h"
#include "engine/evaluate/log_scan.h"
#include "engine/evaluate/release_scope.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/launch_reader.h"
#include "engine/report/json_report.h"
#include "engine/report/site_pages.h"
#include "tools/serve/answers.h"
#include "tools/serve/body_pipe.h"

namespace assay::serve {
namespace {

constexpr std::uint64_t kShortLogBytes = 256 << 10;
constexpr std::uint64_t kMaxLaunchBytes = 256 << 10;
constexpr std::size_t kMaxLaunches = 16;
constexpr std::size_t kMaxQueryBytes = 1000;
constexpr std::size_t kMaxFound = 50;

// Nothing: none was found by the connection.
std::optional<std::string> fault_of_body(const BodyExchange& exchange) {
  const auto& fault = HttpServer::connection_of(exchange.request)->fault();
  return fault ? std::optional(fault->message) : std::nullopt;
}

void answer_body_fault(const BodyExchange& exchange) {
  const auto& fault = HttpServer::connection_of(exchange.request)->fault();
  answer_fault(exchange.response, fault ? fault->status : 400,
               fault ? fault->message : "the body could not be read");
}

// All of the body; else it is answered why not. `too_large`: what is said then.
std::optional<std::string> read_whole(const BodyExchange& exchange, std::uint64_t max_bytes,
                                      std::string_view too_large) {
  std::string text;
  bool fits = true;
  const bool is_read = exchange.body([&](const char* data, std::size_t size) {
    fits = text.size() + size <= max_bytes;
    if (fits) text.append(data, size);
    return fits;
  });
  if (fits && is_read && !fault_of_body(exchange)) return text;
  if (fits)
    answer_body_fault(exchange);
  else
    answer_fault(exchange.response, 413, too_large);
  return std::nullopt;
}

void answer_log(const BodyExchange& exchange, const ServedKnowledge& knowledge,
                Explanation explanation) {
  SourceSet sources;
  explain_launches(knowledge.knowledge().packs, sources, true, explanation);
  std::string json = write_json_explanations({&explanation, 1});
  const Diagnostics damage = knowledge.knowledge().damage();
  if (damage.empty())
    answer_json(exchange.request, exchange.response, std::move(json));
  else
    answer_fault(exchange.response, 500, damage, knowledge.sources());
}

struct ScannedLog {
  std::optional<Explanation> explanation;
  Diagnostics faults;  // why there is none, unless it is too large
};

ScannedLog scan_stream(const ServedKnowledge& knowledge, std::unique_ptr<ByteStream> stream,
                       std::uint64_t max_bytes) {
  Result<LogReader> reader = LogReader::open(std::move(stream), "<body>");
  if (!reader) return {std::nullopt, reader.error()};
  ExplainOptions options;
  options.similar = &knowledge.similar();
  LogJudge judge(options, "<body>");
  std::uint64_t seen = 0;
  LogScanResult result = scan_log(knowledge.matcher(), *reader, 1, [&](ScannedChunk& scanned) {
    seen += scanned.chunk->text().size();
    judge.add({scanned.chunk->text(), scanned.found, static_cast<std::size_t>(scanned.first_line),
               scanned.chunk});
    return seen <= max_bytes;
  });
  if (seen > max_bytes) return {};
  if (!result.faults.empty()) return {std::nullopt, std::move(result.faults)};
  return {judge.finish(static_cast<std::size_t>(result.lines)), {}};
}

void answer_scanned(const BodyExchange& exchange, const ServedKnowledge& knowledge,
                    ScannedLog scanned) {
  if (scanned.explanation)
    answer_log(exchange, knowledge, std::move(*scanned.explanation));
  else if (fault_of_body(exchange))
    answer_body_fault(exchange);
  else if (!scanned.faults.empty())
    answer_fault(exchange.response, 422, scanned.faults, SourceSet());
  else
    answer_fault(exchange.response, 413, "the log is too large");
}

void explain_as_it_comes(const BodyExchange& exchange, const ServedKnowledge& knowledge,
                         std::uint64_t max_bytes) {
  BodyPipe pipe;
  auto scanned = std::async(
      std::launch::async,
      [&knowledge, max_bytes](std::unique_ptr<ByteStream> stream) {
        return scan_stream(knowledge, std::move(stream), max_bytes);
      },
      pipe.stream());
  // Whatever happens here, the other thread does not wait for more.
  struct End {
    BodyPipe& pipe;
    ~End() { pipe.end("the body could not be read"); }
  } end{pipe};
  std::uint64_t seen = 0;
  const bool is_read = exchange.body([&](const char* data, std::size_t size) {
    seen += size;
    return seen <= max_bytes && pipe.push({data, size});
  });
  std::optional<std::string> fault = fault_of_body(exchange);
  if (!fault && !is_read) fault = "not all of the body was read";
  pipe.end(std::move(fault));
  ScannedLog result = scanned.get();
  if (seen > max_bytes) result = {};
  answer_scanned(exchange, knowledge, std::move(result));
}

// Whether the log's own reader has to look at it: packed, or in UTF-16.
bool needs_reader(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd") ||
         text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         is_binary(text.substr(0, 64 << 10));
}

SaidFacts said_in(const httplib::Request& request) {
  SaidFacts said;
  for (const auto& [name, value] : request.params) {
    if (name == "gpu") said.gpu = value;
    if (name == "engine-version") said.engine_version = value;
    if (name == "fact") said.facts.push_back(value);
  }
  return said;
}

void check_text(const BodyExchange& exchange, const ServedKnowledge& knowledge, std::string text) {
  const httplib::Request& request = exchange.request;
  httplib::Response& response = exchange.response;
  const auto kind =
      find_input_kind(request.has_param("input") ? request.get_param_value("input") : "auto");
  if (!kind) return answer_fault(response, 400, "`input` names no kind of input");
  SourceSet sources;
  Diagnostics warnings;
  const SaidFacts said = said_in(request);
  const SourceId source = sources.add("<body>", std::move(text));
  Result<std::vector<Launch>> launches =
      read_launches(sources, source, {knowledge.packs(), nullptr, *kind, said.release()}, warnings);
  if (!launches) return answer_fault(response, 422, launches.error(), sources);
  if (launches->size() > kMaxLaunches)
    return answer_fault(response, 413, fmt::format("at most {} launches at a time", kMaxLaunches));
  std::vector<CheckedLaunch> checked;
  for (Launch& launch : *launches) {
    const CompiledPack& pack = *knowledge.knowledge().find_pack(launch.pack);
    const auto facts =
        knowledge.facts().collect(said, {}, source_pack(pack), launch, sources, warnings);
    if (!facts) return answer_fault(response, 400, facts.error(), sources);
    allow_unknown_names(source_pack(pack), *facts, launch);
    checked.push_back({&launch, check_launch(pack, launch, *facts)});
    if (checked.back().report.has_violations())
      find_repairs(pack, sources, launch, *facts, checked.back().report);
  }
  std::string json = write_json_report({checked, &sources, &knowledge.knowledge().dataset});
  const Diagnostics damage = knowledge.knowledge().damage();
  if (damage.empty())
    answer_json(request, response, std::move(json));
  else
    answer_fault(response, 500, damage, knowledge.sources());
}

void answer_busy(httplib::Response& response) {
  answer_fault(response, 503, "too much at a time");
  response.set_header("Retry-After", "1");
  response.set_header("Connection", "close");
}

template <class Work>
void in_turn(WorkGate::Turn turn, httplib::Response& response, Work&& work) {
  if (turn)
    work();
  else
    answer_busy(response);
}

}  // namespace

void explain_body(const BodyExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate,
                  std::uint64_t max_bytes) {
  const RequestHead& head = HttpServer::connection_of(exchange.request)->head();
  if (head.is_chunked || head.content_length.value_or(0) > kShortLogBytes)
    return in_turn(gate.enter_long_log(), exchange.response,
                   [&] { explain_as_it_comes(exchange, knowledge, max_bytes); });
  const auto text = read_whole(exchange, kShortLogBytes, "the log is too large");
  if (!text) return;
  if (needs_reader(*text))  // it may be a long one, packed
    return in_turn(gate.enter_long_log(), exchange.response, [&] {
      answer_scanned(exchange, knowledge, scan_stream(knowledge, stream_of(*text), max_bytes));
    });
  in_turn(gate.enter_text(), exchange.response, [&] {
    ExplainOptions options;
    options.similar = &knowledge.similar();
    answer_log(exchange, knowledge, explain_text(knowledge.matcher(), "<body>", *text, options));
  });
}

void check_body(const BodyExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate) {
  auto text = read_whole(exchange, kMaxLaunchBytes, "a launch has at most 256 KiB");
  if (!text) return;
  in_turn(gate.enter_text(), exchange.response,
          [&] { check_text(exchange, knowledge, std::move(*text)); });
}

void search_records(const httplib::Request& request, httplib::Response& response,
                    const ServedKnowledge& knowledge) {
  const std::string query = request.get_param_value("query");
  if (query.empty())
    return answer_fault(response, 400, "`query` is missing: a message, or words of one");
  if (query.size() > kMaxQueryBytes) return answer_fault(response, 400, "`query` is too long");
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("query", query).key("errors").begin_array();
  std::set<const ErrorRecord*> told;
  const auto tell = [&](const ErrorRecord& record, std::string_view how) {
    if (told.size() >= kMaxFound || !told.insert(&record).second) return;
    json.begin_object().member("id", record.id).member("repo", record.repo);
    json.member("slug", record.slug).member("errorMessage", record.error_message);
    json.member("severity", record.severity).member("found", how);
    json.member("page", "/" + record_path(record) + ".html").end_object();
  };
  for (const MessageMatch& match : knowledge.matcher().find(query)) tell(*match.record, "message");
  for (const SimilarRecord& near : knowledge.similar().find("", query, kMaxFound))
    tell(*near.record, "words");
  for (const ErrorRecord& record : knowledge.knowledge().dataset.records)
    if (record.slug.find(query) != std::string::npos ||
        record.error_message.find(query) != std::string::npos ||
        std::ranges::find(record.tags, query) != record.tags.end())
      tell(record, "text");
  json.end_array().end_object();
  answer_json(request, response, json.take() + "\n");
}

}  // namespace assay::serve
