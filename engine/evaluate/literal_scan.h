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

// Where the window of some literal stands, and the literal itself does not: it would reach from
// `begin` to `end`, at most.
struct BrokenLiteral {
  std::uint32_t window = 0;  // place
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Appends every place of every literal in `text` (below 4 GiB) to `hits`, in no order that is worth
// knowing, and to `broken`, unless it is null, those places where only a window stands.
void scan_literals(const LiteralTables& tables, std::string_view text,
                   std::vector<LiteralHit>& hits, std::vector<BrokenLiteral>* broken = nullptr);

}  // namespace assay
