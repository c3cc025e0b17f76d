// Ranges of versions were checked when the pack was compiled; here they are only asked.
#include "engine/report/rule_releases.h"

#include "engine/base/version.h"

namespace assay {

std::vector<bool> releases_of(const Rule& rule, const RulePack& pack) {
  std::vector<bool> holds(pack.versions.size(), true);
  if (rule.versions.empty() || rule.versions == "any") return holds;
  const auto range = parse_version_range(rule.versions);
  if (!range) return holds;
  for (std::size_t at = 0; at < holds.size(); ++at)
    if (const auto version = parse_version(pack.versions[at]))
      holds[at] = range->contains(*version);
  return holds;
}

}  // namespace assay
