// One walk over the tree, operands before operators. Lists and maps of literals become constants,
// so that `x in ["a", "b"]` builds nothing when it is evaluated; the pattern of `matches`, when it
// is literal, is compiled here once.
#include "engine/compile/predicate_compiler.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/base/check.h"
#include "engine/compile/cel_functions.h"
#include "engine/compile/cel_name_resolver.h"
#include "engine/compile/guard_finder.h"
#include "engine/compile/literal.h"
#include "engine/compile/value_comparison.h"

namespace assay {
namespace {

constexpr std::uint32_t kMaxValueDepth = 500;

struct OperatorCode {
  std::string_view name;
  Opcode opcode;
};
constexpr std::array<OperatorCode, 15> kOperatorCodes = {{
    {"==", Opcode::equal},
    {"!=", Opcode::not_equal},
    {"<", Opcode::less},
    {"<=", Opcode::less_equal},
    {">", Opcode::greater},
    {">=", Opcode::greater_equal},
    {"in", Opcode::in},
    {"+", Opcode::add},
    {"-", Opcode::subtract},
    {"*", Opcode::multiply},
    {"/", Opcode::divide},
    {"%", Opcode::remainder},
    {"-_", Opcode::negate},
    {"!_", Opcode::logical_not},
    {"_[_]", Opcode::index},
}};

}  // namespace

Predicate PredicateBuilder::build(const SyntaxTree& tree, const Environment& environment, Type type,
                                  const CompileOptions& options, ExpressionFaults& faults) {
  PredicateBuilder builder(tree, options, faults);
  Predicate& predicate = builder.predicate_;
  predicate.memory_ = std::make_unique<Arena>();
  predicate.type_ = std::move(type);
  builder.compile(tree.root);
  std::sort(predicate.slots_.begin(), predicate.slots_.end());
  predicate.slots_.erase(std::unique(predicate.slots_.begin(), predicate.slots_.end()),
                         predicate.slots_.end());
  if (options.check_types) {
    predicate.guards_ = find_guards(tree, environment);
    for (SlotGuard& guard : predicate.guards_)
      for (Value& literal : guard.literals) literal = copy_value(literal, *predicate.memory_);
  }
  return std::move(builder.predicate_);
}

std::uint32_t PredicateBuilder::emit(Opcode opcode, std::uint32_t operand, int depth_change,
                                     std::uint8_t small, std::uint32_t base) {
  predicate_.code_.push_back({opcode, small, static_cast<std::uint16_t>(base), operand});
  depth_ = static_cast<std::uint32_t>(static_cast<int>(depth_) + depth_change);
  predicate_.stack_size_ = std::max(predicate_.stack_size_, depth_);
  return static_cast<std::uint32_t>(predicate_.code_.size() - 1);
}

void PredicateBuilder::land(std::uint32_t jump) {
  predicate_.code_[jump].operand = static_cast<std::uint32_t>(predicate_.code_.size());
}

std::uint32_t PredicateBuilder::add_constant(const Value& value) {
  predicate_.constants_.push_back(value);
  return static_cast<std::uint32_t>(predicate_.constants_.size() - 1);
}
std::uint32_t PredicateBuilder::add_text(std::string_view text) {
  return add_constant(Value::string(predicate_.memory_->copy(text)));
}

std::uint32_t PredicateBuilder::compile(NodeIndex index) {
  const SyntaxNode& node = tree_[index];
  switch (node.kind) {
    case SyntaxKind::literal:
      emit(Opcode::push_constant, add_constant(copy_value(node.literal, *predicate_.memory_)), 1);
      return 0;
    case SyntaxKind::slot:
      predicate_.slots_.push_back(node.number);
      emit(Opcode::push_slot, node.number, 1);
      return 0;
    case SyntaxKind::local:
      emit(Opcode::push_local, locals_.at(node.number).position + node.small, 1);
      return locals_.at(node.number).value_depth;
    case SyntaxKind::select:
    case SyntaxKind::has: {
      const std::uint32_t value_depth = compile(node.children[0]);
      emit(node.kind == SyntaxKind::has ? Opcode::has : Opcode::select, add_text(node.text), 0);
      return value_depth;
    }
    case SyntaxKind::call:
      return compile_call(node);
    case SyntaxKind::logical_and:
    case SyntaxKind::logical_or:
      return compile_logical(node);
    case SyntaxKind::conditional:
      return compile_conditional(node);
    case SyntaxKind::list:
    case SyntaxKind::map:
      return compile_aggregate(index);
    case SyntaxKind::comprehension:
      return compile_comprehension(index);
    case SyntaxKind::bind:
      return compile_bind(index);
    case SyntaxKind::failure:
      emit(Opcode::push_constant, add_constant(Value::error(predicate_.memory_->copy(node.text))),
           1);
      return 0;
    case SyntaxKind::name:
    case SyntaxKind::given:
      break;
  }
  ASSAY_CHECK(false, "names are resolved before a predicate is compiled");
}

std::uint32_t PredicateBuilder::compile_children(const SyntaxNode& node) {
  std::uint32_t value_depth = 0;
  for (const NodeIndex child : node.children) value_depth = std::max(value_depth, compile(child));
  return value_depth;
}

std::uint32_t PredicateBuilder::compile_call(const SyntaxNode& node) {
  if (compile_pattern(node)) return 0;
  const std::uint32_t value_depth = compile_children(node);
  const auto count = static_cast<std::uint32_t>(node.children.size());
  if (!is_operator(node)) {
    emit(Opcode::call, node.number, 1 - static_cast<int>(count), 0, count);
    return value_depth + 1;  // a list of strings from a string, at most
  }
  const auto* found = std::find_if(kOperatorCodes.begin(), kOperatorCodes.end(),
                                   [&](const OperatorCode& o) { return o.name == node.text; });
  ASSAY_CHECK(found != kOperatorCodes.end(), "every operator has an opcode");
  emit(found->opcode, 0, 1 - static_cast<int>(count));
  return value_depth;
}

// cel.bind can nest values deeper than the text is, and equality, copies and printing go into
// values by recursion.
std::uint32_t PredicateBuilder::compile_aggregate(NodeIndex index) {
  const SyntaxNode& node = tree_[index];
  if (Value value; fold(index, value)) {
    emit(Opcode::push_constant, add_constant(value), 1);
    return node.height;
  }
  const std::uint32_t value_depth = compile_children(node) + 1;
  if (value_depth > kMaxValueDepth)
    faults_.add_at(
        node, code::expression_too_large,
        "the value is nested more than " + std::to_string(kMaxValueDepth) + " levels deep");
  const bool is_map = node.kind == SyntaxKind::map;
  const auto count = static_cast<std::uint32_t>(node.children.size());
  emit(is_map ? Opcode::make_map : Opcode::make_list, is_map ? count / 2 : count,
       1 - static_cast<int>(count));
  return value_depth;
}

bool PredicateBuilder::compile_pattern(const SyntaxNode& node) {
  if (is_operator(node) || static_cast<FunctionId>(node.number) != FunctionId::matches)
    return false;
  const SyntaxNode& argument = tree_[node.children[1]];
  if (argument.kind != SyntaxKind::literal || !argument.literal.is(ValueKind::string)) return false;
  CelPattern pattern(argument.literal.as_text());
  if (!pattern.error().empty() && options_.check_types)
    faults_.add_at(argument, code::bad_pattern, "RE2 refuses this pattern: " + pattern.error());
  predicate_.patterns_.push_back(std::move(pattern));
  compile(node.children[0]);
  emit(Opcode::match_pattern, static_cast<std::uint32_t>(predicate_.patterns_.size() - 1), 0);
  return true;
}

std::uint32_t PredicateBuilder::compile_logical(const SyntaxNode& node) {
  const bool is_and = node.kind == SyntaxKind::logical_and;
  std::vector<std::uint32_t> jumps;
  compile(node.children[0]);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    jumps.push_back(emit(is_and ? Opcode::jump_if_false : Opcode::jump_if_true, 0, 0));
    compile(node.children[i]);
    emit(is_and ? Opcode::merge_and : Opcode::merge_or, 0, -1);
  }
  for (const std::uint32_t jump : jumps) land(jump);
  return 0;
}

std::uint32_t PredicateBuilder::compile_conditional(const SyntaxNode& node) {
  compile(node.children[0]);
  const std::uint32_t choose = emit(Opcode::choose, 0, 0);
  const std::uint32_t to_end = emit(Opcode::jump, 0, -1);
  const std::uint32_t depth_if_true = compile(node.children[1]);
  const std::uint32_t after_true = emit(Opcode::jump, 0, -1);
  land(choose);
  const std::uint32_t depth_if_false = compile(node.children[2]);
  land(to_end);
  land(after_true);
  return std::max(depth_if_true, depth_if_false);
}

std::uint32_t PredicateBuilder::compile_comprehension(NodeIndex index) {
  const SyntaxNode& node = tree_[index];
  const std::uint32_t base = depth_;
  const auto kind = static_cast<std::uint8_t>(node.loop);
  const auto variables = static_cast<std::uint8_t>(node.variables.size());
  const std::uint32_t range_depth = compile(node.children[0]);
  const std::uint32_t begin = emit(Opcode::loop_begin, 0, 2, kind, base);
  const std::uint32_t next = emit(Opcode::loop_next, 0, variables, variables, base);
  locals_[index] = {base + 3, range_depth};
  if (node.children.size() == 3) {
    compile(node.children[2]);
    emit(Opcode::loop_filter, next, -1, 0, base);
  }
  const std::uint32_t body_depth = compile(node.children[1]);
  emit(Opcode::loop_step, next, -1 - variables, kind, base);
  land(next);
  emit(Opcode::loop_end, 0, -2, kind, base);
  land(begin);
  return std::max(range_depth, body_depth) + 1;
}

std::uint32_t PredicateBuilder::compile_bind(NodeIndex index) {
  const SyntaxNode& node = tree_[index];
  const std::uint32_t position = depth_;
  locals_[index] = {position, compile(node.children[0])};
  const std::uint32_t value_depth = compile(node.children[1]);
  emit(Opcode::drop_below, 1, -1);
  return value_depth;
}

bool PredicateBuilder::fold(NodeIndex index, Value& value) {
  const SyntaxNode& node = tree_[index];
  if (node.kind == SyntaxKind::list) return fold_list(node, value);
  if (node.kind == SyntaxKind::map) return fold_map(node, value);
  if (node.kind != SyntaxKind::literal) return false;
  value = copy_value(node.literal, *predicate_.memory_);
  return true;
}

bool PredicateBuilder::fold_list(const SyntaxNode& node, Value& value) {
  std::vector<Value> items(node.children.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!fold(node.children[i], items[i])) return false;
  auto* memory = predicate_.memory_->allocate_array<Value>(items.size());
  std::copy(items.begin(), items.end(), memory);
  value = Value::list({memory, items.size()});
  return true;
}

bool PredicateBuilder::fold_map(const SyntaxNode& node, Value& value) {
  std::vector<MapEntry> entries(node.children.size() / 2);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!fold(node.children[2 * i], entries[i].key)) return false;
    if (!fold(node.children[2 * i + 1], entries[i].value)) return false;
    if (!is_map_key(entries[i].key)) return false;  // fails when it is evaluated
    for (std::size_t j = 0; j < i; ++j)
      if (values_equal(entries[i].key, entries[j].key)) return false;
  }
  auto* memory = predicate_.memory_->allocate_array<MapEntry>(entries.size());
  std::copy(entries.begin(), entries.end(), memory);
  value = Value::map({memory, entries.size()});
  return true;
}

}  // namespace assay
