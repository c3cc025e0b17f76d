// A rule's `let` names are declared one after the other, each visible to those after it, and taken
// back when the rule is done, so that the environment of hundreds of arguments is shared by all
// rules. Names that exist only in places (`before.x` in a derivation's message, `label` in the
// message of a rule with cases) are declared for all and refused elsewhere.
#include "engine/compile/rule_compiler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/compile/literal.h"

namespace assay {
namespace {

using Kind = SlotMeaning::Kind;

Type boolean_type() { return Type::of(TypeKind::boolean); }

class RuleCompiler {
 public:
  RuleCompiler(const Rule& rule, const RuleCompilation& context) : rule_(rule), context_(context) {
    result_.source = &rule;
  }

  CompiledRule compile() {
    compile_versions();
    const std::size_t base = context_.names.size();
    compile_lets();
    if (rule_.when) result_.when = boolean(*rule_.when);
    for (const RuleCase& row : rule_.cases) result_.cases.push_back({&row, boolean(row.when)});
    if (rule_.require) result_.require = boolean(*rule_.require);
    refuse_dated_defaults(rule_.effect);
    result_.effect = assignments(rule_.effect);
    collect_effect_reads();
    compile_rule_message();
    for (const Fix& fix : rule_.fixes)
      result_.fixes.push_back({&fix, assignments(fix.assignments)});
    context_.names.truncate(base);
    return std::move(result_);
  }

 private:
  void compile_versions() {
    auto range = parse_version_range(rule_.versions);
    if (range) {
      result_.versions = std::move(*range);
      return;
    }
    context_.faults.push_back(make_error(code::invalid_value, rule_.versions_span,
                                         "`versions` is no range: " + range.error().message,
                                         "write comparisons joined by commas, as in \">=0.5.8\""));
  }

  void compile_lets() {
    for (const LetBinding& binding : rule_.lets) {
      Predicate predicate = compile_plain(binding.expression, Type{}, context_);
      add_reads(predicate, binding.expression.text, context_, result_.reads);
      if (context_.names.find(binding.name) != kNoSlot) {
        context_.faults.push_back(
            make_error(code::invalid_value, binding.expression.span,
                       "the `let` name `" + binding.name + "` is taken by a fact or another name"));
        continue;
      }
      const std::uint32_t slot = context_.names.declare(binding.name, predicate.type());
      result_.lets.push_back({slot, std::move(predicate)});
    }
  }

  Predicate boolean(const ExpressionText& text) {
    Predicate predicate = compile_plain(text, boolean_type(), context_);
    add_reads(predicate, text.text, context_, result_.reads);
    return predicate;
  }

  void collect_effect_reads() {
    for (const CompiledAssignment& assignment : result_.effect)
      if (assignment.kind == Assignment::Kind::compute)
        add_reads(assignment.computed, assignment.source->expression.text, context_, result_.reads);
  }

  void compile_rule_message() {
    const ExpressionText text{rule_.message, rule_.message_span, rule_.message_is_verbatim};
    result_.message = compile_message(text, context_.names, context_.faults);
    for (const MessageSegment& segment : result_.message.segments) {
      if (!segment.is_expression) continue;
      for (const std::uint32_t slot : segment.predicate.slots()) check_message_slot(slot);
      add_reads(segment.predicate, segment.text, context_, result_.reads);
    }
  }

  void check_message_slot(std::uint32_t slot) {
    if (slot >= context_.slots.size) return;
    const Kind kind = context_.slots.meanings[slot].kind;
    if (kind == Kind::before && !rule_.is_derivation())
      refuse(rule_.message_span, "`before.` is there in a derivation's message only");
    if (kind == Kind::label && rule_.cases.empty())
      refuse(rule_.message_span, "`label` is there in the message of a rule with `cases` only");
  }

  void refuse(Span span, std::string message) {
    context_.faults.push_back(make_error(code::undeclared_name, span, std::move(message)));
  }

  // `unset` writes one default down.
  void refuse_dated_defaults(const std::vector<Assignment>& effect) {
    for (const Assignment& assignment : effect) {
      const FactDeclaration* fact = context_.schema.find(assignment.target);
      if (assignment.kind == Assignment::Kind::unset && fact != nullptr &&
          !fact->dated_defaults.empty())
        context_.faults.push_back(
            make_error(code::invalid_value, assignment.target_span,
                       "`" + assignment.target + "` has not the same default in every release",
                       "write one rule per release, with `set`"));
    }
  }

  std::vector<CompiledAssignment> assignments(const std::vector<Assignment>& sources) {
    std::vector<CompiledAssignment> compiled;
    for (const Assignment& source : sources) {
      FactPath target = find_fact_path(context_.schema, source.target);
      if (!target.is_known) {
        context_.faults.push_back(make_error(code::unknown_fact, source.target_span,
                                             "no fact is called `" + source.target + "`"));
        continue;
      }
      if (context_.schema.facts[target.fact].expression) {
        context_.faults.push_back(make_error(code::invalid_value, source.target_span,
                                             "`" + source.target +
                                                 "` is computed from other "
                                                 "facts, so nothing can be assigned to it"));
        continue;
      }
      CompiledAssignment assignment;
      assignment.source = &source;
      assignment.kind = source.kind;
      assignment.fact = target.fact;
      assignment.path = std::move(target.path);
      const FactDeclaration& fact = context_.schema.facts[target.fact];
      if (source.kind == Assignment::Kind::set) set_literal(source, fact, assignment);
      if (source.kind == Assignment::Kind::compute) set_computed(source, fact, assignment);
      if (source.kind == Assignment::Kind::unset && fact.default_value)
        assignment.literal =
            literal_value(*fact.default_value, context_.constants, fact.type).value_or(Value());
      compiled.push_back(std::move(assignment));
    }
    return compiled;
  }

  void set_literal(const Assignment& source, const FactDeclaration& fact,
                   CompiledAssignment& assignment) {
    const Type type = assignment.path.empty() ? fact.type : Type{};
    const auto value = literal_value(source.literal, context_.constants, type);
    if (value) {
      assignment.literal = *value;
      return;
    }
    const Span span = source.literal.span.is_known() ? source.literal.span : source.target_span;
    context_.faults.push_back(make_error(
        code::invalid_value, span,
        "`" + source.target + "` is " + to_string(fact.type) + ", and this value is none"));
  }

  void set_computed(const Assignment& source, const FactDeclaration& fact,
                    CompiledAssignment& assignment) {
    assignment.computed = compile_plain(source.expression, Type{}, context_);
    if (!assignment.path.empty() || fits(fact.type, assignment.computed.type())) return;
    context_.faults.push_back(make_error(code::type_mismatch, source.expression.span,
                                         "`" + source.target + "` is " + to_string(fact.type) +
                                             ", and this expression gives " +
                                             to_string(assignment.computed.type())));
  }

  const Rule& rule_;
  const RuleCompilation& context_;
  CompiledRule result_;
};

// Where `name` stands in `text` as a whole name, or npos.
std::size_t find_name(const std::string& text, const std::string& name) {
  const auto is_name_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || (!is_name_char(text[at - 1]) && text[at - 1] != '.');
    const auto end = at + name.size();
    if (begins && (end == text.size() || !is_name_char(text[end]))) return at;
  }
  return std::string::npos;
}

}  // namespace

CompiledRule compile_rule(const Rule& rule, const RuleCompilation& context) {
  return RuleCompiler(rule, context).compile();
}

Predicate compile_plain(const ExpressionText& text, const Type& expected,
                        const RuleCompilation& context) {
  auto compiled = compile_expression(text, context.names, expected);
  if (!compiled) {
    context.faults.insert(context.faults.end(), std::make_move_iterator(compiled.error().begin()),
                          std::make_move_iterator(compiled.error().end()));
    return {};
  }
  for (const std::uint32_t slot : compiled->slots()) {
    if (slot >= context.slots.size) continue;
    const Kind kind = context.slots.meanings[slot].kind;
    if (kind == Kind::before || kind == Kind::label)
      context.faults.push_back(make_error(
          code::undeclared_name, text.span,
          "`" + slot_name(context.schema, context.slots, slot) + "` is there in messages only"));
  }
  return std::move(*compiled);
}

bool fits(const Type& expected, const Type& actual) {
  if (expected.kind == TypeKind::dynamic || actual.kind == TypeKind::dynamic) return true;
  if (actual.kind == TypeKind::null) return expected.is_nullable;
  if (expected.kind != actual.kind) return false;
  const std::size_t parameters = std::min(expected.parameters.size(), actual.parameters.size());
  for (std::size_t i = 0; i < parameters; ++i)
    if (!fits(expected.parameters[i], actual.parameters[i])) return false;
  return true;
}

void add_reads(const Predicate& predicate, const std::string& text, const RuleCompilation& context,
               std::vector<std::uint32_t>& order) {
  std::vector<std::pair<std::size_t, std::uint32_t>> found;
  for (const std::uint32_t slot : predicate.slots()) {
    if (slot >= context.slots.size) continue;
    const SlotMeaning meaning = context.slots.meanings[slot];
    if (meaning.kind == Kind::label) continue;
    std::string name = context.schema.facts[meaning.fact].name;
    if (meaning.kind == Kind::raw) name.insert(0, "raw.");
    if (meaning.kind == Kind::before) name.insert(0, "before.");
    found.emplace_back(find_name(text, name), slot);
  }
  std::sort(found.begin(), found.end());
  for (const auto& [at, slot] : found)
    if (std::find(order.begin(), order.end(), slot) == order.end()) order.push_back(slot);
}

}  // namespace assay
