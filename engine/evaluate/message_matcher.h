// Finds known error messages in a text, line by line, with the records' patterns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/server_runs.h"
#include "engine/model/dataset.h"
#include "engine/text/log_places.h"
#include "engine/text/result.h"

namespace assay {

class BundleFile;

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
  // The dataset's records must outlive it. Errors: bad_pattern, at the record's pattern.
  static Result<MessageMatcher> compile(const Dataset& dataset);
  // With the tables that lie in the bundle of `dataset`; a record is read and its pattern compiled
  // when its literal is first found. Both must outlive it where they are. What is wrong with the
  // tables or a pattern is noted in the bundle, and is not found.
  static MessageMatcher open(const Dataset& dataset, const BundleFile& bundle);
  MessageMatcher(MessageMatcher&&) noexcept;
  MessageMatcher& operator=(MessageMatcher&&) noexcept;
  ~MessageMatcher();

  // For a bundle: the same for the same records.
  std::string_view tables() const;

  // What one look at a text tells of it.
  struct Findings {
    // In the order of the text; of several records that match one line, the more specific first.
    std::vector<MessageMatch> matches;
    // Where else an error may stand: the first word of errors (LogPlaces) of each line that has
    // one.
    std::vector<std::size_t> anchors;
    std::vector<SeenSentence> sentences;  // in order
    std::size_t line_feeds = 0;           // of the text
  };
  Findings search(std::string_view text, LogWords words = LogWords::of_errors) const;
  // The matches alone.
  std::vector<MessageMatch> find(std::string_view text) const {
    return search(text, LogWords::none).matches;
  }

 private:
  struct Patterns;
  explicit MessageMatcher(std::unique_ptr<Patterns> patterns);
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace assay
