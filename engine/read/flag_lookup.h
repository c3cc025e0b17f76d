// Which option a word of a command line is, by argparse's rules: exact spelling, --flag=value,
// unique prefix, negative number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/rule_pack.h"

namespace assay {

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
  const Flag* flag = nullptr;
  bool has_value = false;    // --flag=value
  std::size_t value_at = 0;  // where it starts in the word
  std::vector<std::string_view> candidates;
};

FlagMatch match_flag(const RulePack& pack, const std::string& word);
// The pack's spelling of which `word` (up to its `=`) is a likely misspelling: a slip or two, of
// one flag only and with the same leading verb. Of a renamed flag the new name. Empty: there is
// none.
std::string_view closest_flag(const RulePack& pack, std::string_view word);
// What the flag `word` (up to its `=`) of an older release is called now: a flag, or --flag=value
// for what was a switch; empty where the pack does not say.
std::string_view renamed_flag(const RulePack& pack, std::string_view word);
// The one of an ambiguous prefix's candidates that it most likely stands for: what ends in `-size`
// first, then the shortest; empty when several are as short, or it is a switch too far away.
std::string_view meant_candidate(const RulePack& pack, std::string_view prefix,
                                 const FlagMatch& match);

}  // namespace assay
