// A blocking socket whose reads and writes return after a quarter of a second: one call of the
// system for a request, one for its answer, and still every limit is looked at in time.
#include "tools/serve/http_connection.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/ascii.h"

namespace assay::serve {
namespace {

constexpr std::size_t kReadBytes = 16 << 10;
constexpr suseconds_t kSliceUs = 250'000;
constexpr std::size_t kMaxChunkLine = 256;
constexpr std::chrono::milliseconds kLinger{500};

}  // namespace

void HttpConnection::make_timed(int socket) {
  const timeval slice{0, kSliceUs};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof slice);
}

// A close with unread bytes resets the connection and takes the answer away from the client.
HttpConnection::~HttpConnection() {
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + kLinger;
  char rest[4096];
  while (Clock::now() < deadline && ::recv(socket_, rest, sizeof rest, 0) > 0) {
  }
  ::close(socket_);
}

int HttpConnection::fill(Clock::time_point deadline, bool ends_with_server) {
  if (used_ > 0) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  while (true) {
    const ssize_t count = ::recv(socket_, buffer_.data() + before, kReadBytes, 0);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0) return 1;
    if (count == 0) return 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return 0;
    if (ends_with_server && is_ending_) return -1;
    if (Clock::now() >= deadline) return -1;
    buffer_.resize(before + kReadBytes);
  }
}

std::optional<tl::expected<HttpRequest, HttpFault>> HttpConnection::next() {
  const auto refuse = [](int status, const char* message) {
    return tl::expected<HttpRequest, HttpFault>(tl::unexpected(HttpFault{status, message}));
  };
  if (used_ == buffer_.size() && fill(Clock::now() + limits_.idle, true) <= 0) return std::nullopt;
  // Some clients end a body with a line that is not of it.
  if (std::string_view(buffer_).substr(used_).starts_with("\r\n")) {
    used_ += 2;
    if (used_ == buffer_.size() && fill(Clock::now() + limits_.idle, true) <= 0)
      return std::nullopt;
  }
  begin_ = Clock::now();
  const Clock::time_point deadline = begin_ + limits_.head;
  for (std::size_t looked_at = used_;;) {
    const auto end = buffer_.find("\r\n\r\n", looked_at);
    if (end != std::string::npos) {
      const std::size_t size = end + 4 - used_;
      if (size > kMaxHeadBytes) return refuse(431, "the head is too large");
      auto request = parse_head(std::string_view(buffer_).substr(used_, size));
      used_ += size;
      if (request) begin_body(*request);
      return request;
    }
    if (buffer_.size() - used_ > kMaxHeadBytes) return refuse(431, "the head is too large");
    const std::size_t seen = buffer_.size() - used_;
    const int filled = fill(deadline, false);
    if (filled == 0) return std::nullopt;
    if (filled < 0 || Clock::now() >= deadline) return refuse(408, "the request came too slowly");
    looked_at = seen > 3 ? seen - 3 : 0;
  }
}

void HttpConnection::begin_body(const HttpRequest& request) {
  is_chunked_ = request.is_chunked;
  expects_continue_ = request.expects_continue;
  is_body_at_end_ = !request.has_body();
  body_left_ = is_chunked_ ? 0 : request.content_length.value_or(0);
  body_seen_ = 0;
  is_first_chunk_ = true;
  body_fault_.reset();
  body_deadline_ = begin_ + limits_.body;
}

void HttpConnection::end_body(int status, std::string message) {
  body_fault_ = HttpFault{status, std::move(message)};
}

// A line of the chunked coding, without its end.
std::optional<std::string> HttpConnection::read_line() {
  while (true) {
    const auto end = buffer_.find('\n', used_);
    const std::size_t size = (end == std::string::npos ? buffer_.size() : end) - used_;
    if (size > kMaxChunkLine) return std::nullopt;
    if (end != std::string::npos) {
      if (size == 0 || buffer_[end - 1] != '\r') return std::nullopt;
      std::string line = buffer_.substr(used_, size - 1);
      used_ = end + 1;
      return line;
    }
    if (fill(body_deadline_, false) <= 0) return std::nullopt;
  }
}

// False: there is no further chunk, at the end or because of a fault.
bool HttpConnection::read_chunk_size() {
  if (!is_first_chunk_) {
    const auto end = read_line();
    if (!end || !end->empty()) {
      end_body(400, "a chunk that is longer than it says");
      return false;
    }
  }
  is_first_chunk_ = false;
  const auto line = read_line();
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; line && digits < line->size(); ++digits) {
    const int digit = hex_digit((*line)[digits]);
    if (digit < 0 || size >> 56 != 0) break;
    size = size * 16 + static_cast<std::uint64_t>(digit);
  }
  // Extensions are passed over, but no end of a line that another reader could see in them.
  const bool is_size = digits > 0 && (digits == line->size() || (*line)[digits] == ';') &&
                       std::ranges::none_of(*line, [](char c) {
                         return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
                       });
  if (!is_size) {
    end_body(Clock::now() >= body_deadline_ ? 408 : 400, "no size of a chunk");
    return false;
  }
  body_left_ = size;
  if (size > 0) return true;
  // No trailers are known: the empty line has to follow.
  const auto end = read_line();
  if (!end || !end->empty())
    end_body(400, "something behind the last chunk");
  else
    is_body_at_end_ = true;
  return false;
}

std::size_t HttpConnection::read_body(char* to, std::size_t size) {
  if (is_body_at_end_ || body_fault_) return 0;
  if (expects_continue_) {
    expects_continue_ = false;
    if (!send("HTTP/1.1 100 Continue\r\n\r\n", {})) {
      end_body(400, "the client is gone");
      return 0;
    }
  }
  if (is_chunked_ && body_left_ == 0 && !read_chunk_size()) return 0;
  if (used_ == buffer_.size()) {
    const int filled = fill(body_deadline_, false);
    if (filled <= 0) {
      end_body(filled < 0 ? 408 : 400, "the body did not come to its end");
      return 0;
    }
  }
  if (Clock::now() >= body_deadline_) {
    end_body(408, "the body came too slowly");
    return 0;
  }
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>({body_left_, size, buffer_.size() - used_}));
  std::memcpy(to, buffer_.data() + used_, count);
  used_ += count;
  body_left_ -= count;
  body_seen_ += count;
  if (!is_chunked_ && body_left_ == 0) is_body_at_end_ = true;
  if (body_seen_ > limits_.body_bytes) {
    end_body(413, "the body is too large");
    return 0;
  }
  return count;
}

bool HttpConnection::send(std::string_view head, std::string_view body) {
  const Clock::time_point deadline = Clock::now() + limits_.response;
  while (!head.empty() || !body.empty()) {
    iovec parts[2] = {{const_cast<char*>(head.data()), head.size()},
                      {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = head.empty() ? parts + 1 : parts;
    message.msg_iovlen = head.empty() || body.empty() ? 1 : 2;
    const ssize_t count = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    if (Clock::now() >= deadline) return false;
    std::size_t taken = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    sent_ += taken;
    const std::size_t of_head = std::min(taken, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(taken - of_head);
  }
  return true;
}

}  // namespace assay::serve
