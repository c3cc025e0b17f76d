// A blocking socket whose reads and writes return after a quarter of a second: one call of the
// system for a request, one for its answer, and still every limit is looked at in time.
#include "tools/serve/http_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay::serve {
namespace {

constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kHeldBytes = 8 << 10;
constexpr std::chrono::milliseconds kLinger{500};

std::array<char, INET6_ADDRSTRLEN> peer_of(int socket) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return text;
  const void* bytes =
      address.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr)
          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&address)->sin_addr);
  ::inet_ntop(address.ss_family, bytes, text.data(), text.size());
  return text;
}

}  // namespace

HttpConnection::HttpConnection(int socket, const HttpLimits& limits,
                               const std::atomic<bool>& is_ending) noexcept
    : socket_(socket), limits_(limits), is_ending_(is_ending), peer_(peer_of(socket)) {}

// A close with unread bytes resets the connection and takes the answer away from the client.
HttpConnection::~HttpConnection() {
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + kLinger;
  char rest[4096];
  while (::recv(socket_, rest, sizeof rest, lingers_ ? 0 : MSG_DONTWAIT) > 0 &&
         Clock::now() < deadline) {
  }
  ::close(socket_);
}

// Appends what came to the buffer. 0: closed; negative: not before `deadline`.
int HttpConnection::fill(Clock::time_point deadline, bool ends_with_server) {
  buffer_.erase(0, used_);
  used_ = 0;
  const std::size_t before = buffer_.size();
  while (true) {
    buffer_.resize(before + kReadBytes);
    const ssize_t count = ::recv(socket_, buffer_.data() + before, kReadBytes, 0);
    const int error = errno;
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count >= 0) return count > 0 ? 1 : 0;
    if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR) return 0;
    if ((ends_with_server && is_ending_) || Clock::now() >= deadline) return -1;
  }
}

void HttpConnection::set_fault(int status, std::string message) {
  fault_ = HttpFault{status, std::move(message)};
}

// False: there is no request, not even the beginning of one.
bool HttpConnection::read_raw_head() {
  const Clock::time_point deadline = begin_ + limits_.head;
  for (std::size_t looked_at = used_;;) {
    const auto end = buffer_.find("\r\n\r\n", looked_at);
    const std::size_t size = (end == std::string::npos ? buffer_.size() : end + 4) - used_;
    if (size > kMaxHeadBytes) {
      set_fault(431, "the head is too large");
      return true;
    }
    if (end != std::string::npos) {
      auto head = read_head(std::string_view(buffer_).substr(used_, size));
      used_ += size;
      if (head)
        head_ = std::move(*head);
      else
        fault_ = std::move(head.error());
      return true;
    }
    const int filled = fill(deadline, false);
    if (filled == 0) return false;
    if (filled < 0 || Clock::now() >= deadline) {
      set_fault(408, "the request came too slowly");
      return true;
    }
    looked_at = size > 3 ? size - 3 : 0;
  }
}

bool HttpConnection::next() {
  fault_.reset();
  head_ = {};
  head_read_ = 0;
  stays_ = false;
  sent_ = 0;
  answer_deadline_ = {};
  const auto has_bytes = [&] {
    return used_ < buffer_.size() || fill(Clock::now() + limits_.idle, true) > 0;
  };
  if (!has_bytes()) return false;
  // Some clients end a body with a line that is not of it.
  if (std::string_view(buffer_).substr(used_).starts_with("\r\n")) {
    used_ += 2;
    if (!has_bytes()) return false;
  }
  begin_ = Clock::now();
  if (!read_raw_head()) return false;
  has_request_ = !fault_;
  if (fault_) head_.text = "GET / HTTP/1.1\r\n\r\n";
  chunks_ = {};
  body_left_ = head_.content_length.value_or(0);
  return true;
}

void HttpConnection::refuse(HttpFault why) {
  begin_ = Clock::now();
  fault_ = std::move(why);
  head_.text = "GET / HTTP/1.1\r\n\r\n";
  lingers_ = false;
}

bool HttpConnection::is_body_read() const {
  return head_.is_chunked ? chunks_.is_at_end() : body_left_ == 0;
}

// What is left of a body would be read as the next request.
bool HttpConnection::decide_to_stay() {
  stays_ = head_.keep_alive && !fault_ && is_body_read() && !is_ending_;
  return stays_;
}

ssize_t HttpConnection::read(char* to, std::size_t size) {
  if (head_read_ == head_.text.size()) return read_body(to, size);
  const std::size_t count = std::min(size, head_.text.size() - head_read_);
  std::memcpy(to, head_.text.data() + head_read_, count);
  head_read_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t HttpConnection::read_body(char* to, std::size_t size) {
  if (fault_ || is_body_read()) return -1;
  const Clock::time_point deadline = begin_ + limits_.body;
  if (used_ == buffer_.size()) {
    if (!flush()) return -1;  // the client waits to be told to go on
    if (fill(deadline, false) == 0) {
      set_fault(400, "the body did not come to its end");
      return -1;
    }
  }
  if (Clock::now() >= deadline) {
    set_fault(408, "the body came too slowly");
    return -1;
  }
  std::size_t count = std::min(size, buffer_.size() - used_);
  if (!head_.is_chunked)
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, body_left_));
  const std::string_view bytes(buffer_.data() + used_, count);
  if (head_.is_chunked && !chunks_.take(bytes)) {
    set_fault(400, "the chunks are none");
    return -1;
  }
  std::memcpy(to, bytes.data(), count);
  used_ += count;
  if (!head_.is_chunked) body_left_ -= count;
  return static_cast<ssize_t>(count);
}

// The head of an answer waits for its body.
ssize_t HttpConnection::write(const char* from, std::size_t size) {
  if (held_.size() + size <= kHeldBytes) {
    held_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  const bool is_sent = send(held_, {from, size});
  held_.clear();
  return is_sent ? static_cast<ssize_t>(size) : -1;
}

bool HttpConnection::flush() {
  const bool is_sent = send(held_, {});
  held_.clear();
  return is_sent;
}

bool HttpConnection::send(std::string_view first, std::string_view second) {
  if (answer_deadline_ == Clock::time_point()) answer_deadline_ = Clock::now() + limits_.response;
  while (!first.empty() || !second.empty()) {
    iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                      {const_cast<char*>(second.data()), second.size()}};
    msghdr message{};
    message.msg_iov = first.empty() ? parts + 1 : parts;
    message.msg_iovlen = first.empty() || second.empty() ? 1 : 2;
    const ssize_t count = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    if (Clock::now() >= answer_deadline_) return false;
    const auto taken = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    sent_ += taken;
    const std::size_t of_first = std::min(taken, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(taken - of_first);
  }
  return true;
}

void HttpConnection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = peer();
  port = 0;
}

void HttpConnection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace assay::serve
