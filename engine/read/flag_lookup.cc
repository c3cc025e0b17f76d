// The order of the tests is argparse's own (ArgumentParser._parse_optional and
// _get_option_tuples of Python 3.11 to 3.13). Several spellings of one argument that share a prefix
// are no ambiguity, as in the newer of these.
#include "engine/read/flag_lookup.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/text/closest_name.h"
#include "engine/text/spelling_distance.h"

namespace assay {
namespace {

constexpr std::size_t kLongestFlag = 128;

// -5, -0.5, -.5; not -1e3.
bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-')) return false;
  word.remove_prefix(1);
  const auto point = word.find('.');
  if (point == std::string_view::npos)
    return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
  const std::string_view whole = word.substr(0, point), fraction = word.substr(point + 1);
  return !fraction.empty() && std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(fraction.begin(), fraction.end(), is_digit);
}

// True when `spelling` is an option; fills what kind of one.
bool find_exact(const PackRelease& release, const std::string& spelling, FlagMatch& match) {
  if (spelling == "-h" || spelling == "--help") {
    match.kind = FlagMatch::Kind::help;
    return true;
  }
  if (!release.pack().config_flag.empty() && spelling == release.pack().config_flag) {
    match.kind = FlagMatch::Kind::config;
    return true;
  }
  const auto found = release.pack().schema.by_flag.find(spelling);
  if (found == release.pack().schema.by_flag.end()) return false;
  for (const Flag& flag : release.fact(found->second).flags) {
    if (flag.spelling != spelling) continue;
    match.kind = FlagMatch::Kind::argument;
    match.fact = found->second;
    match.flag = &flag;
    return true;
  }
  return false;
}

bool same_meaning(const Flag& a, const Flag& b) {
  if (a.stores.has_value() != b.stores.has_value()) return false;
  if (!a.word_values.empty() || !b.word_values.empty()) return false;
  return !a.stores || (a.stores->kind == b.stores->kind && a.stores->boolean == b.stores->boolean &&
                       a.stores->text == b.stores->text);
}

std::string_view bare(std::string_view flag) {
  return flag.substr(std::min<std::size_t>(2, flag.size()));
}

void find_prefix(const PackRelease& release, std::string_view prefix, FlagMatch& match) {
  const Flag* first = nullptr;
  bool is_unique = true;
  for (FactId id = 0; id < release.pack().schema.facts.size(); ++id) {
    for (const Flag& flag : release.fact(id).flags) {
      if (!flag.spelling.starts_with(prefix)) continue;
      match.candidates.push_back(flag.spelling);
      if (first == nullptr) {
        first = &flag;
        match.fact = id;
        match.flag = &flag;
      } else if (id != match.fact || !same_meaning(*first, flag)) {
        is_unique = false;
      }
      if (match.flag->is_deprecated && id == match.fact) match.flag = &flag;
    }
  }
  const bool starts_config = release.pack().config_flag.starts_with(prefix);
  if (starts_config) match.candidates.push_back(release.pack().config_flag);
  if (std::string_view("--help").starts_with(prefix)) match.candidates.push_back("--help");
  if (match.candidates.empty()) return;
  if (match.candidates.size() == 1 && first == nullptr) {
    match.kind = starts_config ? FlagMatch::Kind::config : FlagMatch::Kind::help;
  } else if (first != nullptr && is_unique && match.candidates.back() != "--help" &&
             !starts_config) {
    match.kind = FlagMatch::Kind::argument;
  } else {
    match.kind = FlagMatch::Kind::ambiguous;
  }
}

}  // namespace

std::string with_dashes(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

FlagMatch match_flag(const PackRelease& release, const std::string& word) {
  FlagMatch match;
  if (!word.starts_with('-') || word.size() == 1) return match;
  if (find_exact(release, word, match)) return match;
  const auto equals = word.find('=');
  if (equals != std::string::npos) {
    match.has_value = true;
    match.value_at = equals + 1;
    if (find_exact(release, word.substr(0, equals), match)) return match;
  }
  // A single dash takes no prefix with a value: argparse reads -xVALUE instead.
  const bool is_long = word.starts_with("--");
  const std::string_view prefix =
      is_long ? std::string_view(word).substr(0, equals) : std::string_view(word);
  if (prefix != "--") find_prefix(release, prefix, match);
  if (match.kind != FlagMatch::Kind::value) {
    if (!is_long) match.has_value = false;
    return match;
  }
  if (!is_long && word.size() > 2 && find_exact(release, word.substr(0, 2), match)) {
    match.has_value = true;
    match.value_at = 2;
    return match;
  }
  if (is_negative_number(word)) return {};
  if (word.find(' ') != std::string::npos && equals == std::string::npos) return {};
  match.kind = FlagMatch::Kind::unknown;
  return match;
}

std::string_view closest_flag(const PackRelease& release, std::string_view word) {
  word = word.substr(0, word.find('='));
  if (word.size() > kLongestFlag || !word.starts_with("--")) return {};
  const Flag* best = nullptr;
  FactId best_fact = 0;
  bool is_tie = false;
  std::size_t best_distance = misspelling_limit(bare(word)) + 1;
  for (FactId id = 0; id < release.pack().schema.facts.size(); ++id) {
    for (const Flag& flag : release.fact(id).flags) {
      if (is_other_verb(bare(word), bare(flag.spelling))) continue;
      const std::size_t distance = spelling_distance(word, flag.spelling, best_distance);
      if (distance > best_distance || (distance == best_distance && best == nullptr)) continue;
      if (distance == best_distance) {
        is_tie = is_tie || id != best_fact || !same_meaning(*best, flag);
        continue;
      }
      best = &flag;
      best_fact = id;
      best_distance = distance;
      is_tie = false;
    }
  }
  if (best == nullptr || is_tie) return {};
  const Flag& current = release.fact(best_fact).flags.front();
  return best->is_deprecated && same_meaning(*best, current) ? current.spelling : best->spelling;
}

std::string_view renamed_flag(const PackRelease& release, std::string_view word) {
  const std::string_view spelling = word.substr(0, word.find('='));
  const auto same = [](char a, char b) { return a == b || (a == '_' && b == '-'); };
  for (const RenamedFlag& renamed : release.pack().renamed_flags)
    if (std::equal(spelling.begin(), spelling.end(), renamed.spelling.begin(),
                   renamed.spelling.end(), same))
      return release.absence_of_flag(renamed.now.substr(0, renamed.now.find('='))).empty()
                 ? std::string_view(renamed.now)
                 : std::string_view();
  return {};
}

std::string_view meant_candidate(const PackRelease& release, std::string_view prefix,
                                 const FlagMatch& match) {
  prefix = prefix.substr(0, prefix.find('='));
  std::string_view best;
  bool is_tie = false;
  for (const std::string_view candidate : match.candidates) {
    const auto found = release.pack().schema.by_flag.find(std::string(candidate));
    if (found == release.pack().schema.by_flag.end()) continue;
    const std::string_view rest = candidate.substr(prefix.size());
    if (rest == "-size") return candidate;
    const auto& flags = release.fact(found->second).flags;
    const bool is_switch = std::any_of(flags.begin(), flags.end(), [&](const Flag& flag) {
      return flag.spelling == candidate && flag.stores.has_value();
    });
    if (is_switch && rest.size() > misspelling_limit(bare(prefix))) continue;
    if (best.empty() || candidate.size() < best.size()) {
      best = candidate;
      is_tie = false;
    } else if (candidate.size() == best.size()) {
      is_tie = true;
    }
  }
  return is_tie ? std::string_view{} : best;
}

}  // namespace assay
