// In order: a flag of older releases; a prefix of several flags; underscores for dashes; a
// misspelling.
#include "engine/read/unknown_flag.h"

#include <algorithm>

namespace assay {
namespace {

bool takes_no_value(const RulePack& pack, const std::string& flag) {
  const FlagMatch match = match_flag(pack, flag);
  return match.kind == FlagMatch::Kind::argument && match.flag->stores.has_value();
}

}  // namespace

UnknownFlag judge_unknown_flag(const RulePack& pack, const std::string& word,
                               const FlagMatch& match, bool may_search) {
  const std::string spelling = word.substr(0, word.find('='));
  UnknownFlag unknown;
  const bool is_ambiguous = match.kind == FlagMatch::Kind::ambiguous;
  if (is_ambiguous) {
    unknown.message = "ambiguous option: " + word + " could match ";
    for (std::size_t i = 0; i < match.candidates.size(); ++i)
      unknown.message += (i == 0 ? "" : ", ") + std::string(match.candidates[i]);
    unknown.help = "Write the flag in full.";
  } else {
    unknown.message = "unrecognized arguments: " + spelling;
  }
  if (const std::string now(renamed_flag(pack, spelling)); !now.empty()) {
    unknown.help = "It is `" + now + "` now.";
    unknown.takes_no_value = now.find('=') != std::string::npos || takes_no_value(pack, now);
    return unknown;
  }
  if (is_ambiguous) return unknown;
  std::string dashed = spelling;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  FlagMatch meant = dashed != spelling ? match_flag(pack, dashed) : FlagMatch{};
  if (meant.kind == FlagMatch::Kind::argument) {
    meant.has_value = match.has_value;
    meant.value_at = match.value_at;
    unknown.help = "Did you mean `" + dashed + "`?";
    unknown.meant = std::move(meant);
    return unknown;
  }
  if (!may_search) return unknown;
  const std::string closest(closest_flag(pack, spelling));
  if (closest.empty()) return unknown;
  unknown.help = "Did you mean `" + closest + "`?";
  unknown.takes_no_value = takes_no_value(pack, closest);
  return unknown;
}

}  // namespace assay
