// Everything of the site that its search finds.
#pragma once

#include <span>
#include <vector>

#include "engine/evaluate/support_matrix.h"
#include "engine/report/site_index.h"
#include "engine/report/site_search_index.h"

namespace assay {

// Records, rules, arguments, contracts, causes, tags, source files and support matrices, in this
// order.
std::vector<SearchEntry> search_entries(const SiteIndex& index,
                                        std::span<const SupportTable> tables);

}  // namespace assay
