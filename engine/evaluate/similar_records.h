// The records whose message is nearest to one that no pattern matches.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/dataset.h"

namespace assay {

struct WordDifference {
  enum class Side : std::uint8_t { both, log_only, record_only };
  Side side = Side::both;
  std::string text;  // words joined by blanks
};

struct SimilarRecord {
  const ErrorRecord* record = nullptr;
  double likeness = 0;                     // 0 to 1; 1 only for the same words in the same order
  std::vector<WordDifference> difference;  // from the record's message to the log's
};

// Words that few records use weigh more. All records are read for it, when it is first asked; from
// then on `dataset`, which must outlive it, must not change. From any thread.
class SimilarRecords {
 public:
  explicit SimilarRecords(const Dataset& dataset) : dataset_(dataset) {}
  SimilarRecords(const SimilarRecords&) = delete;
  SimilarRecords& operator=(const SimilarRecords&) = delete;
  // At most `count`, best first; none below a likeness of 0.4. Wrappers and retired records are
  // left out. The message's first 96 words are compared.
  std::vector<SimilarRecord> find(std::string_view error_class, std::string_view message,
                                  std::size_t count) const;

 private:
  struct Entry {
    const ErrorRecord* record;
    std::vector<std::string> words;  // of its message, placeholders as "{}"
    double weight;                   // of its different words
  };
  void read_records() const;
  double weight_of(const std::string& word) const;

  const Dataset& dataset_;
  mutable std::once_flag is_read_;
  mutable std::vector<Entry> entries_;
  mutable std::unordered_map<std::string, std::vector<std::uint32_t>> by_word_;
};

}  // namespace assay
