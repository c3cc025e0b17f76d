// One connection, as the library's stream: bytes in and out within limits of size and time.
#pragma once

#include <arpa/inet.h>
#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/chunk_check.h"
#include "tools/serve/request_head.h"

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

// Reads and writes of a socket return after this long: the limits are looked at between two of
// these.
inline constexpr std::chrono::milliseconds kSocketSlice{250};

// Owns the socket, whose reads and writes have to be limited to kSocketSlice. The library reads
// each request from it as it was checked, head first, and writes the answer, which is sent by
// `flush`.
class HttpConnection final : public httplib::Stream {
 public:
  HttpConnection(int socket, const HttpLimits& limits, const std::atomic<bool>& is_ending) noexcept;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection() override;

  // Waits for a request and reads its head. False: the client has closed, was idle for too long, or
  // the server is ending between two requests. With a fault, the library is given some head, and
  // its handlers have to answer with the fault.
  bool next();
  // In place of `next`: whatever comes is refused, and the end is not waited for.
  void refuse(HttpFault why);

  const RequestHead& head() const { return head_; }
  // Of the head before its handlers are called, of the body after it was read.
  const std::optional<HttpFault>& fault() const { return fault_; }
  bool has_request() const { return has_request_; }  // the head was none of a fault
  std::chrono::steady_clock::time_point begin() const { return begin_; }  // of the request
  std::uint64_t sent() const { return sent_; }  // bytes, of the answer to it
  const char* peer() const { return peer_.data(); }

  // Decides whether another request may follow, which the head of the answer has to say.
  bool decide_to_stay();
  // Sends what is left of the answer. False: the client did not take it.
  bool flush();
  bool stays() const { return stays_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  // The library only compares it with what `select` could take, which is not used here.
  socket_t socket() const override { return 0; }

 private:
  using Clock = std::chrono::steady_clock;

  int fill(Clock::time_point deadline, bool ends_with_server);
  bool read_raw_head();
  void set_fault(int status, std::string message);
  bool is_body_read() const;
  ssize_t read_body(char* to, std::size_t size);
  bool send(std::string_view first, std::string_view second);

  const int socket_;
  const HttpLimits& limits_;
  const std::atomic<bool>& is_ending_;
  const std::array<char, INET6_ADDRSTRLEN> peer_;
  std::string buffer_;    // what came and was not used
  std::size_t used_ = 0;  // of buffer_
  std::string held_;      // of the answer, not sent yet
  Clock::time_point begin_{};
  Clock::time_point answer_deadline_{};  // once something of the answer was sent
  RequestHead head_;
  std::size_t head_read_ = 0;    // of head_.text
  std::uint64_t body_left_ = 0;  // where it has a length
  ChunkCheck chunks_;
  std::optional<HttpFault> fault_;
  bool has_request_ = false;
  bool lingers_ = true;
  bool stays_ = false;
  std::uint64_t sent_ = 0;
};

}  // namespace assay::serve
