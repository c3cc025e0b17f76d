// Optimal string alignment: insertion, deletion, replacement and the swap of two neighbours cost
// one each (of Damerau-Levenshtein the form that edits no part twice). Three rows of the table are
// kept; candidates whose length alone puts them out of reach are skipped, and very long words too,
// so that hostile input costs nothing.
#include "engine/text/closest_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/text/spelling_distance.h"

namespace assay {
namespace {

constexpr std::size_t kMaxLength = 128;

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b, std::size_t enough) {
  const std::size_t apart = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (apart > enough || a.size() > kMaxLength || b.size() > kMaxLength) return enough + 1;
  return distance(a, b);
}

std::string_view closest_name(std::string_view word,
                              const std::vector<std::string_view>& candidates) {
  if (word.size() > kMaxLength) return {};
  const std::size_t limit = word.size() / 3;
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= best_distance) continue;
    const std::size_t found = distance(word, candidate);
    if (found >= best_distance) continue;
    best = candidate;
    best_distance = found;
  }
  return best;
}

std::size_t misspelling_limit(std::string_view word) {
  return std::min<std::size_t>(word.size() / 4, 2);
}

bool is_other_verb(std::string_view word, std::string_view candidate) {
  constexpr std::array<std::string_view, 5> kVerbs = {"enable", "disable", "no", "use", "skip"};
  const auto starts_with_verb = [](std::string_view name, std::string_view verb) {
    return name.starts_with(verb) && name.size() > verb.size() &&
           (name[verb.size()] == '-' || name[verb.size()] == '_');
  };
  return std::any_of(kVerbs.begin(), kVerbs.end(), [&](std::string_view verb) {
    return starts_with_verb(word, verb) && !starts_with_verb(candidate, verb);
  });
}

std::string_view closest_misspelling(std::string_view word,
                                     const std::vector<std::string_view>& candidates) {
  std::string_view best;
  bool is_tie = false;
  std::size_t best_distance = misspelling_limit(word) + 1;
  for (const std::string_view candidate : candidates) {
    if (is_other_verb(word, candidate)) continue;
    const std::size_t found = spelling_distance(word, candidate, best_distance);
    if (found > best_distance || (found == best_distance && best.empty())) continue;
    is_tie = found == best_distance && candidate != best;
    best = candidate;
    best_distance = found;
  }
  return is_tie ? std::string_view() : best;
}

}  // namespace assay
