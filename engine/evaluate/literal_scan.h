// Finds where literals stand in a text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/compile/literal_tables.h"

namespace assay {

struct LiteralHit {
  std::uint32_t literal = 0;  // index in LiteralTables::literals
  std::uint32_t at = 0;       // in the text
};

// Appends every place of every literal in `text` (below 4 GiB): first those of the long tier in the
// order of the text, then those of the short one.
void scan_literals(const LiteralTables& tables, std::string_view text,
                   std::vector<LiteralHit>& hits);

}  // namespace assay
