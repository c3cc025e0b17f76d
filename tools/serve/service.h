// What the server answers to which request.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/access_log.h"
#include "tools/serve/http_server.h"
#include "tools/serve/served_knowledge.h"
#include "tools/serve/service_bodies.h"
#include "tools/serve/service_metrics.h"

namespace assay::serve {

struct ServiceOptions {
  std::string token;                    // that requests have to bear, but for /healthz; empty: none
  std::uint64_t log_bytes = 64u << 20;  // of a log, unpacked
  std::size_t texts_at_once = 4;        // short logs and launches that are worked on at a time
  std::size_t long_logs_at_once = 16;
};

class Service final {
 public:
  Service(std::shared_ptr<const ServedKnowledge> knowledge, ServiceOptions options, AccessLog log)
      : knowledge_(std::move(knowledge)), options_(std::move(options)), log_(std::move(log)) {}

  // Sets the server's handlers. Both are used by the other from then on.
  void add_to(HttpServer& server);
  // From any thread. Requests that are being answered keep what they began with.
  void set_knowledge(std::shared_ptr<const ServedKnowledge> knowledge);
  void note_reload(bool is_done) { metrics_.add_reload(is_done); }

 private:
  std::shared_ptr<const ServedKnowledge> knowledge() const;
  bool answer_before_body(const httplib::Request& request, httplib::Response& response) const;
  bool refuses(const httplib::Request& request, httplib::Response& response) const;
  bool refuses_body(const httplib::Request& request, httplib::Response& response) const;
  void answer_get(const httplib::Request& request, httplib::Response& response) const;
  void note(const httplib::Request& request, const httplib::Response& response) const;
  bool is_allowed(const httplib::Request& request) const;

  // Not an atomic one: that spins, for a time slice where its holder has lost the processor.
  mutable std::mutex mutex_;
  std::shared_ptr<const ServedKnowledge> knowledge_;
  const ServiceOptions options_;
  const AccessLog log_;
  mutable ServiceMetrics metrics_;
  WorkGate gate_{static_cast<std::ptrdiff_t>(options_.texts_at_once),
                 static_cast<std::ptrdiff_t>(options_.long_logs_at_once)};
  const HttpServer* server_ = nullptr;
};

}  // namespace assay::serve
