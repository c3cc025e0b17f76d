// The environment of a launch sets two kinds of facts: `env.NAME`, where the pack declares it, and
// arguments that the engine fills from a variable. Texts of variables are read as the declared type
// asks: engines take 1/true/yes/on and their opposites for booleans.
#include "engine/evaluate/launch_facts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/compile/literal.h"
#include "engine/read/pack_release.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

std::optional<Value> boolean_text(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view yes : {"1", "true", "yes", "y", "on", "t"})
    if (lower == yes) return Value::boolean(true);
  for (const std::string_view no : {"0", "false", "no", "n", "off", "f", ""})
    if (lower == no) return Value::boolean(false);
  return std::nullopt;
}

// The value of a variable's text as `type` asks.
std::optional<Value> text_value(std::string_view text, const Type& type) {
  const char* const end = text.data() + text.size();
  if (type.kind == TypeKind::boolean) return boolean_text(text);
  if (type.kind == TypeKind::string || type.kind == TypeKind::dynamic) return Value::string(text);
  if (type.kind == TypeKind::integer) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return Value::integer(number);
  }
  if (type.kind == TypeKind::real) {
    double number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return Value::real(number);
  }
  return std::nullopt;
}

void load_environment(const Launch& launch, FactTable& table) {
  const CompiledPack& pack = table.pack();
  const FactSchema& schema = pack.schema();
  if (launch.environment.empty()) return;
  for (const EnvironmentSetting& setting : launch.environment) {
    const auto found = schema.by_name.find("env." + setting.name);
    if (found == schema.by_name.end()) continue;
    auto value = text_value(setting.value, schema.facts[found->second].type);
    if (!setting.is_known) value.reset();
    give_fact(table, found->second, value.value_or(pack.unknown_slot(found->second)),
              Origin::environment, setting.span);
  }
  for (FactId id = 0; id < schema.facts.size(); ++id) {
    const FactDeclaration& fact = schema.facts[id];
    if (!fact.is_argument || fact.environment.empty()) continue;
    for (const EnvironmentSetting& setting : launch.environment) {
      if (setting.name != fact.environment) continue;
      auto value = text_value(setting.value, fact.type);
      if (!setting.is_known) value.reset();
      give_argument(table, id, value.value_or(pack.unknown_slot(id)), Origin::environment,
                    setting.span);
    }
  }
}

// Resolution is over: what was typed is not known any more, and what is not mentioned may be
// anything.
void forget_typed(FactTable& table) {
  const CompiledPack& pack = table.pack();
  const PackSlots& slots = pack.slots();
  for (FactId id = 0; id < slots.fact_count; ++id) {
    if (slots.given[id] == kNoSlot) continue;
    table.give(id, pack.unknown_slot(id), Origin::unknown, {});
    for (const std::uint32_t slot : {slots.raw[id], slots.given[id], slots.before[id]})
      table.set_slot(slot, pack.unknown_slot(slot));
  }
}

void load_facts(std::span<const GivenFact> facts, FactTable& table) {
  const CompiledPack& pack = table.pack();
  const FactSchema& schema = pack.schema();
  for (const GivenFact& given : facts) {
    const auto found = schema.by_name.find(given.name);
    if (found == schema.by_name.end()) continue;
    const FactId id = found->second;
    const auto value = literal_value(given.value, table.memory(), schema.facts[id].type);
    give_fact(table, id, value.value_or(pack.unknown_slot(id)), given.origin, given.span);
  }
}

// The JSON object that the argument holds, as a map or as text; none: the engine refuses it.
std::optional<Value> override_of(const Value& argument, Arena& memory) {
  if (argument.is(ValueKind::map)) return argument;
  if (!argument.is(ValueKind::string)) return std::nullopt;
  SourceSet sources;
  const auto node = read_json(sources, sources.add("<override>", std::string(argument.as_text())));
  if (!node || node->kind != NodeKind::mapping) return std::nullopt;
  return literal_value(*node, memory);
}

// `over` on `base`, key by key; `merges` as in FactOverlay, one level deep.
Value laid_over(const Value& base, const Value& over, std::span<const std::string> merges,
                Arena& memory) {
  const auto old = base.as_map(), fresh = over.as_map();
  auto* entries = memory.allocate_array<MapEntry>(old.size() + fresh.size());
  std::size_t count = 0;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const MapEntry& entry : old) {
    if (entry.key.is(ValueKind::string)) places.emplace(entry.key.as_text(), count);
    entries[count++] = entry;
  }
  for (const MapEntry& entry : fresh) {
    const std::string_view key = entry.key.as_text();
    const auto [place, is_new] = places.try_emplace(key, count);
    if (is_new) {
      entries[count++] = entry;
      continue;
    }
    Value& there = entries[place->second].value;
    const bool is_merged = there.is(ValueKind::map) && entry.value.is(ValueKind::map) &&
                           std::find(merges.begin(), merges.end(), key) != merges.end();
    there = is_merged ? laid_over(there, entry.value, {}, memory) : entry.value;
  }
  return Value::map({entries, count});
}

void lay_over(const FactOverlay& overlay, FactTable& table) {
  const Origin origin = table.first_origin(overlay.argument);
  if (origin == Origin::default_value || origin == Origin::unknown) return;
  const Value base = table.value(overlay.fact);
  if (!base.is(ValueKind::map)) return;
  const auto over = override_of(table.value(overlay.argument), table.memory());
  table.give(overlay.fact,
             over ? laid_over(base, *over, overlay.merges, table.memory())
                  : table.pack().unknown_slot(overlay.fact),
             table.first_origin(overlay.fact), table.span(overlay.fact));
}

}  // namespace

std::string_view release_of(const Launch& launch, std::span<const GivenFact> facts) {
  for (const std::span<const GivenFact> given : {facts, std::span<const GivenFact>(launch.facts)})
    for (const GivenFact& fact : given)
      if (fact.name == "version.engine") return fact.value.text;
  return launch.release;
}

void take_defaults_of(std::string_view release, FactTable& table) {
  if (release.empty()) return;  // the newest, whose defaults the table begins with
  const CompiledPack& pack = table.pack();
  const PackSlots& slots = pack.slots();
  const PackRelease newest(pack.source()), own(pack.source(), release);
  if (own.name() == newest.name()) return;
  for (FactId id = 0; id < slots.fact_count; ++id) {
    if (slots.given[id] == kNoSlot || pack.schema().facts[id].dated_defaults.empty()) continue;
    const FactDeclaration& fact = own.fact(id);
    const auto value =
        literal_value(fact.default_value.value_or(Node()), table.memory(), fact.type);
    for (const std::uint32_t slot : {id, slots.raw[id]})
      table.set_slot(slot, value.value_or(pack.unknown_slot(id)));
  }
}

void load_launch(const Launch& launch, std::span<const GivenFact> facts, FactTable& table) {
  table.reset();
  const CompiledPack& pack = table.pack();
  const FactSchema& schema = pack.schema();
  const bool is_raw = launch.stage != LaunchStage::resolved;
  if (is_raw)
    take_defaults_of(release_of(launch, facts), table);
  else
    forget_typed(table);
  load_environment(launch, table);
  for (const LaunchArgument& argument : launch.arguments) {
    std::optional<Value> value;
    if (argument.is_known)
      value = literal_value(argument.value, table.memory(), schema.facts[argument.fact].type);
    const Span span = argument.value_span.is_known() ? argument.value_span : argument.flag_span;
    const Value known = value.value_or(pack.unknown_slot(argument.fact));
    if (is_raw)
      give_argument(table, argument.fact, known, Origin::argument, span);
    else
      table.give(argument.fact, known, Origin::argument, span);
  }
  for (const std::span<const GivenFact> given : {std::span<const GivenFact>(launch.facts), facts})
    load_facts(given, table);
  lay_overrides_over(table);
}

void lay_overrides_over(FactTable& table) {
  for (const FactOverlay& overlay : table.pack().source().overlays) lay_over(overlay, table);
}

void give_argument(FactTable& table, FactId fact, const Value& value, Origin origin, Span span) {
  const PackSlots& slots = table.pack().slots();
  table.give(fact, value, origin, span);
  table.set_slot(slots.raw[fact], value);
  table.set_slot(slots.given[fact], Value::boolean(true));
}

void give_fact(FactTable& table, FactId fact, const Value& value, Origin origin, Span span) {
  const PackSlots& slots = table.pack().slots();
  table.give(fact, value, origin, span);
  if (slots.raw[fact] != kNoSlot) table.set_slot(slots.raw[fact], value);
  if (slots.presence[fact] != kNoSlot)
    table.set_slot(slots.presence[fact], Value::boolean(!value.is(ValueKind::null)));
}

}  // namespace assay
