// A record's example of a fix: "# before" and a text that fails, "# after" and one that does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/site_document.h"

namespace assay {

struct FixPart {
  enum class Kind : std::uint8_t { before, after, other };
  Kind kind = Kind::other;
  std::string note;  // what stands behind "# before": "on 0.5.20"; may be empty
  std::string text;  // without the line of its own that names it
};

// Parts of kind `other` are what stands in front of the first line that names a part.
std::vector<FixPart> read_fix_example(std::string_view example);

// The two texts with what only one of them has marked, word by word; plain where they have nothing
// in common or are too long to be compared.
struct MarkedPair {
  Phrase before;
  Phrase after;
};
MarkedPair mark_changes(std::string_view before, std::string_view after);

}  // namespace assay
