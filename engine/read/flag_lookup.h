// Which option a word of a command line is, by argparse's rules: exact spelling, --flag=value,
// unique prefix, negative number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/read/pack_release.h"

namespace assay {

// A name as flags spell it ("tp-size"), and as fields do ("tp_size").
std::string with_dashes(std::string_view name);
std::string with_underscores(std::string_view name);

struct FlagMatch {
  enum class Kind : std::uint8_t {
    value,      // no option: a value or a positional
    argument,   // `fact`, `flag`
    config,     // the pack's config flag
    help,       // -h, --help
    ambiguous,  // a prefix of several: `candidates`
    unknown,    // looks like an option
  };
  Kind kind = Kind::value;
  FactId fact = 0;
  const Flag* flag = nullptr;  // of PackRelease::fact, as are the candidates
  bool has_value = false;      // --flag=value
  std::size_t value_at = 0;    // where it starts in the word
  std::vector<std::string_view> candidates;
};

// What the word is to the engine's `release`: a flag that only others have is unknown.
FlagMatch match_flag(const PackRelease& release, const std::string& word);
// The flag of which `word` (up to its `=`) is a likely misspelling: a slip or two, of
// one flag only and with the same leading verb. Of a renamed flag the new name. Empty: there is
// none.
std::string_view closest_flag(const PackRelease& release, std::string_view word);
// What the flag `word` (up to its `=`) of an older release is called now: a flag, or --flag=value
// for what was a switch; empty where the pack does not say, or the release does not take that
// either.
std::string_view renamed_flag(const PackRelease& release, std::string_view word);
// The one of an ambiguous prefix's candidates that it most likely stands for: what ends in `-size`
// first, then the shortest; empty when several are as short, or it is a switch too far away.
std::string_view meant_candidate(const PackRelease& release, std::string_view prefix,
                                 const FlagMatch& match);

}  // namespace assay
