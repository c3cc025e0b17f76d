// A short log is read whole and explained as one text. A longer one, or one that is packed or in
// UTF-16, goes through the reader of logs, which asks for its bytes one piece after the other.
// Launches are checked as the C interface does it: without a file system, with the facts that the
// request names and no others.
#include "tools/serve/service_bodies.h"

#include <fmt/format.h>

#include <algorithm>
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

namespace assay::serve {
namespace {

constexpr std::uint64_t kShortLogBytes = 256 << 10;
constexpr std::uint64_t kMaxLaunchBytes = 256 << 10;
constexpr std::size_t kMaxLaunches = 16;
constexpr std::size_t kMaxQueryBytes = 1000;
constexpr std::size_t kMaxFound = 50;

HttpResponse body_fault(const HttpConnection& connection) {
  HttpResponse response =
      fault_response(connection.body_fault()->status, connection.body_fault()->message);
  response.closes = true;
  return response;
}

// All of the body, or nothing where it is larger or broken.
std::optional<std::string> read_whole(HttpExchange& exchange, std::uint64_t max_bytes) {
  HttpConnection& connection = exchange.connection;
  std::string body;
  body.reserve(std::min(exchange.request.content_length.value_or(0), max_bytes));
  char piece[16 << 10];
  while (const std::size_t count = connection.read_body(piece, sizeof piece)) {
    if (body.size() + count > max_bytes) return std::nullopt;
    body.append(piece, count);
  }
  if (connection.body_fault()) return std::nullopt;
  return body;
}

class BodyStream final : public ByteStream {
 public:
  explicit BodyStream(HttpConnection& connection) : connection_(connection) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t count = connection_.read_body(to, size);
    if (connection_.body_fault())
      return make_error(code::truncated_input, {}, connection_.body_fault()->message);
    position_ += count;
    return count;
  }
  std::uint64_t position() const override { return position_; }

 private:
  HttpConnection& connection_;
  std::uint64_t position_ = 0;
};

HttpResponse answer_log(const HttpRequest& request, const ServedKnowledge& knowledge,
                        Explanation explanation) {
  SourceSet sources;
  explain_launches(knowledge.knowledge().packs, sources, true, explanation);
  std::string json = write_json_explanations({&explanation, 1});
  const Diagnostics damage = knowledge.knowledge().damage();
  return damage.empty() ? json_response(request, std::move(json))
                        : fault_response(500, damage, knowledge.sources());
}

HttpResponse explain_stream(HttpExchange& exchange, const ServedKnowledge& knowledge,
                            std::unique_ptr<ByteStream> stream, std::uint64_t max_bytes) {
  const HttpConnection& connection = exchange.connection;
  const auto refused = [&](const Diagnostics& faults) {
    if (connection.body_fault()) return body_fault(connection);
    HttpResponse response = fault_response(422, faults, SourceSet());
    response.closes = true;
    return response;
  };
  Result<LogReader> reader = LogReader::open(std::move(stream), "<body>");
  if (!reader) return refused(reader.error());
  ExplainOptions options;
  options.dataset = &knowledge.knowledge().dataset;
  LogJudge judge(options, "<body>");
  std::uint64_t seen = 0;
  LogScanResult result = scan_log(knowledge.matcher(), *reader, 1, [&](ScannedChunk& scanned) {
    seen += scanned.chunk->text().size();
    judge.add({scanned.chunk->text(), scanned.found, static_cast<std::size_t>(scanned.first_line),
               scanned.chunk});
    return seen <= max_bytes;
  });
  if (seen > max_bytes) {
    HttpResponse response = fault_response(413, "the log is too large");
    response.closes = true;
    return response;
  }
  if (!result.faults.empty()) return refused(result.faults);
  return answer_log(exchange.request, knowledge,
                    judge.finish(static_cast<std::size_t>(result.lines)));
}

// Whether the log's own reader has to look at it: packed, or in UTF-16.
bool needs_reader(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd") ||
         text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         is_binary(text.substr(0, 64 << 10));
}

SaidFacts said_in(const HttpRequest& request) {
  SaidFacts said;
  for (const auto& [name, value] : request.query) {
    if (name == "gpu") said.gpu = value;
    if (name == "engine-version") said.engine_version = value;
    if (name == "fact") said.facts.push_back(value);
  }
  return said;
}

HttpResponse check_text(const HttpRequest& request, const ServedKnowledge& knowledge,
                        std::string text) {
  const std::string* input = request.parameter("input");
  const auto kind = find_input_kind(input == nullptr ? "auto" : *input);
  if (!kind) return fault_response(400, "`input` names no kind of input");
  SourceSet sources;
  Diagnostics warnings;
  const SaidFacts said = said_in(request);
  const SourceId source = sources.add("<body>", std::move(text));
  Result<std::vector<Launch>> launches =
      read_launches(sources, source, {knowledge.packs(), nullptr, *kind, said.release()}, warnings);
  if (!launches) return fault_response(422, launches.error(), sources);
  if (launches->size() > kMaxLaunches)
    return fault_response(413, fmt::format("at most {} launches at a time", kMaxLaunches));
  std::vector<CheckedLaunch> checked;
  for (Launch& launch : *launches) {
    const CompiledPack& pack = *knowledge.knowledge().find_pack(launch.pack);
    const auto facts =
        knowledge.facts().collect(said, {}, source_pack(pack), launch, sources, warnings);
    if (!facts) return fault_response(400, facts.error(), sources);
    allow_unknown_names(source_pack(pack), *facts, launch);
    checked.push_back({&launch, check_launch(pack, launch, *facts)});
    if (checked.back().report.has_violations())
      find_repairs(pack, sources, launch, *facts, checked.back().report);
  }
  std::string json = write_json_report({checked, &sources, &knowledge.knowledge().dataset});
  const Diagnostics damage = knowledge.knowledge().damage();
  return damage.empty() ? json_response(request, std::move(json))
                        : fault_response(500, damage, knowledge.sources());
}

HttpResponse busy() {
  HttpResponse response = fault_response(503, "too much at a time");
  response.closes = true;
  response.add("Retry-After", "1");
  return response;
}

template <class Work>
HttpResponse in_turn(WorkGate& gate, Work&& work) {
  const WorkGate::Turn turn = gate.enter_text();
  return turn ? work() : busy();
}

}  // namespace

HttpResponse explain_body(HttpExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate,
                          std::uint64_t max_bytes) {
  HttpConnection& connection = exchange.connection;
  const HttpRequest& request = exchange.request;
  if (!request.is_chunked && request.content_length.value_or(0) <= kShortLogBytes) {
    const auto text = read_whole(exchange, kShortLogBytes);
    if (!text) return body_fault(connection);
    if (needs_reader(*text)) {  // it may be a long one, packed
      const WorkGate::Turn turn = gate.enter_long_log();
      return turn ? explain_stream(exchange, knowledge, stream_of(*text), max_bytes) : busy();
    }
    return in_turn(gate, [&] {
      ExplainOptions options;
      options.dataset = &knowledge.knowledge().dataset;
      return answer_log(request, knowledge,
                        explain_text(knowledge.matcher(), "<body>", *text, options));
    });
  }
  const WorkGate::Turn turn = gate.enter_long_log();
  if (!turn) return busy();
  return explain_stream(exchange, knowledge, std::make_unique<BodyStream>(connection), max_bytes);
}

HttpResponse check_body(HttpExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate) {
  auto text = read_whole(exchange, kMaxLaunchBytes);
  if (text)
    return in_turn(gate, [&] { return check_text(exchange.request, knowledge, std::move(*text)); });
  if (exchange.connection.body_fault()) return body_fault(exchange.connection);
  HttpResponse response = fault_response(413, "a launch has at most 256 KiB");
  response.closes = true;
  return response;
}

HttpResponse search_records(const HttpRequest& request, const ServedKnowledge& knowledge) {
  const std::string* query = request.parameter("query");
  if (query == nullptr || query->empty())
    return fault_response(400, "`query` is missing: a message, or words of one");
  if (query->size() > kMaxQueryBytes) return fault_response(400, "`query` is too long");
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("query", *query).key("errors").begin_array();
  std::set<const ErrorRecord*> told;
  const auto tell = [&](const ErrorRecord& record, std::string_view how) {
    if (told.size() >= kMaxFound || !told.insert(&record).second) return;
    json.begin_object().member("id", record.id).member("repo", record.repo);
    json.member("slug", record.slug).member("errorMessage", record.error_message);
    json.member("severity", record.severity).member("found", how);
    json.member("page", "/" + record_path(record) + ".html").end_object();
  };
  for (const MessageMatch& match : knowledge.matcher().find(*query)) tell(*match.record, "message");
  for (const SimilarRecord& near : knowledge.similar().find("", *query, kMaxFound))
    tell(*near.record, "words");
  for (const ErrorRecord& record : knowledge.knowledge().dataset.records)
    if (record.slug.find(*query) != std::string::npos ||
        record.error_message.find(*query) != std::string::npos ||
        std::ranges::find(record.tags, *query) != record.tags.end())
      tell(record, "text");
  json.end_array().end_object();
  return json_response(request, json.take() + "\n");
}

}  // namespace assay::serve
