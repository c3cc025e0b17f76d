// Which errors a reader of one error may look for next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/dataset.h"

namespace assay {

struct RelatedError {
  const ErrorRecord* record = nullptr;
  std::string reason;  // "also about mla, kv-cache-dtype; raised in the same file"
};

// For each record of the dataset, in its order, at most `limit` others, the closest first. Links
// that a record's author wrote (seeAlso) come before computed ones. Depends on the dataset alone.
std::vector<std::vector<RelatedError>> related_errors(const Dataset& dataset,
                                                      std::size_t limit = 5);

}  // namespace assay
