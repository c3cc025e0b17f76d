// What a bundle holds of each struct: its fields, in order, named once for writing and for reading,
// so that the two cannot drift apart. Whoever changes a struct named here changes its line, and
// kBundleVersion (bundle_format.h). A reader also checks here what its type does not say.
#pragma once

#include <limits>

#include "engine/compile/bundle_reader.h"
#include "engine/compile/bundle_writer.h"
#include "engine/compile/compiled_rule.h"
#include "engine/compile/pack_environment.h"
#include "engine/compile/rule_index.h"
#include "engine/model/error_record.h"
#include "engine/model/rule_pack.h"

namespace assay {

// --- the first and last value of each enumeration ---

template <class Enum>
constexpr Enum first_of(Enum /*of*/) {
  return Enum{};
}
constexpr NodeKind last_of(NodeKind /*of*/) { return NodeKind::mapping; }
constexpr TypeKind last_of(TypeKind /*of*/) { return TypeKind::type; }
constexpr Severity last_of(Severity /*of*/) { return Severity::error; }
constexpr Assignment::Kind last_of(Assignment::Kind /*of*/) { return Assignment::Kind::unset; }
constexpr RuleExample::Kind last_of(RuleExample::Kind /*of*/) { return RuleExample::Kind::keeps; }
constexpr Version::Phase last_of(Version::Phase /*of*/) { return Version::Phase::none; }
constexpr VersionComparison::Operator last_of(VersionComparison::Operator /*of*/) {
  return VersionComparison::Operator::at_least;
}
constexpr Opcode last_of(Opcode /*of*/) { return Opcode::loop_end; }
constexpr SlotGuard::Kind last_of(SlotGuard::Kind /*of*/) { return SlotGuard::Kind::differs_from; }
constexpr SlotMeaning::Kind last_of(SlotMeaning::Kind /*of*/) { return SlotMeaning::Kind::label; }

// --- texts and documents ---

template <class Archive>
void fields(Archive& a, Node& node) {
  a(node.kind, node.quoted, node.span, node.boolean, node.integer, node.real, node.text, node.items,
    node.entries);
}
template <class Archive>
void fields(Archive& a, Entry& entry) {
  a(entry.key, entry.key_span, entry.value);
}
template <class Archive>
void fields(Archive& a, Type& type) {
  a(type.kind, type.is_nullable, type.parameters);
}
template <class Archive>
void fields(Archive& a, ExpressionText& text) {
  a(text.text, text.span, text.is_verbatim);
}

// --- packs ---

template <class Archive>
void fields(Archive& a, Launcher& launcher) {
  a(launcher.words, launcher.positionals);
}
template <class Archive>
void fields(Archive& a, FactOverlay& overlay) {
  a(overlay.fact, overlay.argument, overlay.merges);
}
template <class Archive>
void fields(Archive& a, RenamedFlag& flag) {
  a(flag.spelling, flag.now);
}
template <class Archive>
void fields(Archive& a, ExampleSurroundings& surroundings) {
  a(surroundings.command, surroundings.gpus, surroundings.model, surroundings.facts,
    surroundings.span);
}

// --- facts ---

template <class Archive>
void fields(Archive& a, Flag& flag) {
  a(flag.spelling, flag.is_deprecated, flag.stores, flag.word_values, flag.versions,
    flag.deprecated_versions);
}
template <class Archive>
void fields(Archive& a, DatedDefault& dated) {
  a(dated.versions, dated.value);
}
template <class Archive>
void fields(Archive& a, FactDeclaration& fact) {
  a(fact.name, fact.type, fact.is_argument, fact.is_json, fact.takes_list, fact.default_value,
    fact.choices, fact.has_open_choices, fact.unit_suffixes, fact.flags, fact.environment,
    fact.documentation, fact.minimum, fact.unit, fact.expression, fact.span, fact.versions,
    fact.choice_versions, fact.dated_defaults);
}

// --- rules ---

template <class Archive>
void fields(Archive& a, Assignment& assignment) {
  a(assignment.kind, assignment.target, assignment.target_span, assignment.literal,
    assignment.expression);
}
template <class Archive>
void fields(Archive& a, Fix& fix) {
  a(fix.assignments, fix.why, fix.span);
}
template <class Archive>
void fields(Archive& a, LetBinding& let) {
  a(let.name, let.expression);
}
template <class Archive>
void fields(Archive& a, RuleCase& row) {
  a(row.label, row.when);
}
template <class Archive>
void fields(Archive& a, RuleSource& source) {
  a(source.file, source.sha, source.line, source.raises);
}
template <class Archive>
void fields(Archive& a, FactValue& value) {
  a(value.name, value.name_span, value.value);
}
template <class Archive>
void fields(Archive& a, RuleExample& example) {
  a(example.kind, example.facts, example.to, example.from_start, example.span);
}
template <class Archive>
void fields(Archive& a, Rule& rule) {
  a(rule.id, rule.id_span);
  a.path(rule.path);
  a(rule.severity, rule.summary, rule.step, rule.step_span, rule.place, rule.lets, rule.when,
    rule.require, rule.cases, rule.effect, rule.message, rule.message_span,
    rule.message_is_verbatim, rule.error, rule.error_span, rule.fixes, rule.versions,
    rule.versions_span, rule.source, rule.ignore_when, rule.documentation, rule.examples);
}
template <class Archive>
void fields(Archive& a, PipelineStep& step) {
  a(step.name, step.span, step.stop_when, step.assume_not_when_unresolved, step.documentation);
}
template <class Archive>
void fields(Archive& a, PipelineStage& stage) {
  a(stage.name, stage.title, stage.steps);
}

// --- records ---

template <class Archive>
void fields(Archive& a, RecordExample& example) {
  a(example.message, example.source);
}
template <class Archive>
void fields(Archive& a, RecordLink& link) {
  a(link.id, link.reason);
}
template <class Archive>
void fields(Archive& a, ExampleProof& proof) {
  a(proof.facts, proof.obstacle, proof.reason, proof.span);
}
template <class Archive>
void fields(Archive& a, ErrorRecord& r) {
  a(r.id, r.repo, r.slug, r.error_code, r.error_message, r.message_pattern, r.error_type,
    r.error_class, r.http_status, r.severity, r.file_path, r.line_number, r.source_code,
    r.source_code_start, r.source_code_end, r.github_url, r.documentation, r.trigger_scenarios,
    r.common_situations, r.solutions, r.example_fix, r.handling_strategy, r.validation_code,
    r.type_guard, r.try_catch_pattern, r.prevention_tips, r.tags, r.background_tag, r.analyzed_sha,
    r.analyzed_at, r.schema_version);
  a(r.examples, r.near_misses, r.context, r.is_wrapper, r.status, r.replaced_by, r.see_also,
    r.example_proof);
  a.path(r.path);
  a(r.span, r.id_span, r.pattern_span, r.message_span, r.example_fix_span);
}

// --- compiled expressions ---

template <class Archive>
void fields(Archive& a, Instruction& instruction) {
  a(instruction.opcode, instruction.small, instruction.base, instruction.operand);
}
template <class Archive>
void fields(Archive& a, SlotGuard& guard) {
  a(guard.kind, guard.slot, guard.literals);
  if constexpr (Archive::kReads) a.expect(guard.slot < a.reading().slot_count);
}
// Slots and stack size follow from the code.
struct PredicateFields {
  static void write(BundleWriter& writer, const Predicate& predicate);
  static void read(BundleReader& reader, Predicate& predicate);
};
inline void fields(BundleWriter& writer, Predicate& predicate) {
  PredicateFields::write(writer, predicate);
}
inline void fields(BundleReader& reader, Predicate& predicate) {
  PredicateFields::read(reader, predicate);
}
template <class Archive>
void fields(Archive& a, MessageSegment& segment) {
  a(segment.text, segment.is_expression, segment.is_repr);
  if (segment.is_expression) a(segment.predicate);
}
template <class Archive>
void fields(Archive& a, MessageTemplate& message) {
  a(message.segments);
}

// --- compiled rules ---

template <class Archive>
void fields(Archive& a, Version& version) {
  a(version.epoch, version.release, version.phase, version.phase_number, version.post, version.dev,
    version.local);
}
template <class Archive>
void fields(Archive& a, VersionComparison& comparison) {
  a(comparison.op, comparison.version);
}
template <class Archive>
void fields(Archive& a, VersionRange& range) {
  a(range.comparisons);
}
template <class Archive>
void fields(Archive& a, CompiledLet& let) {
  a(let.slot, let.predicate);
  if constexpr (Archive::kReads)
    a.expect(let.slot >= a.reading().slot_count && let.slot < a.reading().all_slot_count);
}
template <class Archive>
void fields(Archive& a, CompiledCase& row) {
  a(row.when);
}
template <class Archive>
void fields(Archive& a, CompiledAssignment& assignment) {
  a(assignment.kind, assignment.fact, assignment.path, assignment.literal);
  if (assignment.kind == Assignment::Kind::compute) a(assignment.computed);
  if constexpr (Archive::kReads) {
    constexpr std::size_t kMaxPath = 256;
    a.expect(assignment.fact < a.reading().fact_count && assignment.path.size() <= kMaxPath);
  }
}
template <class Archive>
void fields(Archive& a, CompiledFix& fix) {
  a(fix.assignments);
}
// Without `source` and `position`, which the pack knows.
template <class Archive>
void fields(Archive& a, CompiledRule& rule) {
  a(rule.stage, rule.step, rule.versions, rule.lets, rule.when, rule.require, rule.cases,
    rule.effect, rule.message, rule.fixes, rule.reads, rule.inputs, rule.derived, rule.base_facts);
}

// --- the pack ---

template <class Archive>
void fields(Archive& a, SlotMeaning& meaning) {
  a(meaning.kind, meaning.fact);
}
template <class Archive>
void fields(Archive& a, PackSlots& slots) {
  a(slots.fact_count, slots.size, slots.label, slots.meanings, slots.raw, slots.given, slots.before,
    slots.presence);
}
struct RuleIndexFields {
  template <class Archive>
  static void visit(Archive& a, RuleIndex& index) {
    a(index.guards_, index.guarded_slots_, index.all_, index.differing_, index.literals_);
  }
  // Works out the rest of an index that was read; false when it is none.
  static bool complete(RuleIndex& index, std::uint32_t rule_count, std::uint32_t slot_count);
};
template <class Archive>
void fields(Archive& a, RuleIndex& index) {
  RuleIndexFields::visit(a, index);
}

}  // namespace assay
