// Few arguments differ between releases: those are copied and cut to size when they are first asked
// for, all others are the pack's own.
#include "engine/read/pack_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

bool is_same_everywhere(const FactDeclaration& fact) {
  return fact.versions.empty() && fact.choice_versions.empty() && fact.dated_defaults.empty() &&
         std::all_of(fact.flags.begin(), fact.flags.end(), [](const Flag& flag) {
           return flag.versions.empty() && flag.deprecated_versions.empty();
         });
}

bool is_in(std::string_view range, const Version& version) {
  const auto parsed = parse_version_range(range);
  return !parsed || parsed->contains(version);
}

}  // namespace

PackRelease::PackRelease(const RulePack& pack, std::string_view release)
    : pack_(pack), name_(release), version_(parse_version(release)) {
  if (version_) return;
  name_ = pack.versions.empty() ? std::string() : pack.versions.back();
  version_ = parse_version(name_);
}

bool PackRelease::contains(std::string_view range) const {
  return range.empty() || !version_ || is_in(range, *version_);
}

bool PackRelease::has_choice(FactId id, std::string_view choice) const {
  const FactDeclaration& own = fact(id);
  return own.choices.empty() || std::any_of(own.choices.begin(), own.choices.end(),
                                            [&](const Node& one) { return one.text == choice; });
}

const FactDeclaration& PackRelease::fact(FactId id) const {
  const FactDeclaration& declared = pack_.schema.facts[id];
  if (is_same_everywhere(declared)) return declared;
  const auto known = adapted_.find(id);
  if (known != adapted_.end()) return *known->second;

  FactDeclaration own = declared;
  const bool is_lacking = !contains(own.versions);
  std::erase_if(own.flags,
                [&](const Flag& flag) { return is_lacking || !contains(flag.versions); });
  for (Flag& flag : own.flags)
    flag.is_deprecated = flag.is_deprecated && contains(flag.deprecated_versions);
  std::vector<Node> choices;
  for (std::size_t i = 0; i < declared.choices.size(); ++i)
    if (i >= declared.choice_versions.size() || contains(declared.choice_versions[i]))
      choices.push_back(declared.choices[i]);
  own.choices = std::move(choices);
  const auto dated = std::find_if(own.dated_defaults.begin(), own.dated_defaults.end(),
                                  [&](const DatedDefault& one) { return contains(one.versions); });
  if (dated != own.dated_defaults.end()) own.default_value = dated->value;
  return *adapted_.emplace(id, std::make_unique<const FactDeclaration>(std::move(own)))
              .first->second;
}

// "0.5.20 does not have it: it came with 0.5.22."
std::string PackRelease::absence(std::string_view range) const {
  if (contains(range) || !version_) return {};
  std::string_view first, last;
  for (const std::string& release : pack_.versions) {
    const auto version = parse_version(release);
    if (!version || !is_in(range, *version)) continue;
    if (first.empty()) first = release;
    last = release;
  }
  if (first.empty()) return {};
  const std::string_view title = pack_.title.empty() ? pack_.name : pack_.title;
  const auto since = parse_version(first);
  if (since && *version_ < *since)
    return fmt::format("{} {} does not have it: it came with {}.", title, name_, first);
  return fmt::format("{} {} does not have it any more: {} was the last release that did.", title,
                     name_, last);
}

std::string PackRelease::absence_of_argument(FactId id) const {
  return absence(pack_.schema.facts[id].versions);
}

std::string PackRelease::absence_of_flag(std::string_view spelling) const {
  const auto found = pack_.schema.by_flag.find(spelling);
  if (found == pack_.schema.by_flag.end()) return {};
  if (!has(found->second)) return absence_of_argument(found->second);
  for (const Flag& flag : pack_.schema.facts[found->second].flags)
    if (flag.spelling == spelling) return absence(flag.versions);
  return {};
}

std::string PackRelease::absence_of_choice(FactId id, std::string_view choice) const {
  const FactDeclaration& declared = pack_.schema.facts[id];
  for (std::size_t i = 0; i < declared.choice_versions.size() && i < declared.choices.size(); ++i)
    if (declared.choices[i].text == choice) return absence(declared.choice_versions[i]);
  return {};
}

}  // namespace assay
