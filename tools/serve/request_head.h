// The head of an HTTP/1.1 request, read strictly before the library sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace assay::serve {

// Why a request is not one: what it is answered with before its connection is closed.
struct HttpFault {
  int status = 400;
  std::string message;
};

struct RequestHead {
  // The same head as the library has to be given it: what it would read otherwise than was meant is
  // escaped, and what it would do of its own accord is left out.
  std::string text;
  bool keep_alive = true;
  bool is_chunked = false;
  std::optional<std::uint64_t> content_length;

  bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
};

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;
inline constexpr std::size_t kMaxHeaders = 64;
inline constexpr std::size_t kMaxLineBytes = 8 << 10;  // the library's, as it is given to it
inline constexpr std::size_t kMaxTargetBytes = 4096;

// `head`: from the method to the empty line, with it. Anything that two readers could take for two
// different requests is refused: bare line feeds, folded lines, two lengths, a length and chunks.
tl::expected<RequestHead, HttpFault> read_head(std::string_view head);

}  // namespace assay::serve
