// The program `assay-serve`, which `assay serve` becomes: the site and its answers over HTTP, until
// a signal ends it. The main thread waits for signals, so that exchanging the knowledge holds up no
// request. It takes the options of `assay serve`; settings were applied by then.
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
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/program.h"
#include "tools/cli/serve_options.h"
#include "tools/serve/service.h"

namespace assay::serve {
namespace {

using cli::kClean;
using cli::kNoAnswer;
using cli::ServeOptions;
using cli::Session;

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

sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGHUP, SIGTERM, SIGINT}) sigaddset(&set, number);
  return set;
}
// In every thread that is started from here on: `sigwait` takes them.
void block_signals() {
  const sigset_t set = signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

class ServeProgram {
 public:
  ServeProgram(const ServeOptions& given, Session& session) : given_(given), session_(session) {}

  int run() {
    const auto port = number(given_.port, 8080, 65535);
    const auto connections = number(given_.max_connections, 256, 10'000);
    const auto log_mib = number(given_.max_log_mib, 64, 4096);
    const auto timeout = number(given_.request_timeout, 10, 3600);
    if (!port || !connections || *connections == 0 || !log_mib || *log_mib == 0 || !timeout ||
        *timeout == 0)
      return cli::usage_fault(session_, "a number is none, or beyond what can be",
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
    Result<std::string> token = read_token();
    if (!token) return no_answer(token.error());
    options.token = std::move(*token);
    Result<AccessLog> log = AccessLog::open(given_.access_log.value_or("-"));
    if (!log) return no_answer(log.error());
    if (given_.base_url && !given_.base_url->ends_with('/')) *given_.base_url += '/';
    SiteInput asked;
    asked.frame.base_url = given_.base_url.value_or("");
    if (const Diagnostics faults = faults_of_request(asked); !faults.empty())
      return no_answer(faults);
    auto knowledge = load();
    if (!knowledge) return kNoAnswer;
    block_signals();
    Service service(std::move(knowledge), std::move(options), std::move(*log));
    HttpServer server(limits);
    service.add_to(server);
    const std::string host = given_.host.value_or("127.0.0.1");
    const Result<int> listening = server.open(host, static_cast<int>(*port));
    if (!listening) return no_answer(listening.error());
    session_.console.write_error(
        fmt::format("listening on http://{}:{}/\n",
                    host.find(':') == std::string::npos ? host : "[" + host + "]", *listening));
    return serve_until_signal(service, server);
  }

 private:
  int no_answer(const Diagnostics& faults) {
    session_.console.show(faults, session_.sources);
    return kNoAnswer;
  }

  // Without the line end behind it.
  Result<std::string> read_token() {
    if (!given_.token_file) return std::string();
    ASSAY_TRY(std::string token, session_.files.read_file(*given_.token_file, kMaxTokenBytes));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
    if (token.size() < 16 || !is_plain)
      return make_error(code::invalid_value, {}, "`" + *given_.token_file + "` holds no token",
                        "at least 16 printable characters without blanks");
    return token;
  }

  std::shared_ptr<const ServedKnowledge> load() {
    SourceSet sources;
    SiteFrame frame;
    frame.base_url = given_.base_url.value_or("");
    auto loaded = ServedKnowledge::load(session_.common.knowledge, frame, sources);
    if (loaded) return *loaded;
    session_.console.show(loaded.error(), sources);
    return nullptr;
  }

  int serve_until_signal(Service& service, HttpServer& server) {
    bool is_drained = true;
    std::jthread serving([&] { is_drained = server.run(); });
    const sigset_t set = signals();
    int signal = 0;
    while (sigwait(&set, &signal) == 0 && signal == SIGHUP) {
      auto knowledge = load();
      service.note_reload(knowledge != nullptr);
      const char* done = knowledge ? "loaded the knowledge again\n" : "the old knowledge is kept\n";
      if (knowledge) service.set_knowledge(std::move(knowledge));
      session_.console.write_error(done);
    }
    // The next one ends the program as usual.
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    server.end();
    serving.join();
    if (is_drained) return kClean;
    session_.console.write_error("ended while requests were running\n");
    std::_Exit(cli::kFindings);  // their threads still use what this function owns
  }

  ServeOptions given_;
  Session& session_;
};

int run_program(Session& session, const std::vector<std::string>& words) {
  ServeOptions options;
  cli::Syntax syntax = options.syntax();
  for (cli::Option& option : cli::common_option_table(session.common))
    syntax.options.push_back(option);
  cli::Invocation invocation;
  invocation.arguments = words;
  session.console.set_color(std::nullopt);
  const Diagnostics faults = cli::parse_arguments(invocation, syntax, session.command);
  if (session.common.help || session.common.version) {
    session.console.write(session.common.help ? "`assay serve --help` describes it.\n"
                                              : cli::version_text());
    return kClean;
  }
  session.console.set_color(session.common.color);
  if (faults.empty()) return ServeProgram(options, session).run();
  session.console.show(faults, session.sources);
  return kNoAnswer;
}

}  // namespace
}  // namespace assay::serve

int main(int argc, char** argv) {
  return assay::cli::run_main(argc, argv, assay::serve::run_program);
}
