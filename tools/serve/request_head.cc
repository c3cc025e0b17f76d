// RFC 9112, and of what it leaves to the reader the strict half. The library takes a head as it
// comes: it passes over lines that are no headers, decodes escapes in values, cuts an address at a
// second "?" and a parameter at a second "=", answers ranges and unpacks bodies.
#include "tools/serve/request_head.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/ascii.h"

namespace assay::serve {
namespace {

using Read = tl::expected<void, HttpFault>;

tl::unexpected<HttpFault> fault(int status, std::string message) {
  return tl::unexpected(HttpFault{status, std::move(message)});
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// Whether every escape is one, and none stands for a control character but, in a query, those of a
// text.
bool has_good_escapes(std::string_view text, bool is_query) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (at + 2 >= text.size()) return false;
    const int high = hex_digit(text[at + 1]);
    const int low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return false;
    const char c = static_cast<char>(high * 16 + low);
    if (is_control(c) && !(is_query && (c == '\n' || c == '\t' || c == '\r'))) return false;
  }
  return true;
}

Read read_target(std::string_view target, std::string& text) {
  if (target.size() > kMaxTargetBytes) return fault(414, "the address is too long");
  const auto end_of_path = std::min(target.find('?'), target.size());
  const bool is_plain =
      std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  if (!is_plain || !target.starts_with('/') ||
      !has_good_escapes(target.substr(0, end_of_path), false) ||
      !has_good_escapes(target.substr(end_of_path), true))
    return fault(400, "no address that begins with a slash");
  text += target.substr(0, end_of_path);
  bool is_value = false;
  for (std::size_t at = end_of_path; at < target.size(); ++at) {
    const char c = target[at];
    if (c == '?' && at > end_of_path)
      text += "%3F";
    else if (c == '=' && is_value)
      text += "%3D";
    else
      text += c;
    is_value = c != '&' && (is_value || c == '=');
  }
  return {};
}

// Leaves whether the connection stays by itself in `head.keep_alive`.
Read read_request_line(std::string_view line, RequestHead& head) {
  constexpr std::array<std::string_view, 9> kMethods{
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fault(400, "no request line");
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method)) return fault(400, "no method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return version.starts_with("HTTP/") ? fault(505, "versions 1.1 and 1.0 are spoken here")
                                        : fault(400, "no version of HTTP");
  if (std::ranges::find(kMethods, method) == kMethods.end())
    return fault(501, "the method is not known");
  head.text.append(method).append(" ");
  if (auto read = read_target(line.substr(first + 1, last - first - 1), head.text); !read)
    return read;
  head.text.append(" ").append(version).append("\r\n");
  head.keep_alive = version == "HTTP/1.1";
  return {};
}

// What the headers said that matters here.
struct Framing {
  int hosts = 0;
  int lengths = 0;
  bool closes = false;
  bool expects = false;
};

void read_connection(std::string_view value, RequestHead& head, Framing& framing) {
  while (!value.empty()) {
    const std::string said = lowered(trimmed(value.substr(0, value.find(','))));
    value.remove_prefix(std::min(value.size(), std::min(value.find(','), value.size()) + 1));
    framing.closes = framing.closes || said == "close";
    head.keep_alive = head.keep_alive || said == "keep-alive";
  }
}

// `name`: in lower case.
Read read_framing(std::string_view name, std::string_view value, bool is_old, RequestHead& head,
                  Framing& framing) {
  if (name == "host" && ++framing.hosts > 1) return fault(400, "more than one Host");
  if (name == "connection") read_connection(value, head, framing);
  if (name == "expect") {
    if (lowered(value) != "100-continue") return fault(417, "an expectation that is not known");
    framing.expects = !is_old;
  }
  if (name != "transfer-encoding" && name != "content-length") return {};
  if (++framing.lengths > 1) return fault(400, "more than one length of the body");
  if (name == "transfer-encoding") {
    if (lowered(value) != "chunked" || is_old)
      return fault(501, "no transfer coding but chunked is known");
    head.is_chunked = true;
    return {};
  }
  if (value.empty() || value.size() > 18 || !std::ranges::all_of(value, is_digit))
    return fault(400, "a length that is no number");
  head.content_length = std::stoull(std::string(value));
  return {};
}

Read read_header(std::string_view line, bool is_old, RequestHead& head, Framing& framing) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    return fault(400, "a header without a name");
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::ranges::any_of(line, [](char c) { return is_control(c) && c != '\t'; }))
    return fault(400, "a header with control characters");
  const std::string name = lowered(line.substr(0, colon));
  if (auto read = read_framing(name, value, is_old, head, framing); !read) return read;
  // The connection and what is expected are told the library apart; ranges are not given, and what
  // a log is packed with is seen from its first bytes.
  for (const char* untold : {"connection", "expect", "range", "if-range", "content-encoding"})
    if (name == untold) return {};
  const std::size_t begin = head.text.size();
  head.text.append(name).append(": ");
  for (const char c : value) c == '%' ? head.text.append("%25") : head.text.append(1, c);
  head.text += "\r\n";
  if (head.text.size() - begin > kMaxLineBytes) return fault(431, "a header is too large");
  return {};
}

}  // namespace

tl::expected<RequestHead, HttpFault> read_head(std::string_view text) {
  RequestHead head;
  Framing framing;
  bool is_old = false;
  for (std::size_t lines = 0;; ++lines) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos || end == 0 || text[end - 1] != '\r')
      return fault(400, "a line that does not end with CR and LF");
    const std::string_view line = text.substr(0, end - 1);
    text.remove_prefix(end + 1);
    if (line.empty() && lines > 0) break;
    if (lines > kMaxHeaders) return fault(431, "too many headers");
    const Read read =
        lines == 0 ? read_request_line(line, head) : read_header(line, is_old, head, framing);
    if (!read) return tl::unexpected(read.error());
    if (lines == 0) is_old = !head.keep_alive;
  }
  if (framing.hosts == 0 && !is_old) return fault(400, "no Host");
  if (framing.closes) head.keep_alive = false;
  if (framing.expects && head.has_body()) head.text += "Expect: 100-continue\r\n";
  head.text += "\r\n";
  return head;
}

}  // namespace assay::serve
