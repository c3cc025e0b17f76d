// `assay serve`: the site and its answers over HTTP, until a signal ends it. The main thread waits
// for signals, so that exchanging the knowledge holds up no request.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/report/site_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/serve/service.h"

namespace assay::cli {
namespace {

using serve::AccessLog;
using serve::HttpLimits;
using serve::HttpServer;
using serve::ServedKnowledge;
using serve::Service;
using serve::ServiceOptions;

constexpr std::size_t kMaxTokenBytes = 4096;

std::optional<std::uint64_t> number(const std::optional<std::string>& text, std::uint64_t otherwise,
                                    std::uint64_t at_most) {
  if (!text) return otherwise;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [read_to, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || read_to != end || value > at_most) return std::nullopt;
  return value;
}

class ServeCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {
        {.name = "host",
         .target = &host_,
         .placeholder = "ADDRESS",
         .help = "Where to listen (default: 127.0.0.1, which only this machine reaches)"},
        {.name = "port",
         .target = &port_,
         .placeholder = "NUMBER",
         .help = "Default: 8080; 0: any that is free"},
        {.name = "token-file",
         .target = &token_file_,
         .placeholder = "FILE",
         .help = "Requests must bear the token in it, but for /healthz",
         .is_path = true},
        {.name = "access-log",
         .target = &access_log_,
         .placeholder = "FILE",
         .help = "A line of JSON for each request (default: -, standard output; none: nowhere)"},
        {.name = "max-connections",
         .target = &max_connections_,
         .placeholder = "NUMBER",
         .help = "Those beyond it are told to come again (default: 256)"},
        {.name = "max-log-mib",
         .target = &max_log_mib_,
         .placeholder = "NUMBER",
         .help = "Of a log to explain, unpacked (default: 64)"},
        {.name = "request-timeout",
         .target = &request_timeout_,
         .placeholder = "SECONDS",
         .help = "For the head of a request to come; six times as long for its body (default: 10)"},
        {.name = "base-url",
         .target = &base_url_,
         .placeholder = "URL",
         .help = "Where the site is seen from outside; needed for sitemap.xml"},
    };
    syntax.description =
        "Serves the documentation site and answers programs: GET /api/errors/ID-OR-SLUG and "
        "/api/errors?query=WORDS, POST /api/explain with a log and /api/check with a launch "
        "(?input=, ?gpu=, ?fact=, ?engine-version=) as the body, GET /healthz, and /metrics for "
        "Prometheus. api/openapi.json describes them. No file but the knowledge's is read for a "
        "request, and nothing that is sent is kept.\n\n"
        "Only this machine is listened to unless --host says otherwise. SIGHUP loads the knowledge "
        "again and keeps the old one when that fails; SIGTERM and SIGINT end it once what is "
        "running is answered, within ten seconds; a second one ends it at once.";
    syntax.examples = {"assay serve", "assay serve --host 0.0.0.0 --token-file token",
                       "curl --data-binary @server.log http://127.0.0.1:8080/api/explain"};
    return syntax;
  }

  int run(Session& session) override {
    const auto port = number(port_, 8080, 65535);
    const auto connections = number(max_connections_, 256, 10'000);
    const auto log_mib = number(max_log_mib_, 64, 4096);
    const auto timeout = number(request_timeout_, 10, 3600);
    if (!port || !connections || *connections == 0 || !log_mib || *log_mib == 0 || !timeout ||
        *timeout == 0)
      return usage_fault(session, "a number is none, or beyond what can be",
                         "--port 0 to 65535, --max-connections 1 to 10000, --max-log-mib 1 to "
                         "4096, --request-timeout 1 to 3600");
    HttpLimits limits;
    limits.connections = *connections;
    limits.body_bytes = *log_mib << 20;
    limits.head = std::chrono::seconds(*timeout);
    limits.body = 6 * limits.head;
    limits.idle = 3 * limits.head;
    ServiceOptions options;
    options.log_bytes = limits.body_bytes;
    options.texts_at_once = 2 * std::max(std::thread::hardware_concurrency(), 1u);
    Result<std::string> token = read_token(session);
    if (!token) return no_answer(token.error(), session);
    options.token = std::move(*token);
    Result<AccessLog> log = AccessLog::open(access_log_.value_or("-"));
    if (!log) return no_answer(log.error(), session);
    if (base_url_ && !base_url_->ends_with('/')) *base_url_ += '/';
    SiteInput asked;
    asked.frame.base_url = base_url_.value_or("");
    if (const Diagnostics faults = faults_of_request(asked); !faults.empty())
      return no_answer(faults, session);
    auto knowledge = load(session);
    if (!knowledge) return kNoAnswer;
    block_signals();
    Service service(std::move(knowledge), std::move(options), std::move(*log));
    HttpServer server(service, limits);
    service.set_server(server);
    const std::string host = host_.value_or("127.0.0.1");
    const Result<int> listening = server.listen(host, static_cast<int>(*port));
    if (!listening) return no_answer(listening.error(), session);
    session.console.write_error(
        fmt::format("listening on http://{}:{}/\n",
                    host.find(':') == std::string::npos ? host : "[" + host + "]", *listening));
    return serve_until_signal(service, server, session);
  }

 private:
  static int no_answer(const Diagnostics& faults, Session& session) {
    session.console.show(faults, session.sources);
    return kNoAnswer;
  }

  // Without the line end behind it.
  Result<std::string> read_token(const Session& session) const {
    if (!token_file_) return std::string();
    ASSAY_TRY(std::string token, session.files.read_file(*token_file_, kMaxTokenBytes));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
    if (token.size() < 16 || !is_plain)
      return make_error(code::invalid_value, {}, "`" + *token_file_ + "` holds no token",
                        "at least 16 printable characters without blanks");
    return token;
  }

  std::shared_ptr<const ServedKnowledge> load(Session& session) const {
    SourceSet sources;
    SiteFrame frame;
    frame.base_url = base_url_.value_or("");
    auto loaded = ServedKnowledge::load(session.common.knowledge, frame, sources);
    if (loaded) return *loaded;
    session.console.show(loaded.error(), sources);
    return nullptr;
  }

  static sigset_t signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGHUP, SIGTERM, SIGINT}) sigaddset(&set, number);
    return set;
  }
  // In every thread that is started from here on: `sigwait` takes them.
  static void block_signals() {
    const sigset_t set = signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
  }

  int serve_until_signal(Service& service, HttpServer& server, Session& session) const {
    bool is_drained = true;
    std::jthread serving([&] { is_drained = server.run(); });
    const sigset_t set = signals();
    int signal = 0;
    while (sigwait(&set, &signal) == 0 && signal == SIGHUP) {
      auto knowledge = load(session);
      service.note_reload(knowledge != nullptr);
      const char* done = knowledge ? "loaded the knowledge again\n" : "the old knowledge is kept\n";
      if (knowledge) service.set_knowledge(std::move(knowledge));
      session.console.write_error(done);
    }
    // The next one ends the program as usual.
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    server.stop();
    serving.join();
    if (is_drained) return kClean;
    session.console.write_error("ended while requests were running\n");
    std::_Exit(kFindings);  // their threads still use what this function owns
  }

  std::optional<std::string> host_;
  std::optional<std::string> port_;
  std::optional<std::string> token_file_;
  std::optional<std::string> access_log_;
  std::optional<std::string> max_connections_;
  std::optional<std::string> max_log_mib_;
  std::optional<std::string> request_timeout_;
  std::optional<std::string> base_url_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace assay::cli
