// What a log says, in terms of the known errors: one entry a record, the likely cause first.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/evaluate/message_matcher.h"
#include "engine/model/error_record.h"

namespace assay {

struct ExplainedCapture {
  std::string name;   // as the record's message names the part ("kv.dtype"), else "1", "2", ...
  std::string value;  // without terminal escapes
};

struct ExplainedError {
  const ErrorRecord* record = nullptr;
  std::size_t line = 0;    // of the first place, from 1
  std::size_t column = 0;  // in code points, from 1
  std::string text;        // that line, without terminal escapes; cut around the match when long
  std::string matched;     // the message itself
  std::vector<ExplainedCapture> captures;  // at the first place
  std::size_t count = 0;                   // lines it was found on
};

struct Explanation {
  std::string source;  // name of the text: a path, "<stdin>"
  // Errors before those that only carry another, errors before warnings, then as they come first in
  // the text.
  std::vector<ExplainedError> errors;
  std::size_t lines = 0;
};

// Puts an explanation together from what is found in a log part by part. Of several records that
// match the same bytes of a line only the most specific is told.
class ExplanationBuilder {
 public:
  explicit ExplanationBuilder(std::string source) { explanation_.source = std::move(source); }

  // Those of the next whole lines, in order. What they look at is copied.
  void add(const std::vector<MessageMatch>& matches);
  // So far, one a record, in the order of the log; more are added behind.
  const std::vector<ExplainedError>& errors() const { return explanation_.errors; }
  Explanation finish(std::size_t lines);

 private:
  Explanation explanation_;
  std::unordered_map<const ErrorRecord*, std::size_t> by_record_;  // index of its error
};

// Of several records that match the same bytes of a line only the most specific is told.
Explanation explain_text(const MessageMatcher& matcher, std::string source, std::string_view text);

}  // namespace assay
