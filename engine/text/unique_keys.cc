// Small mappings (nearly all) are compared pair by pair, larger ones by sorting positions, so that
// a mapping of a million keys costs n log n.
#include "engine/text/unique_keys.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kPairwise = 12;

// For each entry the index of the first one with its key.
std::vector<std::uint32_t> first_positions(const std::vector<Entry>& entries) {
  std::vector<std::uint32_t> order(entries.size()), first(entries.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int keys = entries[a].key.compare(entries[b].key);
    return keys != 0 ? keys < 0 : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool repeats = i > 0 && entries[order[i]].key == entries[order[i - 1]].key;
    first[order[i]] = repeats ? first[order[i - 1]] : order[i];
  }
  return first;
}

bool has_duplicate(const std::vector<Entry>& entries) {
  for (std::size_t i = 1; i < entries.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (entries[i].key == entries[j].key) return true;
  return false;
}

// Leaves the first entry of each key.
void leave_first(const std::vector<std::uint32_t>& first, std::vector<Entry>& entries) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (first[i] != i) continue;
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
}

}  // namespace

void remove_duplicate_keys(std::vector<Entry>& entries, std::size_t max_faults,
                           Diagnostics& faults) {
  if (entries.size() <= kPairwise && !has_duplicate(entries)) return;
  const std::vector<std::uint32_t> first = first_positions(entries);
  for (std::size_t i = 0; i < entries.size() && faults.size() < max_faults; ++i) {
    if (first[i] == i) continue;
    faults.push_back(make_error(code::duplicate_key, entries[i].key_span,
                                "key `" + entries[i].key + "` is given twice"));
    faults.back().related.push_back({entries[first[i]].key_span, "first given here"});
  }
  leave_first(first, entries);
}

void keep_last_of_equal_keys(std::vector<Entry>& entries, std::size_t max_warnings,
                             Diagnostics& warnings) {
  if (entries.size() <= kPairwise && !has_duplicate(entries)) return;
  const std::vector<std::uint32_t> first = first_positions(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (first[i] == i) continue;
    Entry& kept = entries[first[i]];
    if (warnings.size() < max_warnings) {
      warnings.push_back({Severity::warning,
                          code::duplicate_key,
                          entries[i].key_span,
                          "key `" + kept.key + "` is given twice; the last one counts",
                          {},
                          {{kept.key_span, "first given here"}}});
    }
    kept.key_span = entries[i].key_span;
    kept.value = std::move(entries[i].value);
  }
  leave_first(first, entries);
}

}  // namespace assay
