// One connection: requests one after the other, with limits on size and time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http_message.h"

namespace assay::serve {

struct HttpLimits {
  std::size_t connections = 256;
  std::uint64_t body_bytes = 64u << 20;
  std::chrono::milliseconds idle{30'000};      // between two requests
  std::chrono::milliseconds head{10'000};      // for all of a request's head
  std::chrono::milliseconds body{60'000};      // ... and of its body
  std::chrono::milliseconds response{30'000};  // ... for the client to take the answer
  std::chrono::milliseconds drain{10'000};     // for what is running when the server ends
};

// Owns the socket, which has to have short time limits for reading and writing (make_timed): the
// limits here are looked at between two of these.
class HttpConnection {
 public:
  HttpConnection(int socket, std::string peer, const HttpLimits& limits,
                 const std::atomic<bool>& is_ending)
      : socket_(socket), peer_(std::move(peer)), limits_(limits), is_ending_(is_ending) {}
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection();

  static void make_timed(int socket);

  // Waits for a request and reads its head. Nothing: the client has closed, was idle for too long,
  // or the server is ending between two requests.
  std::optional<tl::expected<HttpRequest, HttpFault>> next();

  // Up to `size` bytes of the body of the last request; 0 at its end, or when `body_fault` says why
  // there is no more.
  std::size_t read_body(char* to, std::size_t size);
  const std::optional<HttpFault>& body_fault() const { return body_fault_; }
  bool is_body_read() const { return is_body_at_end_; }

  // False: the client did not take it.
  bool send(std::string_view head, std::string_view body);

  const std::string& peer() const { return peer_; }
  std::chrono::steady_clock::time_point begin() const { return begin_; }  // of the last request
  std::uint64_t sent() const { return sent_; }                            // bytes, of all answers

 private:
  using Clock = std::chrono::steady_clock;

  // Appends what came to the buffer. 0: closed; negative: not before `deadline`.
  int fill(Clock::time_point deadline, bool ends_with_server);
  void begin_body(const HttpRequest& request);
  bool read_chunk_size();
  std::optional<std::string> read_line();
  void end_body(int status, std::string message);

  int socket_;
  std::string peer_;
  const HttpLimits& limits_;
  const std::atomic<bool>& is_ending_;
  std::string buffer_;    // what came and was not used
  std::size_t used_ = 0;  // of buffer_
  Clock::time_point begin_{};
  Clock::time_point body_deadline_{};
  bool is_chunked_ = false;
  bool expects_continue_ = false;
  bool is_body_at_end_ = true;
  std::uint64_t body_left_ = 0;  // of the body, or of the chunk
  std::uint64_t body_seen_ = 0;
  bool is_first_chunk_ = true;
  std::optional<HttpFault> body_fault_;
  std::uint64_t sent_ = 0;
};

}  // namespace assay::serve
