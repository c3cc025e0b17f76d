// RFC 9112, and of what it leaves to the reader the strict half. Names and values are kept as
// bytes.
#include "tools/serve/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/base/ascii.h"

namespace assay::serve {
namespace {

constexpr std::size_t kUsualHeadBytes = 1024;

tl::unexpected<HttpFault> fault(int status, std::string message) {
  return tl::unexpected(HttpFault{status, std::move(message)});
}

bool is_token_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_byte);
}

// Nothing where an escape is broken or stands for a control character.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '+' && plus_is_blank) c = ' ';
    if (text[at] == '%') {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      at += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    const bool is_text_control = plus_is_blank && (c == '\n' || c == '\t' || c == '\r');
    if ((byte < 0x20 && !is_text_control) || byte == 0x7f) return std::nullopt;
    plain += c;
  }
  return plain;
}

bool read_target(std::string_view target, HttpRequest& request) {
  const auto question = target.find('?');
  const auto path = decoded(target.substr(0, question), false);
  if (!path) return false;
  request.path = *path;
  if (question == std::string_view::npos) return true;
  request.raw_query = target.substr(question);
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const auto name = decoded(pair.substr(0, equals), true);
    const auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                        : decoded(pair.substr(equals + 1), true);
    if (!name || !value) return false;
    request.query.emplace_back(*name, *value);
  }
  return true;
}

tl::expected<void, HttpFault> read_request_line(std::string_view line, HttpRequest& request) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fault(400, "no request line");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || method.size() > 32) return fault(400, "no method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return version.starts_with("HTTP/") ? fault(505, "versions 1.1 and 1.0 are spoken here")
                                        : fault(400, "no version of HTTP");
  if (target.size() > kMaxTargetBytes) return fault(414, "the address is too long");
  const bool is_printable = std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_printable || !target.starts_with('/') || !read_target(target, request))
    return fault(400, "no address that begins with a slash");
  request.method = method;
  request.keep_alive = version == "HTTP/1.1";
  return {};
}

tl::expected<void, HttpFault> read_header(std::string_view line, HttpRequest& request) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    return fault(400, "a header without a name");
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  if (std::ranges::any_of(value, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
      }))
    return fault(400, "a header with control characters");
  request.headers.emplace_back(lowered(line.substr(0, colon)), value);
  return {};
}

std::size_t count_of(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.headers, [&](const auto& header) { return header.first == name; }));
}

// What the headers say of the body and the connection.
tl::expected<void, HttpFault> read_framing(HttpRequest& request, bool is_old) {
  if (count_of(request, "content-length") + count_of(request, "transfer-encoding") > 1)
    return fault(400, "more than one length of the body");
  if (const std::string* coding = request.header("transfer-encoding")) {
    if (lowered(*coding) != "chunked" || is_old)
      return fault(501, "no transfer coding but chunked is known");
    request.is_chunked = true;
  }
  if (const std::string* length = request.header("content-length")) {
    const bool is_number =
        !length->empty() && length->size() < 19 &&
        std::ranges::all_of(*length, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return fault(400, "a length that is no number");
    request.content_length = std::stoull(*length);
  }
  if (count_of(request, "host") > 1 || (!is_old && count_of(request, "host") == 0))
    return fault(400, "not one Host");
  bool closes = false;
  for (const std::string_view said : request.list("connection")) {
    closes = closes || lowered(said) == "close";
    request.keep_alive = request.keep_alive || lowered(said) == "keep-alive";
  }
  if (closes) request.keep_alive = false;
  if (const std::string* expect = request.header("expect")) {
    if (lowered(*expect) != "100-continue") return fault(417, "an expectation that is not known");
    request.expects_continue = !is_old;
  }
  return {};
}

// "Sun, 06 Nov 1994 08:49:37 GMT". Not by gmtime_r, which takes the time zone's lock.
void append_date(std::string& to) {
  namespace chrono = std::chrono;
  const auto now = chrono::floor<chrono::seconds>(chrono::system_clock::now());
  const auto day = chrono::floor<chrono::days>(now);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss time(now - day);
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  fmt::format_to(std::back_inserter(to), "{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                 kDays[chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                 kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                 time.hours().count(), time.minutes().count(), time.seconds().count());
}

const std::string* find_in(const std::vector<std::pair<std::string, std::string>>& pairs,
                           std::string_view name) {
  const auto found =
      std::ranges::find_if(pairs, [&](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

}  // namespace

const std::string* HttpRequest::header(std::string_view lower_case_name) const {
  return find_in(headers, lower_case_name);
}
const std::string* HttpRequest::parameter(std::string_view name) const {
  return find_in(query, name);
}

std::vector<std::string_view> HttpRequest::list(std::string_view lower_case_name) const {
  std::vector<std::string_view> members;
  for (const auto& [name, value] : headers) {
    if (name != lower_case_name) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view member = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), member.size() + 1));
      if (!trimmed(member).empty()) members.push_back(trimmed(member));
    }
  }
  return members;
}

tl::expected<HttpRequest, HttpFault> parse_head(std::string_view head) {
  HttpRequest request;
  bool is_first = true;
  while (true) {
    const auto end = head.find('\n');
    if (end == std::string_view::npos || end == 0 || head[end - 1] != '\r')
      return fault(400, "a line that does not end with CR and LF");
    const std::string_view line = head.substr(0, end - 1);
    head.remove_prefix(end + 1);
    if (line.empty() && !is_first) break;
    if (request.headers.size() == kMaxHeaders) return fault(431, "too many headers");
    const auto read = is_first ? read_request_line(line, request) : read_header(line, request);
    if (!read) return tl::unexpected(read.error());
    is_first = false;
  }
  const bool is_old = !request.keep_alive;
  if (const auto read = read_framing(request, is_old); !read) return tl::unexpected(read.error());
  return request;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string head_of(const HttpResponse& response, bool keeps_alive) {
  std::string head;
  head.reserve(kUsualHeadBytes);
  const auto out = std::back_inserter(head);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: ", response.status, reason_of(response.status));
  append_date(head);
  if (response.status != 304)
    fmt::format_to(out, "\r\nContent-Length: {}\r\nContent-Type: {}",
                   response.body ? response.body->size() : 0, response.content_type);
  head += "\r\n";
  for (const auto& [name, value] : response.headers)
    head.append(name).append(": ").append(value).append("\r\n");
  head += response.fixed_headers;
  head += keeps_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace assay::serve
