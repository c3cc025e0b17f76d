// Requests with a body: a log to explain, launches to check.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>

#include "tools/serve/http_server.h"
#include "tools/serve/served_knowledge.h"

namespace assay::serve {

// How much is worked on at a time. Texts wait for their turn once they are there, so that a slow
// client takes nobody's; long logs, which are worked on while they come, are a few.
class WorkGate {
 public:
  WorkGate(std::ptrdiff_t texts, std::ptrdiff_t long_logs) : texts_(texts), long_logs_(long_logs) {}

  // The turn ends with it; null: too many have waited for too long, or are at it.
  using Turn = std::unique_ptr<std::counting_semaphore<>, void (*)(std::counting_semaphore<>*)>;
  Turn enter_text() { return turn(texts_, texts_.try_acquire_for(kPatience)); }
  Turn enter_long_log() { return turn(long_logs_, long_logs_.try_acquire_for(kPatience)); }

 private:
  static Turn turn(std::counting_semaphore<>& of, bool is_had) {
    return {is_had ? &of : nullptr, [](std::counting_semaphore<>* had) { had->release(); }};
  }

  static constexpr std::chrono::seconds kPatience{5};
  std::counting_semaphore<> texts_;
  std::counting_semaphore<> long_logs_;
};

// A request whose body the library reads, and its answer.
struct BodyExchange {
  const httplib::Request& request;
  httplib::Response& response;
  const httplib::ContentReader& body;
};

// The log is read as it comes, in pieces: memory does not grow with it. `max_bytes`: of it
// unpacked.
void explain_body(const BodyExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate,
                  std::uint64_t max_bytes);
// A command, script, manifest or map; ?input= says which, ?gpu=, ?fact= and ?engine-version= what
// is known of the machine. No file of this machine is read.
void check_body(const BodyExchange& exchange, const ServedKnowledge& knowledge, WorkGate& gate);
// GET /api/errors?query=: the record of the message, then those that are near to it.
void search_records(const httplib::Request& request, httplib::Response& response,
                    const ServedKnowledge& knowledge);

}  // namespace assay::serve
