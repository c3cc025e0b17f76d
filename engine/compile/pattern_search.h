// One message pattern of a record, ready to be searched for: RE2 syntax, bytes (Latin-1), so that a
// log's invalid UTF-8 neither fails nor hides a match. Immutable after compilation, safe to share
// between threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/result.h"
#include "engine/text/span.h"

namespace assay {

struct PatternLimits {
  std::size_t max_bytes = 4096;             // of the pattern's text
  std::int64_t max_memory_bytes = 1 << 20;  // of the compiled program and its caches
};

// A match; the views look at the text that was searched. A group that took no part is an empty view
// without data.
struct PatternHit {
  std::string_view matched;
  std::vector<std::string_view> captures;
};

class PatternSearch {
 public:
  // Errors: bad_pattern at `place` (refused by RE2, or too large).
  //
  // A lazy group that ends the pattern, or is followed by nothing but literal text, is read as
  // greedy: the `got (.+?)\.` of a record shall capture all of `torch.bfloat16` in
  // "got torch.bfloat16.", and a trailing `(.+?)` everything up to the message's end.
  static Result<PatternSearch> compile(std::string_view pattern, Span place,
                                       const PatternLimits& limits = {});
  PatternSearch(PatternSearch&&) noexcept;
  PatternSearch& operator=(PatternSearch&&) noexcept;
  ~PatternSearch();

  // The texts that every match contains byte for byte, in their order; none when the pattern is all
  // alternatives, classes or case-insensitive. Search for one first: that is the cheap test.
  const std::vector<std::string>& literals() const { return literals_; }
  // Bytes that are fixed in every match, of all its literal parts: more is more specific.
  std::size_t literal_bytes() const { return literal_bytes_; }

  bool matches(std::string_view text) const;
  // The leftmost match.
  bool search(std::string_view text, PatternHit& hit) const;

 private:
  struct Program;
  explicit PatternSearch(std::unique_ptr<Program> program);
  bool has_literals(std::string_view text) const;

  std::unique_ptr<Program> program_;
  std::vector<std::string> literals_;
  std::size_t literal_bytes_ = 0;
};

}  // namespace assay
