// A key is looked up as the flag it would be on the command line first (so that deprecated
// spellings and --no-x forms mean what they mean there), then as a field name.
#include "engine/read/argument_map_reader.h"

#include <algorithm>

#include "engine/read/argument_conversion.h"
#include "engine/read/argument_words.h"
#include "engine/read/choice_help.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/launch_faults.h"
#include "engine/text/closest_name.h"

namespace assay {
namespace {

constexpr std::size_t kMaxKeyFaults = 1000;
constexpr std::size_t kMaxUnknownKeys = 100;    // keys nobody knows: the rest is only counted
constexpr std::size_t kMaxKeySuggestions = 20;  // finding the closest of 500 names takes its time

struct KeyMatch {
  FactId fact = 0;
  const Flag* flag = nullptr;  // null: found by its field name
};

std::string_view without_dashes(std::string_view key) {
  while (key.starts_with('-')) key.remove_prefix(1);
  return key;
}

std::optional<KeyMatch> find_key(const FactSchema& schema, std::string_view key) {
  const std::string_view name = without_dashes(key);
  if (const auto named = schema.by_name.find(with_underscores(name));
      named != schema.by_name.end() && schema.facts[named->second].is_argument)
    return KeyMatch{named->second, nullptr};
  for (const std::string_view dashes : {"--", "-"}) {
    const std::string spelling = std::string(dashes) + with_dashes(name);
    const auto flagged = schema.by_flag.find(spelling);
    if (flagged == schema.by_flag.end()) continue;
    for (const Flag& flag : schema.facts[flagged->second].flags)
      if (flag.spelling == spelling) return KeyMatch{flagged->second, &flag};
  }
  return {};
}

// `tp` for `tp-size`: on the command line a prefix is as good as the flag.
std::optional<KeyMatch> find_prefix(const PackRelease& release, std::string_view key) {
  const FlagMatch match = match_flag(release, "--" + with_dashes(without_dashes(key)));
  if (match.kind != FlagMatch::Kind::argument || match.has_value) return {};
  return KeyMatch{match.fact, match.flag};
}

void add_fault(Launch& launch, Severity severity, DiagnosticCode code, Span span,
               const std::string& key, std::string message, std::string help) {
  Diagnostic diagnostic{severity, code, span, std::move(message), std::move(help), {}};
  launch.faults.push_back({std::move(diagnostic), {}, key});
}

std::string renaming(const PackRelease& release, std::string_view key) {
  const std::string now(renamed_flag(release, "--" + std::string(without_dashes(key))));
  return now.empty() ? std::string() : "It is `" + now + "` now.";
}

std::string suggestion(const PackRelease& release, std::string_view key) {
  const std::string closest = closest_key(release, key);
  return closest.empty() ? std::string() : "Did you mean `" + closest + "`?";
}

class MapReader {
 public:
  MapReader(const PackRelease& release, UnknownKeys unknown_keys, MapUse use, Launch& launch)
      : release_(release),
        pack_(release.pack()),
        unknown_keys_(unknown_keys),
        use_(use),
        launch_(launch) {}

  void read(const Entry& entry) {
    auto match = find_key(pack_.schema, entry.key);
    if (!match && use_ == MapUse::config_file) match = find_prefix(release_, entry.key);
    if (!match && names_config_file(entry.key)) return;
    const std::string absence = match ? absence_of(*match) : std::string();
    const bool is_refusing = unknown_keys_ == UnknownKeys::refused;
    if (!match || (is_refusing && !absence.empty())) {
      if (is_refusing) refuse(entry, absence);
      return;
    }
    const FactDeclaration& fact = release_.fact(match->fact);
    const auto& refused = pack_.config_refuses;
    if (use_ == MapUse::config_file &&
        std::find(refused.begin(), refused.end(), fact.name) != refused.end())
      add_fault(launch_, Severity::warning, code::unknown_key, entry.key_span, entry.key,
                "as a config file of " + title() + " this is refused: it takes `" + fact.name +
                    "` from the command line only",
                {});
    LaunchArgument argument;
    argument.fact = match->fact;
    argument.spelling = entry.key;
    argument.flag_span = entry.key_span;
    argument.value_span = entry.value.span;
    const bool is_switch = match->flag != nullptr && match->flag->stores.has_value();
    if (is_switch && entry.value.kind == NodeKind::boolean) {
      if (!entry.value.boolean) return;  // a switch that is not thrown
      argument.value = *match->flag->stores;
      argument.value.span = entry.value.span;
    } else {
      convert(fact, entry, argument);
    }
    const bool is_deprecated =
        match->flag != nullptr &&
        std::any_of(fact.flags.begin(), fact.flags.end(), [&](const Flag& flag) {
          return flag.spelling == match->flag->spelling && flag.is_deprecated;
        });
    if (is_deprecated)
      add_fault(launch_, Severity::warning, code::deprecated_flag, entry.key_span, entry.key,
                "`" + entry.key + "` is a deprecated name", "Write `" + fact.name + "`.");
    launch_.arguments.push_back(std::move(argument));
  }

  void report_uncounted() {
    if (unknown_ <= kMaxUnknownKeys) return;
    add_fault(
        launch_, Severity::error, code::unknown_key, first_uncounted_, {},
        std::to_string(unknown_ - kMaxUnknownKeys) + " more keys, from here on, are no arguments",
        "Is this the file of another program?");
  }

 private:
  // Why the release refuses a key that others take; empty where it takes it.
  std::string absence_of(const KeyMatch& match) const {
    return match.flag == nullptr ? release_.absence_of_argument(match.fact)
                                 : release_.absence_of_flag(match.flag->spelling);
  }

  void refuse(const Entry& entry, std::string help) {
    const Span key = entry.key_span, value = entry.value.span;
    if (++unknown_ == kMaxUnknownKeys + 1) first_uncounted_ = key;
    if (unknown_ > kMaxUnknownKeys) return;
    const std::string renamed = renaming(release_, entry.key);
    if (!renamed.empty()) help += (help.empty() ? "" : " ") + renamed;
    if (help.empty() && unknown_ <= kMaxKeySuggestions) help = suggestion(release_, entry.key);
    add_fault(launch_, Severity::error, code::unknown_key, key, entry.key,
              "`" + entry.key + "` is no argument of " + title(), std::move(help));
    launch_.faults.back().may_be_known_elsewhere = true;
    const bool has_value = value.source == key.source && value.end > key.end;
    launch_.faults.back().extent = {key.source, key.begin, has_value ? value.end : key.end};
  }
  // The engine takes it, and reads no file that a config file names.
  bool names_config_file(std::string_view key) const {
    return use_ == MapUse::config_file && !pack_.config_flag.empty() &&
           plain_key(key) == plain_key(pack_.config_flag);
  }
  std::string title() const { return pack_.title.empty() ? pack_.name : pack_.title; }

  // 1 and 0 are as good as true and false, but to a switch of the command line: that takes no
  // value.
  bool is_number_for_bool(const FactDeclaration& fact, const Node& value) const {
    if (fact.type.kind != TypeKind::boolean || value.kind != NodeKind::integer) return false;
    if (value.integer != 0 && value.integer != 1) return false;
    const bool is_switch = !fact.flags.empty() && fact.flags.front().stores.has_value();
    return use_ == MapUse::keywords || !is_switch;
  }

  void convert(const FactDeclaration& fact, const Entry& entry, LaunchArgument& argument) {
    if (is_number_for_bool(fact, entry.value)) {
      argument.value = make_boolean(entry.value.integer == 1, entry.value.span);
      return;
    }
    // <function f at 0x7f...>: what an engine printed of an object says nothing of its value.
    const bool is_object = launch_.form == LaunchForm::dump && entry.value.is_string() &&
                           entry.value.text.find(" at 0x") != std::string::npos;
    if (is_object) {
      argument.is_known = false;
      argument.value = entry.value;
      return;
    }
    // A map becomes JSON on the command line.
    const bool is_json_text = use_ == MapUse::config_file && !fact.is_json &&
                              fact.type.kind == TypeKind::string &&
                              entry.value.kind == NodeKind::mapping;
    const auto fault = convert_node(
        fact, is_json_text ? make_string(write_json(entry.value), entry.value.span) : entry.value,
        argument.value);
    if (!fault) return;
    if (fault->is_choice && launch_.stage == LaunchStage::resolved) return;
    const bool is_open =
        fault->is_choice && fact.has_open_choices && may_have_plugins(pack_, launch_);
    // A dump of another version may hold what this one's argument cannot: it says nothing then.
    const bool is_strange = launch_.stage == LaunchStage::resolved;
    if (is_strange) argument.is_known = false;
    add_fault(launch_, is_open || is_strange ? Severity::warning : Severity::error,
              code::invalid_flag_value, entry.value.span, entry.key,
              "`" + entry.key + "`: " + fault->message,
              fault->is_choice && entry.value.is_string()
                  ? help_on_choice(release_, argument.fact, entry.value.text)
                  : std::string());
    launch_.faults.back().may_be_known_elsewhere = fault->is_choice;
    if (!fault->is_choice) argument.value = entry.value;
  }

  const PackRelease& release_;
  const RulePack& pack_;
  const UnknownKeys unknown_keys_;
  const MapUse use_;
  Launch& launch_;
  std::size_t unknown_ = 0;
  Span first_uncounted_;
};

}  // namespace

void read_argument_map(const Node& map, const PackRelease& release, UnknownKeys unknown_keys,
                       MapUse use, Launch& launch) {
  MapReader reader(release, unknown_keys, use, launch);
  for (const Entry& entry : map.entries) {
    if (launch.faults.size() >= kMaxKeyFaults) break;
    reader.read(entry);
  }
  reader.report_uncounted();
}

std::string plain_key(std::string_view key) { return with_underscores(without_dashes(key)); }

std::string closest_key(const PackRelease& release, std::string_view key) {
  std::vector<std::string_view> names;
  const auto& facts = release.pack().schema.facts;
  for (FactId id = 0; id < facts.size(); ++id)
    if (facts[id].is_argument && release.has(id)) names.push_back(facts[id].name);
  const std::string_view closest = closest_misspelling(plain_key(key), names);
  const bool has_dashes = without_dashes(key).find('-') != std::string_view::npos;
  const std::string dashes(key.substr(0, key.size() - without_dashes(key).size()));
  if (closest.empty()) return {};
  return dashes + (has_dashes ? with_dashes(closest) : std::string(closest));
}

bool names_argument(std::string_view key, const RulePack& pack) {
  return find_key(pack.schema, key).has_value();
}

std::size_t count_arguments(const Node& map, const RulePack& pack) {
  return static_cast<std::size_t>(
      std::count_if(map.entries.begin(), map.entries.end(),
                    [&](const Entry& entry) { return names_argument(entry.key, pack); }));
}

}  // namespace assay
