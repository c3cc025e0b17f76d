// RFC 9112, section 7.1: extensions are passed over, but no end of a line that another reader could
// see in them; trailers are not known.
#include "tools/serve/chunk_check.h"

#include <algorithm>

#include "engine/base/ascii.h"

namespace assay::serve {
namespace {

constexpr int kMaxLineBytes = 256;

}  // namespace

bool ChunkCheck::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::data) {
      const auto count = std::min<std::uint64_t>(left_, bytes.size());
      bytes.remove_prefix(static_cast<std::size_t>(count));
      left_ -= count;
      if (left_ == 0) state_ = State::data_cr;
    } else {
      if (!take_byte(bytes.front())) return false;
      bytes.remove_prefix(1);
    }
  }
  return true;
}

bool ChunkCheck::take_size(char c) {
  if (++line_bytes_ > kMaxLineBytes) return false;
  const bool has_size = state_ == State::extension || line_bytes_ > 1;
  if (c == '\r' && has_size) {
    state_ = State::size_lf;
    return true;
  }
  if (state_ == State::extension)
    return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7f : c == '\t';
  if (c == ';' && has_size) {
    state_ = State::extension;
    return true;
  }
  const int digit = hex_digit(c);
  if (digit < 0 || left_ >> 56 != 0) return false;
  left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
  return true;
}

bool ChunkCheck::take_byte(char c) {
  const auto expect = [&](char wanted, State next) {
    state_ = next;
    return c == wanted;
  };
  switch (state_) {
    case State::size:
    case State::extension:
      return take_size(c);
    case State::size_lf:
      line_bytes_ = 0;
      return expect('\n', left_ > 0 ? State::data : State::last_cr);
    case State::data_cr:
      return expect('\r', State::data_lf);
    case State::data_lf:
      return expect('\n', State::size);
    case State::last_cr:
      return expect('\r', State::last_lf);
    case State::last_lf:
      return expect('\n', State::end);
    default:
      return false;
  }
}

}  // namespace assay::serve
