// Finds known error messages in a text, line by line, with the records' patterns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/dataset.h"
#include "engine/text/result.h"

namespace assay {

struct MessageMatch {
  const ErrorRecord* record = nullptr;
  std::size_t line = 0;      // from 1
  std::size_t offset = 0;    // byte offset of the line in the text
  std::string_view text;     // the line, in the caller's buffer
  std::string_view matched;  // the part the pattern covers
  std::vector<std::string_view> captures;
};

class MessageMatcher {
 public:
  // Errors: bad_pattern, at the record's pattern.
  static Result<MessageMatcher> compile(const Dataset& dataset);
  MessageMatcher(MessageMatcher&&) noexcept;
  MessageMatcher& operator=(MessageMatcher&&) noexcept;
  ~MessageMatcher();

  // Matches in the order of the text; of several records that match one line, the more specific
  // first.
  std::vector<MessageMatch> find(std::string_view text) const;

 private:
  struct Patterns;
  explicit MessageMatcher(std::unique_ptr<Patterns> patterns);
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace assay
