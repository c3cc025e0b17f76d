// Listens, gives each connection a thread, and ends without breaking off what is running.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "engine/text/result.h"
#include "tools/serve/http_connection.h"

namespace assay::serve {

// A request whose body is read by whoever answers it.
struct HttpExchange {
  HttpRequest request;
  HttpConnection& connection;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called from many threads. Must not throw.
  virtual HttpResponse answer(HttpExchange& exchange) = 0;
  // What to answer to something that is no request.
  virtual HttpResponse answer_fault(const HttpFault& fault) = 0;
  // After the answer was sent. `request`: null where there was none.
  virtual void note(const HttpRequest* request, const HttpResponse& response,
                    const HttpConnection& connection, std::uint64_t bytes) = 0;
  virtual void note_refused() = 0;  // a connection too many
};

class HttpServer {
 public:
  HttpServer(HttpHandler& handler, const HttpLimits& limits) : handler_(handler), limits_(limits) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Port 0: any that is free. Errors: bad_usage (the address is none, or cannot be had).
  Result<int> listen(const std::string& host, int port);
  // Accepts until `stop`, then waits for what is running, no longer than the limit. False: that was
  // reached.
  bool run();
  void stop();  // from any thread

  std::size_t connections() const { return connection_count_; }

 private:
  void accept_one();
  void serve(int socket, std::string peer);
  void refuse(int socket);

  HttpHandler& handler_;
  const HttpLimits limits_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};  // a pipe: `stop` wakes `run`
  std::atomic<bool> is_ending_ = false;
  std::atomic<std::size_t> connection_count_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
};

}  // namespace assay::serve
