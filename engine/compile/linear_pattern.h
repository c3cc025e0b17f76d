// A pattern that is only literal text and parts of any text between, as nearly all messages are: it
// is matched by looking for its literals one after the other, an order of magnitude faster than a
// regular expression, with the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class LinearPattern {
 public:
  // Text of at least `min_bytes`, captured, and then `literal`.
  struct Step {
    std::uint32_t min_bytes = 0;
    bool is_greedy = false;
    std::string literal;  // empty only at the end of the pattern
  };

  // None for a pattern that has anything else than literal bytes and the groups (.+?) (.*?) (.+)
  // (.*), two of these side by side, or a greedy one that is not the last.
  static std::optional<LinearPattern> parse(std::string_view pattern);

  // The leftmost match as RE2 finds it. `text` holds no line feed. `captures` has one entry a
  // group, and is left as it was when there is no match.
  bool search(std::string_view text, std::string_view& matched,
              std::vector<std::string_view>& captures) const;

  const std::string& head() const { return head_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::string head_;  // before the first group; may be empty
  std::vector<Step> steps_;
};

}  // namespace assay
