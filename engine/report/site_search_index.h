// What the site's search and filters look at, as a file that a page loads when it is first needed.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/error_record.h"
#include "engine/model/rule_pack.h"

namespace assay {

// What a list of pages can be narrowed by: `?severity=error`.
enum class SearchFacet : std::uint8_t { severity, project, area, cause, error_class, version };
inline constexpr std::size_t kSearchFacets = 6;

// A page that can be found.
struct SearchEntry {
  std::string kind;                               // "error", "rule", "argument"
  std::string path;                               // of the page, without extension
  std::string title;                              // what it is found by first, and shown by
  std::string detail;                             // shown beside it, and found by
  std::vector<std::string> terms;                 // found by as well: tags, arguments
  std::array<std::string, kSearchFacets> facets;  // by SearchFacet; empty: it has none

  std::string& operator[](SearchFacet facet) { return facets[static_cast<std::size_t>(facet)]; }
};

SearchEntry search_entry(const ErrorRecord& record);
SearchEntry search_entry(const Rule& rule, const RulePack& pack);

// The file `search-index.js`. It holds no full texts: titles, details and terms are cut. The same
// entries give the same bytes.
std::string write_search_index(const std::vector<SearchEntry>& entries);

}  // namespace assay
