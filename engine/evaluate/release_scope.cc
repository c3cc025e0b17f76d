// Releases are compared with the oldest and the newest that the pack covers. The engine's own words
// about a name would claim what nobody knows, so they are left out.
#include "engine/evaluate/release_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/version.h"
#include "engine/evaluate/launch_facts.h"

namespace assay {
namespace {

// The covered release that is closest to one outside of them.
const std::string& nearest_release(const RulePack& pack, std::string_view release) {
  const auto asked = parse_version(release), oldest = parse_version(pack.versions.front());
  return asked && oldest && *asked < *oldest ? pack.versions.front() : pack.versions.back();
}

}  // namespace

bool is_outside_of(const RulePack& pack, std::string_view version) {
  if (pack.versions.empty()) return false;
  const auto asked = parse_version(version);
  const auto oldest = parse_version(pack.versions.front());
  const auto newest = parse_version(pack.versions.back());
  return asked && oldest && newest && (*asked < *oldest || *newest < *asked);
}

std::string covered_releases(const RulePack& pack) {
  if (pack.versions.empty()) return {};
  return pack.versions.size() == 1
             ? pack.versions.front()
             : fmt::format("{} to {}", pack.versions.front(), pack.versions.back());
}

void allow_unknown_names(const RulePack& pack, std::span<const GivenFact> facts, Launch& launch) {
  const std::string_view release = release_of(launch, facts);
  // A key that is refused in a config file: which ones, was read from the newest release.
  const bool is_newest =
      release.empty() || pack.versions.empty() || release == pack.versions.back();
  for (LaunchFault& fault : launch.faults) {
    const bool is_of_config_file =
        fault.diagnostic.code == code::unknown_key && launch.form != LaunchForm::map;
    if (is_newest || !is_of_config_file || !fault.may_be_known_elsewhere) continue;
    fault.diagnostic.severity = std::min(fault.diagnostic.severity, Severity::warning);
    fault.message.clear();
  }
  if (!is_outside_of(pack, release)) return;
  for (LaunchFault& fault : launch.faults) {
    if (!fault.may_be_known_elsewhere) continue;
    Diagnostic& diagnostic = fault.diagnostic;
    diagnostic.severity = std::min(diagnostic.severity, Severity::warning);
    fault.message.clear();
    if (diagnostic.code == code::unknown_flag && !fault.flag.empty())
      diagnostic.message = fmt::format(
          "`{}` is no flag of {} {}", fault.flag, pack.title.empty() ? pack.name : pack.title,
          pack.schema.by_flag.contains(fault.flag) ? nearest_release(pack, release)
                                                   : covered_releases(pack));
  }
}

}  // namespace assay
