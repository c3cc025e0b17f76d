// Works on the text: the name of an unknown flag or key is replaced by the closest known one, or it
// is taken out with its values (as is a flag without its value, or one whose closest name is given
// besides); then the text is read again, so that what the flag brings is checked like anything
// else. What a config file adds to a command stays as it is: that file is not the command's text.
#include "engine/evaluate/repair_flags.h"

#include <algorithm>
#include <utility>

#include "engine/read/argument_map_reader.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/launch_reader.h"
#include "engine/read/launch_rewriter.h"

namespace assay {
namespace {

constexpr std::size_t kMaxRenames = 20;  // finding the closest of 500 names takes its time

bool is_of_name(const LaunchFault& fault) {
  const DiagnosticCode& code = fault.diagnostic.code;
  const bool is_some_name =
      code == code::unknown_flag || code == code::unknown_key || code == code::missing_flag_value;
  return is_some_name && !fault.flag.empty();  // not the one that counts the rest
}

bool is_given(const Launch& launch, FactId fact) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [&](const LaunchArgument& argument) { return argument.fact == fact; });
}

// What the flag or key may have been meant for; empty where nothing is close, or it is there too.
std::string intended_name(const RulePack& pack, const Launch& launch, const LaunchFault& fault,
                          std::string_view name) {
  const FactSchema& schema = pack.schema;
  if (fault.diagnostic.code == code::unknown_flag) {
    const std::string closest(closest_flag(pack, name));
    const auto found = schema.by_flag.find(closest);
    const bool is_free = found != schema.by_flag.end() && !is_given(launch, found->second);
    return is_free ? closest : std::string();
  }
  const std::string closest = closest_key(schema, name);
  const auto found = schema.by_name.find(plain_key(closest));
  const bool is_free = found != schema.by_name.end() && !is_given(launch, found->second);
  return is_free ? closest : std::string();
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
    edit.name = intended_name(pack, launch, fault, flag);
  if (edit.name.empty()) {
    change.is_unset = true;
    change.flag = "remove " + flag;
    return {std::move(edit), std::move(change)};
  }
  const auto begin = static_cast<std::uint32_t>(span.begin + at);
  edit.name_span = {span.source, begin, begin + static_cast<std::uint32_t>(flag.size())};
  change.value.kind = NodeKind::string;
  change.value.text = edit.name;
  change.flag = edit.name + " for " + flag;
  return {std::move(edit), std::move(change)};
}

// The launch again, from the text in `sources`, with what config files added to `before`.
std::optional<Launch> read_again(const RulePack& pack, SourceSet& sources, const Launch& before) {
  const RulePack* packs[] = {&pack};
  Diagnostics warnings;
  const bool is_map = before.form == LaunchForm::map;
  const InputKind kind = is_map ? InputKind::map : InputKind::automatic;
  auto launches = read_launches(sources, 0, {packs, nullptr, kind}, warnings);
  if (!launches) return std::nullopt;
  for (Launch& launch : *launches) {
    if (launch.span.source != 0 || (!is_map && launch.span.begin != before.span.begin)) continue;
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

}  // namespace

std::optional<MendedLaunch> mend_flags(const RulePack& pack, const SourceSet& sources,
                                       const Launch& launch) {
  if (launch.form == LaunchForm::dump || !launch.span.is_known()) return std::nullopt;
  std::vector<PartEdit> edits;
  MendedLaunch mended;
  for (const LaunchFault& fault : launch.faults) {
    const Span span = fault.diagnostic.span;
    const bool is_inside = span.source == launch.span.source && span.begin >= launch.span.begin &&
                           span.end <= launch.span.end;
    if (!is_of_name(fault) || !is_inside) continue;
    auto [edit, change] = mend_name(pack, sources, launch, fault, edits.size() < kMaxRenames);
    edits.push_back(std::move(edit));
    mended.changes.push_back(std::move(change));
  }
  if (edits.empty()) return std::nullopt;
  const Source& source = sources.get(launch.span.source);
  std::string text(source.text());
  text.replace(launch.span.begin, launch.span.end - launch.span.begin,
               rewrite_parts(sources, pack, launch, edits));
  mended.sources.add(source.name(), std::move(text));
  auto read = read_again(pack, mended.sources, launch);
  if (!read) return std::nullopt;
  mended.launch = std::move(*read);
  return mended;
}

}  // namespace assay
