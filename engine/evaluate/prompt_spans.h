// Which parts of a log's line are the text of a user or of the model.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace assay {

class PromptSpans {
 public:
  PromptSpans() = default;
  // Positions count in `line`, of which the first 64 KiB are read.
  explicit PromptSpans(std::string_view line);

  // Whether the byte at `at` stands in such a text. One that is open behind what was read has no
  // end.
  bool holds(std::size_t at) const;

 private:
  struct Span {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Span> spans_;  // in order, apart
};

}  // namespace assay
