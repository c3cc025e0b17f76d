// The known errors, as read from a dataset folder.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/error_record.h"

namespace assay {

struct Dataset {
  std::vector<ErrorRecord> records;  // sorted by repo, then slug
  std::unordered_map<std::string, std::size_t> by_id;
  std::string version;  // the newest analyzed_at

  const ErrorRecord* find(std::string_view id) const {
    const auto found = by_id.find(std::string(id));
    return found == by_id.end() ? nullptr : &records[found->second];
  }
};

}  // namespace assay
