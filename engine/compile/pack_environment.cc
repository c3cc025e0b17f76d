// Lays out the slots of a pack. Facts take the first slots so that a FactId is its slot; the slots
// of one further kind follow one another. `given(x)` and `has(env.X)` read slots whose names no
// expression can write.
#include "engine/compile/pack_environment.h"

#include <utility>

namespace assay {
namespace {

class Layout {
 public:
  explicit Layout(const FactSchema& schema) : schema_(schema) {
    const auto count = static_cast<std::uint32_t>(schema.facts.size());
    result_.slots.fact_count = count;
    for (auto* by_fact :
         {&result_.slots.raw, &result_.slots.given, &result_.slots.before, &result_.slots.presence})
      by_fact->assign(count, kNoSlot);
  }

  PackEnvironment finish() {
    for (FactId id = 0; id < result_.slots.fact_count; ++id)
      declare(schema_.facts[id].name, schema_.facts[id].type, SlotMeaning::Kind::value, id);
    for (FactId id = 0; id < result_.slots.fact_count; ++id) declare_companions(id);
    result_.slots.label = declare("label", Type::of(TypeKind::string), SlotMeaning::Kind::label, 0);
    result_.slots.size = static_cast<std::uint32_t>(result_.names.size());
    return std::move(result_);
  }

 private:
  void declare_companions(FactId id) {
    const FactDeclaration& fact = schema_.facts[id];
    PackSlots& slots = result_.slots;
    const Type boolean = Type::of(TypeKind::boolean);
    if (fact.is_argument) {
      slots.raw[id] = declare("raw." + fact.name, fact.type, SlotMeaning::Kind::raw, id);
      slots.before[id] = declare("before." + fact.name, fact.type, SlotMeaning::Kind::before, id);
      slots.given[id] = declare("given(" + fact.name + ")", boolean, SlotMeaning::Kind::given, id);
      result_.names.variable(id).given_slot = slots.given[id];
    } else if (is_environment_fact(fact)) {
      slots.presence[id] =
          declare("has(" + fact.name + ")", boolean, SlotMeaning::Kind::presence, id);
      result_.names.variable(id).presence_slot = slots.presence[id];
    }
  }

  // A pack that declares `label` or `raw.x` itself keeps its own: the slot then has no other use.
  std::uint32_t declare(std::string name, const Type& type, SlotMeaning::Kind kind, FactId fact) {
    if (result_.names.find(name) != kNoSlot) name = "hidden(" + name + ")";
    result_.slots.meanings.push_back({kind, fact});
    return result_.names.declare(std::move(name), type);
  }

  const FactSchema& schema_;
  PackEnvironment result_;
};

}  // namespace

PackEnvironment declare_facts(const FactSchema& schema) { return Layout(schema).finish(); }

std::string slot_name(const FactSchema& schema, const PackSlots& slots, std::uint32_t slot) {
  if (slot >= slots.size) return "a name of the rule";
  const SlotMeaning meaning = slots.meanings[slot];
  if (meaning.kind == SlotMeaning::Kind::label) return "label";
  const std::string& fact = schema.facts[meaning.fact].name;
  switch (meaning.kind) {
    case SlotMeaning::Kind::raw:
      return "raw." + fact;
    case SlotMeaning::Kind::given:
      return "given(" + fact + ")";
    case SlotMeaning::Kind::before:
      return "before." + fact;
    case SlotMeaning::Kind::presence:
      return "has(" + fact + ")";
    default:
      return fact;
  }
}

bool is_environment_fact(const FactDeclaration& fact) {
  return !fact.is_argument && fact.name.starts_with("env.");
}

FactPath find_fact_path(const FactSchema& schema, std::string_view dotted) {
  FactPath found;
  std::size_t end = dotted.size();
  while (true) {
    const auto fact = schema.by_name.find(std::string(dotted.substr(0, end)));
    if (fact != schema.by_name.end()) {
      found.fact = fact->second;
      found.is_known = true;
      break;
    }
    const auto dot = end == 0 ? std::string_view::npos : dotted.rfind('.', end - 1);
    if (dot == std::string_view::npos) return found;
    end = dot;
  }
  while (end < dotted.size()) {
    const auto next = std::min(dotted.find('.', end + 1), dotted.size());
    found.path.emplace_back(dotted.substr(end + 1, next - end - 1));
    end = next;
  }
  return found;
}

}  // namespace assay
