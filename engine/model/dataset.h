// The known errors, as read from a dataset folder.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/lazy_list.h"
#include "engine/base/name_index.h"
#include "engine/model/error_record.h"

namespace assay {

struct Dataset {
  LazyList<ErrorRecord> records;  // sorted by repo, then slug
  NameIndex<std::size_t> by_id;
  std::string version;  // the newest analyzed_at

  const ErrorRecord* find(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : &records[found->second];
  }
};

}  // namespace assay
