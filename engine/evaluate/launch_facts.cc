// The environment of a launch sets two kinds of facts: `env.NAME`, where the pack declares it, and
// arguments that the engine fills from a variable. Texts of variables are read as the declared type
// asks: engines take 1/true/yes/on and their opposites for booleans.
#include "engine/evaluate/launch_facts.h"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "engine/compile/literal.h"

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

}  // namespace

void load_launch(const Launch& launch, std::span<const GivenFact> facts, FactTable& table) {
  table.reset();
  const CompiledPack& pack = table.pack();
  const FactSchema& schema = pack.schema();
  const bool is_raw = launch.stage == LaunchStage::raw;
  if (!is_raw) forget_typed(table);
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
