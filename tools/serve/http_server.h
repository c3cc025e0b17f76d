// The library's server, with a thread for each connection, limits, and an end that breaks off
// nothing.
#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/text/result.h"
#include "tools/serve/http_connection.h"

namespace assay::serve {

// Handlers are set as the library has it; it calls them from many threads, and catches what they
// throw. Every answer gets its Date and Connection here; one that has "Connection: close" ends its
// connection.
class HttpServer final : public httplib::Server {
 public:
  explicit HttpServer(const HttpLimits& limits);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The connection that a request came on. Null: the library found itself that it is none.
  static HttpConnection* connection_of(const httplib::Request& request);

  // Port 0: any that is free. Errors: bad_usage (the address is none, or cannot be had).
  Result<int> open(const std::string& host, int port);
  // Accepts until `end`, then waits for what is running, no longer than the limit. False: that was
  // reached.
  bool run();
  void end();  // from any thread

  std::size_t connections() const { return connection_count_; }
  std::uint64_t refused_connections() const { return refused_count_; }

 private:
  class ConnectionThreads;

  bool process_and_close_socket(socket_t socket) override;
  bool answer(HttpConnection& connection);
  void start(std::function<void()> serve);
  void wait_for_connections();

  const HttpLimits limits_;
  std::string host_;
  int port_ = 0;
  std::thread::id accepting_;  // what is served on this thread is refused
  std::atomic<bool> is_ending_ = false;
  bool is_drained_ = true;
  std::atomic<std::size_t> connection_count_ = 0;
  std::atomic<std::uint64_t> refused_count_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
};

}  // namespace assay::serve
