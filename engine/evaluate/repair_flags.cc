// Works on the text: an ambiguous prefix is replaced by one of its candidates, a likely misspelling
// by the name it misspells. Any other unknown name is taken out with its values, as is one whose
// new name does not fit the value or is given besides, and a flag without its value. A stray word
// becomes the model where none is given; one that denies the switch before it takes that out too.
// Then the text is read again, so that what the flag brings is checked like anything else. What a
// config file adds to a command stays as it is: that file is not the command's text.
#include "engine/evaluate/repair_flags.h"

#include <algorithm>
#include <utility>

#include "engine/evaluate/meant_value.h"
#include "engine/read/argument_map_reader.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/launch_reader.h"
#include "engine/read/launch_rewriter.h"
#include "engine/read/text_edits.h"

namespace assay {
namespace {

constexpr std::size_t kMaxRenames = 20;  // finding the closest of 500 names takes its time

bool is_of_name(const LaunchFault& fault) {
  const DiagnosticCode& code = fault.diagnostic.code;
  const bool is_some_name =
      code == code::unknown_flag || code == code::unknown_key || code == code::missing_flag_value;
  // Not the one that counts the rest, nor a name that the launch's release may know.
  return is_some_name && !fault.flag.empty() && fault.diagnostic.severity == Severity::error;
}

bool is_given(const Launch& launch, FactId fact) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [&](const LaunchArgument& argument) { return argument.fact == fact; });
}

// The flag that `name` misspells, be it by underscores for dashes; empty: none.
std::string misspelt_flag(const PackRelease& release, std::string_view name) {
  return std::string(closest_flag(release, with_dashes(name)));
}

// A name that is right, in another release.
bool is_of_another_release(const PackRelease& release, std::string_view name) {
  if (!release.absence_of_flag(name).empty()) return true;
  const auto found = release.pack().schema.by_name.find(plain_key(name));
  return found != release.pack().schema.by_name.end() && !release.has(found->second);
}

// What the flag or key may have been meant for; empty where nothing is close, or it is there too.
std::string intended_name(const PackRelease& release, const Launch& launch,
                          const LaunchFault& fault, std::string_view name) {
  const FactSchema& schema = release.pack().schema;
  const bool is_flag = fault.diagnostic.code == code::unknown_flag;
  const std::string now(
      renamed_flag(release, is_flag ? std::string(name) : "--" + with_dashes(name)));
  if (!now.empty()) {
    const FactId fact = schema.by_flag.at(now.substr(0, now.find('=')));
    if (is_given(launch, fact)) return {};
    if (is_flag) return now;
    return now.find('=') == std::string::npos ? schema.facts[fact].name : std::string();
  }
  if (is_of_another_release(release, name)) return {};
  if (is_flag) {
    const FlagMatch match = match_flag(release, std::string(name));
    const bool is_ambiguous = match.kind == FlagMatch::Kind::ambiguous;
    const std::string closest = is_ambiguous ? std::string(meant_candidate(release, name, match))
                                             : misspelt_flag(release, name);
    const auto found = schema.by_flag.find(closest);
    const bool is_free = found != schema.by_flag.end() && !is_given(launch, found->second);
    return is_free ? closest : std::string();
  }
  const std::string closest = closest_key(release, name);
  const auto found = schema.by_name.find(plain_key(closest));
  const bool is_free = found != schema.by_name.end() && !is_given(launch, found->second);
  return is_free ? closest : std::string();
}

// The switch right before a word that says it is to be off.
const LaunchArgument* denied_switch(const SourceSet& sources, const Launch& launch, Span span) {
  if (!denies(sources.text(span))) return nullptr;
  for (const LaunchArgument& argument : launch.arguments) {
    const Span flag = argument.flag_span;
    const bool is_switch =
        argument.value.kind == NodeKind::boolean && !argument.value_span.is_known();
    if (!is_switch || flag.source != span.source || flag.end >= span.begin) continue;
    const std::string_view between = sources.text({span.source, flag.end, span.begin});
    if (between.find_first_not_of(" \t") == std::string_view::npos) return &argument;
  }
  return nullptr;
}

// The flag in front of which a stray word makes sense: that of the model, where none is given.
std::string flag_of_stray_word(const RulePack& pack, const Launch& launch, std::string_view word) {
  if (word.starts_with('-') || word.find('/') == std::string_view::npos) return {};
  for (const Launcher& launcher : pack.launchers) {
    if (launcher.positionals.empty()) continue;
    const auto found = pack.schema.by_name.find(launcher.positionals.front());
    if (found == pack.schema.by_name.end() || is_given(launch, found->second)) return {};
    return pack.schema.facts[found->second].flags.front().spelling;
  }
  return {};
}

// The edit of one unknown flag or key, and what to say of it.
std::pair<PartEdit, RepairChange> mend_name(const RulePack& pack, const SourceSet& sources,
                                            const Launch& launch, const LaunchFault& fault,
                                            bool may_rename) {
  const Span span = fault.diagnostic.span;
  const std::string_view word = sources.text(span);
  const bool is_key = fault.diagnostic.code == code::unknown_key;
  const std::string flag = is_key ? fault.flag : fault.flag.substr(0, fault.flag.find('='));
  PartEdit edit;
  edit.extent = fault.extent.is_known() ? fault.extent : span;
  RepairChange change;
  change.fact = kNoFact;
  change.name = flag;
  const auto at = word.find(flag);
  if (may_rename && at != std::string_view::npos && !flag.empty() &&
      fault.diagnostic.code != code::missing_flag_value)
    edit.name = intended_name(PackRelease(pack, launch.release), launch, fault, flag);
  const std::string model_flag =
      edit.name.empty() && may_rename ? flag_of_stray_word(pack, launch, word) : std::string();
  if (!model_flag.empty()) edit.name = model_flag + "=" + flag;
  if (edit.name.empty()) {
    change.is_unset = true;
    change.flag = "remove " + flag;
    if (const LaunchArgument* denied = denied_switch(sources, launch, span)) {
      edit.extent.begin = denied->flag_span.begin;
      change.flag = "remove " + denied->spelling + " " + flag;
    }
    return {std::move(edit), std::move(change)};
  }
  const auto begin = static_cast<std::uint32_t>(span.begin + at);
  edit.name_span = {span.source, begin, begin + static_cast<std::uint32_t>(flag.size())};
  change.value.kind = NodeKind::string;
  change.value.text = edit.name;
  change.flag = edit.name + " for " + flag;
  return {std::move(edit), std::move(change)};
}

// The launch again, from the text in `sources`, where it ends at `end`, with what config files
// added to `before`.
std::optional<Launch> read_again(const RulePack& pack, SourceSet& sources, const Launch& before,
                                 std::size_t end) {
  const RulePack* packs[] = {&pack};
  Diagnostics warnings;
  const bool is_map = before.form == LaunchForm::map;
  const InputKind kind = is_map ? InputKind::map : InputKind::automatic;
  auto launches = read_launches(sources, 0, {packs, nullptr, kind, before.release}, warnings);
  if (!launches) return std::nullopt;
  // Launches that share words (an array of bash) begin at one place.
  const auto ends_so = [&](const Launch& launch) {
    return launch.span.begin == before.span.begin && launch.span.end == end;
  };
  const bool is_told_by_end = std::ranges::any_of(*launches, ends_so);
  for (Launch& launch : *launches) {
    if (launch.span.source != 0 || (!is_map && launch.span.begin != before.span.begin)) continue;
    if (is_told_by_end && !ends_so(launch)) continue;
    launch.label = before.label;
    std::vector<LaunchArgument> configured;
    for (const LaunchArgument& argument : before.arguments) {
      if (argument.flag_span.source == before.span.source) continue;
      configured.push_back(argument);
      configured.back().flag_span = configured.back().value_span = {};
    }
    launch.arguments.insert(launch.arguments.begin(), std::make_move_iterator(configured.begin()),
                            std::make_move_iterator(configured.end()));
    for (const LaunchFault& fault : before.faults) {
      if (fault.diagnostic.span.source == before.span.source) continue;
      launch.faults.push_back(fault);
      launch.faults.back().diagnostic.span = {};
    }
    return std::move(launch);
  }
  return std::nullopt;
}

// The launch with its names mended; those in `refused` are taken out.
std::optional<MendedLaunch> mend_names(const RulePack& pack, const SourceSet& sources,
                                       const Launch& launch,
                                       const std::vector<std::string>& refused) {
  std::vector<PartEdit> edits;
  MendedLaunch mended;
  for (const LaunchFault& fault : launch.faults) {
    const Span span = fault.diagnostic.span;
    const bool is_inside = span.source == launch.span.source && span.begin >= launch.span.begin &&
                           span.end <= launch.span.end;
    if (!is_of_name(fault) || !is_inside) continue;
    // Out of a variable, whose other words would go with it.
    const bool is_substituted = sources.text(span).find('$') != std::string_view::npos &&
                                fault.flag.find('$') == std::string::npos;
    if (is_substituted) continue;
    const bool is_refused = std::find(refused.begin(), refused.end(), fault.flag) != refused.end();
    const bool may_rename = edits.size() < kMaxRenames && !is_refused;
    auto [edit, change] = mend_name(pack, sources, launch, fault, may_rename);
    edits.push_back(std::move(edit));
    mended.changes.push_back(std::move(change));
  }
  if (edits.empty()) return std::nullopt;
  const Source& source = sources.get(launch.span.source);
  std::string text(source.text());
  const std::string changed = rewrite_parts(sources, pack, launch, edits);
  text.replace(launch.span.begin, launch.span.end - launch.span.begin, changed);
  mended.sources.add(source.name(), std::move(text));
  auto read = read_again(pack, mended.sources, launch, launch.span.begin + changed.size());
  if (!read) return std::nullopt;
  mended.launch = std::move(*read);
  return mended;
}

bool would_end_quotes(const Launch& launch, std::string_view ascii) {
  return std::ranges::any_of(launch.enclosures, [&](Enclosure level) {
    switch (level) {
      case Enclosure::shell_single_quotes:
      case Enclosure::yaml_single_quotes:
        return ascii == "'";
      case Enclosure::shell_double_quotes:
      case Enclosure::yaml_double_quotes:
        return ascii == "\"";
      default:
        return level == Enclosure::opaque;
    }
  });
}

// The launch with its typographic characters typed as ASCII ones, and without what keeps its lines
// from going on. Nothing where an ASCII quote might end those around it.
std::optional<MendedLaunch> mend_typography(const RulePack& pack, const SourceSet& sources,
                                            const Launch& launch) {
  TextEdits edits;
  bool has_characters = false, has_line_ends = false, has_returns = false;
  for (const LaunchFault& fault : launch.faults) {
    if (!(fault.diagnostic.code == code::typographic_character)) continue;
    for (const Diagnostic::Related& place : fault.diagnostic.related) {
      if (place.span.source != launch.span.source || would_end_quotes(launch, place.message))
        return std::nullopt;
      const bool is_return = sources.text(place.span).ends_with('\r');
      (is_return ? has_returns : place.message.empty() ? has_line_ends : has_characters) = true;
      edits.replace(place.span.begin, place.span.end, place.message);
    }
  }
  if (!has_characters && !has_line_ends && !has_returns) return std::nullopt;
  const Source& source = sources.get(launch.span.source);
  std::string text(source.text());
  const std::string changed = edits.apply(sources, launch.span);
  text.replace(launch.span.begin, launch.span.end - launch.span.begin, changed);
  MendedLaunch mended;
  mended.sources.add(source.name(), std::move(text));
  auto read = read_again(pack, mended.sources, launch, launch.span.begin + changed.size());
  if (!read) return std::nullopt;
  mended.launch = std::move(*read);
  const auto tell = [&](std::string name, std::string what) {
    RepairChange change;
    change.fact = kNoFact;
    change.name = std::move(name);
    change.flag = std::move(what);
    change.value.kind = NodeKind::string;
    change.value.text = change.flag;
    mended.changes.push_back(std::move(change));
  };
  if (has_characters) tell("typography", "plain dashes, quotes and blanks");
  if (has_returns) tell("line-ends", "line ends without carriage returns");
  if (has_line_ends) tell("continuation", "nothing behind the backslashes at line ends");
  return mended;
}

// Names whose new one does not fit what was written after them.
std::vector<std::string> ill_fitting(const MendedLaunch& mended) {
  std::vector<std::string> names;
  const auto& faults = mended.launch.faults;
  for (const RepairChange& change : mended.changes) {
    if (change.is_unset) continue;
    const bool is_ill = std::any_of(faults.begin(), faults.end(), [&](const LaunchFault& fault) {
      const DiagnosticCode& code = fault.diagnostic.code;
      if (fault.diagnostic.severity != Severity::error) return false;
      const bool is_of_it = fault.flag == change.value.text &&
                            (code == code::invalid_flag_value || code == code::missing_flag_value);
      return is_of_it || code == code::unknown_flag;  // a switch leaves its value over
    });
    if (is_ill) names.push_back(change.name);
  }
  return names;
}

}  // namespace

std::optional<MendedLaunch> mend_flags(const RulePack& pack, const SourceSet& sources,
                                       const Launch& launch) {
  if (launch.form == LaunchForm::dump || !launch.span.is_known()) return std::nullopt;
  auto typed = mend_typography(pack, sources, launch);
  const SourceSet& texts = typed ? typed->sources : sources;
  const Launch& start = typed ? typed->launch : launch;
  auto mended = mend_names(pack, texts, start, {});
  if (!mended) return typed;
  const std::vector<std::string> refused = ill_fitting(*mended);
  if (!refused.empty()) mended = mend_names(pack, texts, start, refused);
  if (mended && typed)
    mended->changes.insert(mended->changes.begin(), typed->changes.begin(), typed->changes.end());
  return mended;
}

}  // namespace assay
