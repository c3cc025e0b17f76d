// Compiles a pack in the order in which its parts need each other: the names of all facts, their
// default values, the expressions of derived facts (ordered by depth-first search, which also finds
// cycles), the rules, the steps. What a rule reads through derived facts is worked out once here,
// so that checking a launch follows lists. Every fault of every part is reported.
#include "engine/compile/compiled_pack.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/compile/bundle_reader.h"
#include "engine/compile/literal.h"
#include "engine/compile/rule_compiler.h"

namespace assay {
namespace {

using Kind = SlotMeaning::Kind;

void sort_unique(std::vector<std::uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void append_new(std::vector<FactId>& list, FactId fact) {
  if (std::find(list.begin(), list.end(), fact) == list.end()) list.push_back(fact);
}

}  // namespace

class PackCompiler {
 public:
  explicit PackCompiler(RulePack pack) : result_(new CompiledPack) {
    result_->source_ = std::move(pack);
    PackEnvironment environment = declare_facts(result_->source_.schema);
    result_->slots_ = std::move(environment.slots);
    names_ = std::move(environment.names);
  }

  Result<CompiledPackPtr> compile() {
    set_initial_values();
    compile_derived();
    compile_rules();
    if (has_errors(faults_)) return std::move(faults_);
    place_rules();
    compile_steps();
    if (has_errors(faults_)) return std::move(faults_);
    finish();
    return std::move(result_);
  }

 private:
  using MutablePack = std::unique_ptr<CompiledPack, CompiledPackDeleter>;

  RuleCompilation context() {
    return {result_->source_.schema, result_->slots_, names_, result_->constants_, faults_};
  }

  // --- facts ---

  void set_initial_values() {
    const PackSlots& slots = result_->slots_;
    const FactSchema& schema = result_->source_.schema;
    result_->slot_numbers_.resize(slots.size);
    for (std::uint32_t slot = 0; slot < slots.size; ++slot) result_->slot_numbers_[slot] = slot;
    result_->initial_values_.assign(slots.size, Value());
    std::vector<Value>& values = result_->initial_values_;
    for (FactId id = 0; id < slots.fact_count; ++id) {
      const FactDeclaration& fact = schema.facts[id];
      values[id] = initial_value(fact, id);
      check_choices(fact);
      if (slots.raw[id] != kNoSlot) values[slots.raw[id]] = values[id];
      if (slots.given[id] != kNoSlot) values[slots.given[id]] = Value::boolean(false);
      if (slots.presence[id] != kNoSlot) values[slots.presence[id]] = Value::boolean(false);
      if (fact.name == "version.engine") result_->version_fact_ = id;
    }
  }

  Value initial_value(const FactDeclaration& fact, FactId id) {
    if (fact.default_value) {
      const auto value = literal_value(*fact.default_value, result_->constants_, fact.type);
      if (value) return *value;
      faults_.push_back(
          make_error(code::invalid_value, fact.default_value->span,
                     "the default of `" + fact.name + "` is no " + to_string(fact.type)));
      return {};
    }
    if (fact.name == "version.engine" && !result_->source_.versions.empty())
      return Value::string(result_->source_.versions.back());
    if (fact.is_argument || is_environment_fact(fact) || fact.expression) return {};
    return result_->unknown_slot(id);
  }

  void check_choices(const FactDeclaration& fact) {
    const bool is_list = fact.type.kind == TypeKind::list && !fact.type.parameters.empty();
    const Type& type = is_list ? fact.type.parameters[0] : fact.type;
    for (const Node& choice : fact.choices)
      if (!literal_value(choice, result_->constants_, type))
        faults_.push_back(make_error(code::invalid_value, choice.span,
                                     "a choice of `" + fact.name + "` is no " + to_string(type)));
  }

  // --- derived facts ---

  void compile_derived() {
    const FactSchema& schema = result_->source_.schema;
    compiled_.resize(schema.facts.size());
    result_->derived_of_fact_.assign(schema.facts.size(), kUnplaced);
    for (FactId id = 0; id < schema.facts.size(); ++id) {
      const FactDeclaration& fact = schema.facts[id];
      if (!fact.expression) continue;
      compiled_[id] = compile_plain(*fact.expression, Type{}, context());
      if (!fits(fact.type, compiled_[id].type()))
        faults_.push_back(make_error(code::type_mismatch, fact.expression->span,
                                     "`" + fact.name + "` is " + to_string(fact.type) +
                                         ", and its expression gives " +
                                         to_string(compiled_[id].type())));
    }
    visits_.assign(schema.facts.size(), Visit::none);
    for (FactId id = 0; id < schema.facts.size(); ++id)
      if (schema.facts[id].expression) visit(id);
    list_dependents();
  }

  // Adds `id` to the derived facts after those it needs. Not recursive: a chain of derived facts
  // may be as long as the pack.
  void visit(FactId start) {
    struct Frame {
      FactId fact;
      std::size_t next = 0;
    };
    std::vector<Frame> path{{start}};
    if (visits_[start] == Visit::done) return;
    visits_[start] = Visit::open;
    while (!path.empty()) {
      const FactId fact = path.back().fact;
      const auto& reads = compiled_[fact].slots();
      if (path.back().next == reads.size()) {
        visits_[fact] = Visit::done;
        add_derived(fact);
        path.pop_back();
        continue;
      }
      const std::uint32_t slot = reads[path.back().next++];
      if (slot >= result_->source_.schema.facts.size() ||
          !result_->source_.schema.facts[slot].expression)
        continue;
      if (visits_[slot] == Visit::open) {
        std::vector<FactId> cycle;
        for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
          cycle.push_back(frame->fact);
          if (frame->fact == slot) break;
        }
        report_cycle(cycle);
      } else if (visits_[slot] == Visit::none) {
        visits_[slot] = Visit::open;
        path.push_back({slot});
      }
    }
  }

  // `cycle`: innermost first.
  void report_cycle(const std::vector<FactId>& cycle) {
    const FactSchema& schema = result_->source_.schema;
    std::string text = "`" + schema.facts[cycle.back()].name + "`";
    for (auto fact = cycle.rbegin() + 1; fact != cycle.rend(); ++fact)
      text += " needs `" + schema.facts[*fact].name + "`, which";
    text += " needs `" + schema.facts[cycle.back()].name + "`";
    faults_.push_back(make_error(code::cyclic_derivation, schema.facts[cycle.back()].span,
                                 "derived facts need each other: " + text));
  }

  void add_derived(FactId id) {
    DerivedFact derived;
    derived.fact = id;
    const FactDeclaration& fact = result_->source_.schema.facts[id];
    add_reads(compiled_[id], fact.expression->text, context(), derived.reads);
    for (const std::uint32_t slot : compiled_[id].slots()) {
      const DerivedFact* needed = find_derived(slot);
      if (needed == nullptr) {
        derived.inputs.push_back(slot);
        continue;
      }
      for (const FactId need : needed->needs) append_new(derived.needs, need);
      derived.inputs.insert(derived.inputs.end(), needed->inputs.begin(), needed->inputs.end());
    }
    derived.needs.push_back(id);
    sort_unique(derived.inputs);
    derived.expression = std::move(compiled_[id]);
    compiled_[id] = Predicate();
    result_->derived_of_fact_[id] = static_cast<std::uint32_t>(result_->derived_.size());
    result_->derived_.push_back(std::move(derived));
  }

  const DerivedFact* find_derived(std::uint32_t slot) const {
    return slot < result_->derived_of_fact_.size() ? result_->derived(slot) : nullptr;
  }

  void list_dependents() {
    std::vector<std::vector<FactId>> dependents(result_->slots_.size);
    for (const DerivedFact& derived : result_->derived_) {
      for (const std::uint32_t slot : derived.inputs) dependents[slot].push_back(derived.fact);
      for (const FactId need : derived.needs)
        if (need != derived.fact) dependents[need].push_back(derived.fact);
    }
    result_->dependents_ = GroupedList<FactId>(dependents);
  }

  // --- rules ---

  // Rules do not need each other, so runs of them are compiled at a time, each with names of its
  // own; their faults keep the order of the rules.
  struct RuleRun {
    std::size_t begin = 0;
    std::size_t end = 0;
    Diagnostics faults;
  };

  void compile_rules() {
    constexpr std::size_t kFewRules = 64;  // compiled sooner than the names are copied
    const LazyList<Rule>& rules = std::as_const(result_->source_.rules);
    std::vector<RuleRun> runs(rules.size() < kFewRules ? 1 : 2 * worker_count());
    for (std::size_t at = 0; at < runs.size(); ++at)
      runs[at] = {rules.size() * at / runs.size(), rules.size() * (at + 1) / runs.size(), {}};
    std::vector<CompiledRule> compiled(rules.size());
    for_each_in_parallel(runs.size(), 2, [&](std::size_t at) { compile_run(runs[at], compiled); });
    for (RuleRun& run : runs) append(faults_, std::move(run.faults));
    result_->rules_ = std::move(compiled);
    std::size_t most_lets = 0;
    for (const Rule& rule : rules) most_lets = std::max(most_lets, rule.lets.size());
    result_->slot_count_ = static_cast<std::uint32_t>(result_->slots_.size + most_lets);
  }

  void compile_run(RuleRun& run, std::vector<CompiledRule>& compiled) const {
    Environment names = names_;
    for (std::size_t at = run.begin; at < run.end; ++at) {
      auto memory = std::make_unique<Arena>();
      const RuleCompilation context{result_->source_.schema, result_->slots_, names, *memory,
                                    run.faults};
      CompiledRule& rule = compiled[at];
      rule = compile_rule(std::as_const(result_->source_.rules)[at], context);
      rule.memory = std::move(memory);
      find_step(rule, run.faults);
      list_inputs(rule);
    }
  }

  void find_step(CompiledRule& rule, Diagnostics& faults) const {
    if (rule.source->step == "unplaced") return;
    const auto& stages = result_->source_.stages;
    for (std::uint32_t stage = 0; stage < stages.size(); ++stage)
      for (std::uint32_t step = 0; step < stages[stage].steps.size(); ++step)
        if (stages[stage].steps[step].name == rule.source->step) {
          rule.stage = stage;
          rule.step = step;
          return;
        }
    faults.push_back(make_error(code::unknown_step, rule.source->step_span,
                                "no step of the pack is called `" + rule.source->step + "`"));
  }

  void add_inputs(const Predicate& predicate, std::vector<std::uint32_t>* inputs,
                  std::vector<FactId>& derived, std::vector<FactId>& base_facts) const {
    for (const std::uint32_t slot : predicate.slots()) {
      if (slot >= result_->slots_.size) continue;
      const DerivedFact* needed = find_derived(slot);
      if (needed == nullptr) {
        if (inputs != nullptr) inputs->push_back(slot);
        if (slot < result_->slots_.fact_count) base_facts.push_back(slot);
        continue;
      }
      for (const FactId need : needed->needs) append_new(derived, need);
      if (inputs != nullptr)
        inputs->insert(inputs->end(), needed->inputs.begin(), needed->inputs.end());
      // A derived fact that is given stands for itself and has no inputs in force, so both count.
      if (inputs != nullptr)
        inputs->insert(inputs->end(), needed->needs.begin(), needed->needs.end());
      for (const std::uint32_t input : needed->inputs)
        if (input < result_->slots_.fact_count) base_facts.push_back(input);
    }
  }

  void list_inputs(CompiledRule& rule) const {
    const auto add = [&](const Predicate& predicate) {
      add_inputs(predicate, &rule.inputs, rule.derived, rule.base_facts);
    };
    for (const CompiledLet& let : rule.lets) add(let.predicate);
    if (rule.when) add(*rule.when);
    for (const CompiledCase& row : rule.cases) add(row.when);
    if (rule.require) add(*rule.require);
    for (const CompiledAssignment& assignment : rule.effect) {
      if (assignment.kind == Assignment::Kind::compute) add(assignment.computed);
      // A part of a value is changed in each of the values that the fact may have.
      if (!assignment.path.empty()) rule.base_facts.push_back(assignment.fact);
    }
    // What only a fix computes, or a message shows, does not bear on the verdict.
    std::vector<FactId> shown;
    for (const CompiledFix& fix : rule.fixes)
      for (const CompiledAssignment& assignment : fix.assignments)
        add_inputs(assignment.computed, nullptr, rule.derived, shown);
    for (const MessageSegment& segment : rule.message.segments)
      if (segment.is_expression) add_inputs(segment.predicate, nullptr, rule.derived, shown);
    sort_unique(rule.inputs);
    sort_unique(rule.base_facts);
  }

  void place_rules() {
    const auto key = [](const CompiledRule& rule) {
      return std::make_tuple(rule.stage, rule.step, rule.is_placed() ? rule.source->place : 0,
                             std::string_view(rule.source->id));
    };
    // A rule is a large thing to move: the places are sorted, then each rule moves once.
    LazyList<CompiledRule>& rules = result_->rules_;
    std::vector<std::uint32_t> order(rules.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(rules[a]) < key(rules[b]); });
    std::vector<CompiledRule> placed;
    placed.reserve(order.size());
    for (const std::uint32_t at : order) placed.push_back(std::move(rules[at]));
    rules = std::move(placed);
    for (std::uint32_t at = 0; at < result_->rules_.size(); ++at) {
      result_->rules_[at].position = at;
      result_->by_id_.emplace(result_->rules_[at].source->id, at);
    }
  }

  // --- steps ---

  void compile_steps() {
    const LazyList<CompiledRule>& rules = result_->rules_;
    const auto& stages = result_->source_.stages;
    std::uint32_t at = 0;
    for (std::uint32_t stage = 0; stage < stages.size(); ++stage) {
      CompiledStage compiled;
      CompiledStretch part;
      part.first_rule = at;
      for (std::uint32_t step = 0; step < stages[stage].steps.size(); ++step) {
        while (at < rules.size() && rules[at].stage == stage && rules[at].step == step) ++at;
        part.end_rule = at;
        part.assume_not_when_unresolved = stages[stage].steps[step].assume_not_when_unresolved;
        if (stages[stage].steps[step].stop_when) {
          part.stop_when = compile_plain(*stages[stage].steps[step].stop_when,
                                         Type::of(TypeKind::boolean), context());
          std::vector<FactId> derived;  // computed when they are read
          add_inputs(*part.stop_when, nullptr, derived, part.base_facts);
          sort_unique(part.base_facts);
          compiled.stretches.push_back(std::move(part));
          part = {};
          part.first_rule = part.end_rule = at;
        }
      }
      compiled.stretches.push_back(std::move(part));
      compiled.end_rule = at;
      result_->stages_.push_back(std::move(compiled));
    }
    result_->first_unplaced_ = at;
  }

  void finish() {
    result_->index_ = RuleIndex(result_->rules_, result_->slots_.size);
    const auto& versions = result_->source_.versions;
    const auto version = versions.empty() ? std::nullopt : parse_version(versions.back());
    for (const CompiledRule& rule : result_->rules_)
      result_->is_of_default_version_.push_back(!version || rule.versions.contains(*version));
  }

  enum class Visit : std::uint8_t { none, open, done };

  MutablePack result_;
  Environment names_;
  Diagnostics faults_;
  std::vector<Predicate> compiled_;
  std::vector<Visit> visits_;
};

void CompiledPackDeleter::operator()(const CompiledPack* pack) const { delete pack; }

Result<CompiledPackPtr> compile_pack(RulePack pack, Diagnostics& /*warnings*/) {
  auto compiled = PackCompiler(std::move(pack)).compile();
  return compiled;
}

const RulePack& source_pack(const CompiledPack& pack) { return pack.source(); }

std::unique_ptr<BundleReader> CompiledPack::stored_walk() const {
  if (reading_ == nullptr) return nullptr;
  const std::string_view bytes =
      reading_->file->section(SectionKind::silent_walk, number_in_bundle_);
  return bytes.empty() ? nullptr : std::make_unique<BundleReader>(bytes, *reading_);
}

std::uint32_t CompiledPack::find_rule(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? kUnplaced : found->second;
}

}  // namespace assay
