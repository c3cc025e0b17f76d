// The head of an HTTP/1.1 request, read strictly, and what is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace assay::serve {

// Why a request is not one: what it is answered with before its connection is closed.
struct HttpFault {
  int status = 400;
  std::string message;
};

struct HttpRequest {
  std::string method;
  std::string path;                                        // decoded, begins with "/"
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in their order
  std::string raw_query;  // as it was sent, with its "?"; printable ASCII
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  bool keep_alive = true;
  bool is_chunked = false;
  std::optional<std::uint64_t> content_length;
  bool expects_continue = false;

  // Null where it has none; of several the first.
  const std::string* header(std::string_view lower_case_name) const;
  const std::string* parameter(std::string_view name) const;
  // The members of a comma-separated list, of all headers of the name, without blanks around them.
  // They look into the request.
  std::vector<std::string_view> list(std::string_view lower_case_name) const;
  bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
};

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;
inline constexpr std::size_t kMaxHeaders = 64;
inline constexpr std::size_t kMaxTargetBytes = 4096;

// `head`: from the method to the empty line, with it. Anything that two readers could take for two
// different requests is refused: bare line feeds, folded lines, two lengths, a length and chunks.
tl::expected<HttpRequest, HttpFault> parse_head(std::string_view head);

struct HttpResponse {
  int status = 200;
  const char* content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;                   // null: none
  std::vector<std::pair<const char*, std::string>> headers;  // values without line ends
  std::string_view fixed_headers;  // lines that are ready, with their ends; they outlive it
  bool closes = false;             // the connection is not to be used again

  void add(const char* name, std::string value) { headers.emplace_back(name, std::move(value)); }
};

// Status line and headers, with the date and the length of the body, and the empty line.
std::string head_of(const HttpResponse& response, bool keeps_alive);
std::string_view reason_of(int status);

}  // namespace assay::serve
