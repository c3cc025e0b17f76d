// In order: a flag of older releases; one of other covered releases; a prefix of several flags;
// underscores for dashes; a misspelling.
#include "engine/read/unknown_flag.h"

#include <algorithm>

namespace assay {
namespace {

bool takes_no_value(const PackRelease& release, const std::string& flag) {
  const FlagMatch match = match_flag(release, flag);
  return match.kind == FlagMatch::Kind::argument && match.flag->stores.has_value();
}

// A flag of the pack that the release lacks.
bool stores_without_value(const RulePack& pack, const std::string& spelling) {
  const auto& flags = pack.schema.facts[pack.schema.by_flag.at(spelling)].flags;
  return std::any_of(flags.begin(), flags.end(), [&](const Flag& flag) {
    return flag.spelling == spelling && flag.stores.has_value();
  });
}

}  // namespace

UnknownFlag judge_unknown_flag(const PackRelease& release, const std::string& word,
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
  const std::string absence = release.absence_of_flag(spelling);
  if (const std::string now(renamed_flag(release, spelling)); !now.empty()) {
    unknown.help = absence + (absence.empty() ? "" : " ") + "It is `" + now + "` now.";
    unknown.takes_no_value = now.find('=') != std::string::npos || takes_no_value(release, now);
    return unknown;
  }
  if (!absence.empty()) {
    unknown.help = absence;
    unknown.takes_no_value = stores_without_value(release.pack(), spelling);
    return unknown;
  }
  if (is_ambiguous) return unknown;
  std::string dashed = spelling;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  FlagMatch meant = dashed != spelling ? match_flag(release, dashed) : FlagMatch{};
  if (meant.kind == FlagMatch::Kind::argument) {
    meant.has_value = match.has_value;
    meant.value_at = match.value_at;
    unknown.help = "Did you mean `" + dashed + "`?";
    unknown.meant = std::move(meant);
    return unknown;
  }
  if (!may_search) return unknown;
  const std::string closest(closest_flag(release, spelling));
  if (closest.empty()) return unknown;
  unknown.help = "Did you mean `" + closest + "`?";
  unknown.takes_no_value = takes_no_value(release, closest);
  return unknown;
}

}  // namespace assay
