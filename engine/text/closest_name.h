// "Did you mean": the name somebody probably meant.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace assay {

// The candidate closest to `word` (Damerau-Levenshtein, at most a third of its length), or empty
// when none is close. Of equally close ones the first.
std::string_view closest_name(std::string_view word,
                              const std::vector<std::string_view>& candidates);

// How many slips (edits) in `word` still make a misspelling of another name and not another thing:
// two in a name of eight letters, none in one of three.
std::size_t misspelling_limit(std::string_view word);
// Whether one starts with a verb (enable, disable, no, use, skip) that the other lacks: names that
// say opposite things, however few letters are between them.
bool is_other_verb(std::string_view word, std::string_view candidate);
// The candidate of which `word` is a likely misspelling, or empty: none, or several as likely.
std::string_view closest_misspelling(std::string_view word,
                                     const std::vector<std::string_view>& candidates);

}  // namespace assay
