// Which errors a reader of one error may look for next.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/dataset.h"

namespace assay {

struct RelatedError {
  const ErrorRecord* record = nullptr;
  std::string reason;  // "also about mla, kv-cache-dtype; raised in the same file"
};

// Depends on the dataset alone, which must stay where it is. May be asked from several threads.
class RelatedErrors {
 public:
  explicit RelatedErrors(const Dataset& dataset);
  ~RelatedErrors();
  RelatedErrors(const RelatedErrors&) = delete;
  RelatedErrors& operator=(const RelatedErrors&) = delete;

  // Of the record at `index`, at most `limit` others, the closest first. Links that a record's
  // author wrote (seeAlso) come before computed ones.
  std::vector<RelatedError> of(std::size_t index, std::size_t limit = 5) const;

 private:
  struct Features;
  std::unique_ptr<const Features> features_;
};

}  // namespace assay
