// The section of a pack is read at once; its lists are held against each other there, and each item
// against the lists when it is read. So whatever a bundle says, no number leads outside of a list.
#include "engine/compile/pack_bundle.h"

#include <algorithm>

#include "engine/compile/bundle_fields.h"

namespace assay {

template <class Archive>
void fields(Archive& a, CompiledStretch& stretch) {
  a(stretch.first_rule, stretch.end_rule, stretch.stop_when, stretch.assume_not_when_unresolved,
    stretch.base_facts);
}
template <class Archive>
void fields(Archive& a, CompiledStage& stage) {
  a(stage.stretches, stage.end_rule);
}
template <class Archive>
void fields(Archive& a, DerivedFact& derived) {
  a(derived.fact, derived.expression, derived.reads, derived.inputs, derived.needs);
}

namespace {

constexpr std::uint32_t kMaxLets = 1u << 16;  // of one rule

bool are_below(const std::vector<std::uint32_t>& numbers, std::uint32_t end) {
  return std::ranges::all_of(numbers, [&](std::uint32_t number) { return number < end; });
}

// kNoSlot is allowed.
bool are_slots(const std::vector<std::uint32_t>& slots, std::size_t count, std::uint32_t end) {
  return slots.size() == count && std::ranges::all_of(slots, [&](std::uint32_t slot) {
           return slot == kNoSlot || slot < end;
         });
}

bool are_derived(const std::vector<FactId>& facts, const std::vector<std::uint32_t>& derived_of) {
  return std::ranges::all_of(facts, [&](FactId fact) {
    return fact < derived_of.size() && derived_of[fact] != kUnplaced;
  });
}

// Reads the items of one kind and says whether one fits into its pack.
template <class T, class Fits>
class CheckedItems final : public ItemReader<T> {
 public:
  CheckedItems(const BundleReading& reading, SectionKind kind, std::uint32_t owner,
               T (*substitute)(), Fits fits)
      : items_(reading, kind, owner),
        file_(*reading.file),
        substitute_(substitute),
        fits_(std::move(fits)) {}

  std::size_t size() const override { return items_.size(); }
  std::unique_ptr<const T> read(std::size_t at) const override {
    auto item = items_.read_or_null(at);
    if (item != nullptr && fits_(at, *item)) return item;
    file_.note_damage("an item does not fit its pack");
    item = std::make_unique<T>(substitute_());
    fits_(at, *item);
    return item;
  }

 private:
  BundleItems<T> items_;
  const BundleFile& file_;
  T (*substitute_)();
  Fits fits_;
};

template <class T, class Fits>
LazyList<T> list_of(const BundleReading& reading, SectionKind kind, std::uint32_t owner,
                    T (*substitute)(), Fits fits) {
  return LazyList<T>(
      std::make_unique<CheckedItems<T, Fits>>(reading, kind, owner, substitute, std::move(fits)));
}

// Code asks for the first flag of an argument.
FactDeclaration no_fact() {
  FactDeclaration fact;
  fact.flags.emplace_back();
  return fact;
}
CompiledRule no_compiled_rule() { return {}; }
DerivedFact no_derived_fact() { return {}; }

struct FactFits {
  const CompiledPack* pack;
  std::vector<bool> has_flags;  // by fact: the pack finds it by a flag
  bool operator()(std::size_t at, const FactDeclaration& fact) const {
    const PackSlots& slots = pack->slots();
    const bool has_slots = slots.given[at] != kNoSlot;
    return fact.is_argument == has_slots && (!has_flags[at] || !fact.flags.empty()) &&
           is_environment_fact(fact) == (slots.presence[at] != kNoSlot) &&
           fact.expression.has_value() == pack->is_derived(static_cast<FactId>(at));
  }
};

struct DerivedFits {
  const std::vector<std::uint32_t>* derived_of_fact;
  std::uint32_t slot_count;
  bool operator()(std::size_t at, const DerivedFact& derived) const {
    return derived.fact < derived_of_fact->size() && (*derived_of_fact)[derived.fact] == at &&
           are_below(derived.reads, slot_count) && are_below(derived.inputs, slot_count) &&
           are_derived(derived.needs, *derived_of_fact);
  }
};

// Joins the compiled rule to the rule it was made from, part by part.
struct CompiledRuleFits {
  const RulePack* source;
  const BundleReading* reading;
  std::vector<std::uint32_t> rule_of_position;

  bool operator()(std::size_t at, CompiledRule& rule) const {
    const Rule& from = source->rules[rule_of_position[at]];
    rule.source = &from;
    rule.position = static_cast<std::uint32_t>(at);
    for (std::size_t i = 0; i < rule.cases.size() && i < from.cases.size(); ++i)
      rule.cases[i].source = &from.cases[i];
    for (std::size_t i = 0; i < rule.fixes.size() && i < from.fixes.size(); ++i) {
      rule.fixes[i].source = &from.fixes[i];
      if (!join(rule.fixes[i].assignments, from.fixes[i].assignments)) return false;
    }
    const bool is_placed_well =
        !rule.is_placed() ||
        (rule.stage < source->stages.size() && rule.step < source->stages[rule.stage].steps.size());
    return is_placed_well && rule.cases.size() == from.cases.size() &&
           rule.fixes.size() == from.fixes.size() && join(rule.effect, from.effect) &&
           rule.lets.size() == from.lets.size() && are_names_in_order(rule) &&
           are_below(rule.reads, reading->slot_count) &&
           are_below(rule.inputs, reading->slot_count) &&
           are_derived(rule.derived, *reading->derived_of_fact) &&
           are_below(rule.base_facts, reading->fact_count);
  }

  bool are_names_in_order(const CompiledRule& rule) const {
    for (std::size_t at = 0; at < rule.lets.size(); ++at)
      if (rule.lets[at].slot != reading->slot_count + at) return false;
    return true;
  }

  static bool join(std::vector<CompiledAssignment>& compiled, const std::vector<Assignment>& from) {
    for (std::size_t i = 0; i < compiled.size() && i < from.size(); ++i)
      compiled[i].source = &from[i];
    return compiled.size() == from.size();
  }
};

template <class T>
std::vector<std::string> written_items(const LazyList<T>& list, const BundleWriting& writing) {
  std::vector<std::string> items;
  items.reserve(list.size());
  for (const T& item : list) items.push_back(written(item, writing));
  return items;
}

// For each compiled rule, which of the pack's rules it was made from.
std::vector<std::uint32_t> rules_by_position(const CompiledPack& pack) {
  NameIndex<std::uint32_t> numbers;
  for (std::uint32_t at = 0; at < pack.source().rules.size(); ++at)
    numbers.emplace(pack.source().rules[at].id, at);
  std::vector<std::uint32_t> order;
  for (const CompiledRule& rule : pack.rules()) order.push_back(numbers.at(rule.source->id));
  return order;
}

}  // namespace

template <class Archive>
void PackBundle::visit(Archive& a, CompiledPack& pack) {
  RulePack& source = pack.source_;
  a(source.name, source.title, source.repository);
  a.path(source.folder);
  a(source.versions, source.launchers, source.overlays, source.renamed_flags,
    source.example_surroundings, source.config_flag, source.config_refuses,
    source.plugin_environment, source.stages, source.schema.by_name, source.schema.by_flag);
  a(pack.stages_, pack.first_unplaced_, pack.by_id_, pack.derived_of_fact_, pack.dependents_,
    pack.initial_values_, pack.version_fact_, pack.is_of_default_version_, pack.index_);
}

void PackBundle::write(const CompiledPack& pack, std::uint32_t owner, const BundleWriting& writing,
                       std::string silent_walk, BundleBuilder& builder) {
  BundleWriter writer(writing);
  writer(pack.slots_, pack.slot_count_);
  visit(writer, const_cast<CompiledPack&>(pack));  // a writer only reads
  writer(rules_by_position(pack));
  builder.add(SectionKind::pack, owner, writer.take());
  builder.add_items(SectionKind::facts, owner, written_items(pack.source_.schema.facts, writing));
  builder.add_items(SectionKind::rules, owner, written_items(pack.source_.rules, writing));
  builder.add_items(SectionKind::compiled_rules, owner, written_items(pack.rules_, writing));
  builder.add_items(SectionKind::derived_facts, owner, written_items(pack.derived_, writing));
  if (!silent_walk.empty()) builder.add(SectionKind::silent_walk, owner, std::move(silent_walk));
}

CompiledPackPtr PackBundle::open(const BundleReading& common, std::uint32_t owner) {
  std::unique_ptr<CompiledPack, CompiledPackDeleter> pack(new CompiledPack);
  auto owned = std::make_unique<BundleReading>(common);
  BundleReading& reading = *owned;
  pack->reading_ = std::move(owned);
  pack->number_in_bundle_ = owner;
  const std::string_view rules = reading.file->section(SectionKind::compiled_rules, owner);
  reading.rule_count = static_cast<std::uint32_t>(BundleFile::item_count(rules));

  BundleReader reader(reading.file->section(SectionKind::pack, owner), reading);
  reader(pack->slots_, pack->slot_count_);
  reading.fact_count = pack->slots_.fact_count;
  reading.slot_count = pack->slots_.size;
  reading.all_slot_count = pack->slot_count_;
  visit(reader, *pack);
  std::vector<std::uint32_t> rule_of_position;
  reader(rule_of_position);
  if (!reader.finish()) return nullptr;
  pack->constants_owned_ = reader.take_memory();
  reading.derived_of_fact = &pack->derived_of_fact_;

  FactSchema& schema = pack->source_.schema;
  FactFits fact_fits{pack.get(), std::vector<bool>(reading.fact_count)};
  for (const auto& [flag, fact] : schema.by_flag.sorted())
    if (fact < reading.fact_count) fact_fits.has_flags[fact] = true;
  schema.facts = list_of(reading, SectionKind::facts, owner, no_fact, std::move(fact_fits));
  pack->source_.rules =
      LazyList<Rule>(std::make_unique<BundleItems<Rule>>(reading, SectionKind::rules, owner));
  pack->derived_ = list_of(reading, SectionKind::derived_facts, owner, no_derived_fact,
                           DerivedFits{&pack->derived_of_fact_, reading.slot_count});
  const bool is_ordered = rule_of_position.size() == reading.rule_count &&
                          pack->source_.rules.size() == reading.rule_count &&
                          are_below(rule_of_position, reading.rule_count);
  if (!is_ordered) return nullptr;
  pack->rules_ = list_of(reading, SectionKind::compiled_rules, owner, no_compiled_rule,
                         CompiledRuleFits{&pack->source_, &reading, std::move(rule_of_position)});
  pack->slot_numbers_.resize(reading.slot_count);
  for (std::uint32_t slot = 0; slot < reading.slot_count; ++slot) pack->slot_numbers_[slot] = slot;
  const bool is_pack =
      is_consistent(*pack) &&
      RuleIndexFields::complete(pack->index_, reading.rule_count, reading.slot_count);
  if (!is_pack) return nullptr;
  return pack;
}

bool PackBundle::is_consistent(const CompiledPack& pack) {
  const RulePack& source = pack.source_;
  const std::uint32_t facts = pack.slots_.fact_count;
  const auto has_words = [](const Launcher& launcher) { return !launcher.words.empty(); };
  const auto is_of_facts = [&](const FactOverlay& overlay) {
    return overlay.fact < facts && overlay.argument < facts;
  };
  const auto is_argument = [&](FactId fact) {
    return fact < facts && pack.slots_.given[fact] != kNoSlot;
  };
  // A name that a launcher takes without its flag need not be known, but is no other fact's.
  const auto takes_arguments = [&](const Launcher& launcher) {
    return std::ranges::all_of(launcher.positionals, [&](const std::string& name) {
      const auto found = source.schema.by_name.find(name);
      return found == source.schema.by_name.end() || is_argument(found->second);
    });
  };
  if (source.versions.empty() || !std::ranges::all_of(source.launchers, has_words)) return false;
  if (!std::ranges::all_of(source.overlays, is_of_facts)) return false;
  if (source.schema.facts.size() != facts || !are_slots_consistent(pack)) return false;
  for (const auto& [name, fact] : source.schema.by_name.sorted())
    if (fact >= facts) return false;
  for (const auto& [flag, fact] : source.schema.by_flag.sorted())
    if (!is_argument(fact)) return false;
  if (!std::ranges::all_of(source.launchers, takes_arguments)) return false;
  for (const auto& [id, rule] : pack.by_id_.sorted())
    if (rule >= pack.rules_.size()) return false;
  for (const std::uint32_t derived : pack.derived_of_fact_)
    if (derived != kUnplaced && derived >= pack.derived_.size()) return false;
  return pack.derived_of_fact_.size() == facts && pack.dependents_.size() == pack.slots_.size &&
         are_derived(pack.dependents_.items(), pack.derived_of_fact_) &&
         (pack.version_fact_ == kNoSlot || pack.version_fact_ < facts) &&
         pack.is_of_default_version_.size() == pack.rules_.size() && are_stages_consistent(pack);
}

bool PackBundle::are_slots_consistent(const CompiledPack& pack) {
  const PackSlots& slots = pack.slots_;
  const std::uint32_t facts = slots.fact_count;
  if (slots.meanings.size() != slots.size || pack.initial_values_.size() != slots.size)
    return false;
  if (facts > slots.size || pack.slot_count_ < slots.size ||
      pack.slot_count_ - slots.size > kMaxLets)
    return false;
  if (facts == 0 || slots.label >= slots.size) return false;
  for (std::uint32_t slot = 0; slot < slots.size; ++slot) {
    const SlotMeaning& meaning = slots.meanings[slot];
    const bool is_value = meaning.kind == SlotMeaning::Kind::value;
    if (meaning.fact >= facts || is_value != (slot < facts) || (is_value && meaning.fact != slot))
      return false;
  }
  for (const auto* by_fact : {&slots.raw, &slots.given, &slots.before, &slots.presence})
    if (!are_slots(*by_fact, facts, slots.size)) return false;
  for (FactId fact = 0; fact < facts; ++fact) {
    const bool is_argument = slots.given[fact] != kNoSlot;
    if (is_argument != (slots.raw[fact] != kNoSlot) ||
        is_argument != (slots.before[fact] != kNoSlot))
      return false;
  }
  return true;
}

bool PackBundle::are_stages_consistent(const CompiledPack& pack) {
  const auto rules = static_cast<std::uint32_t>(pack.rules_.size());
  for (const CompiledStage& stage : pack.stages_) {
    for (const CompiledStretch& stretch : stage.stretches)
      if (stretch.first_rule > stretch.end_rule || stretch.end_rule > stage.end_rule ||
          !are_below(stretch.base_facts, pack.slots_.fact_count))
        return false;
    if (stage.end_rule > rules) return false;
  }
  return pack.first_unplaced_ <= rules;
}

}  // namespace assay
