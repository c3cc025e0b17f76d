// A guard must make the expression false, not an error, when it fails: `&&` and `||` absorb what
// the other operands do, equality and `in` never fail, and a Boolean variable that may be null
// counts null among its literals because null is an error there. Of a conjunction the most
// selective operand is kept; a disjunction needs a guard for every operand.
#include "engine/compile/guard_finder.h"

#include <algorithm>
#include <optional>

#include "engine/compile/predicate_guards.h"
#include "engine/compile/value_comparison.h"

namespace assay {
namespace {

using Guards = std::vector<SlotGuard>;

class GuardFinder {
 public:
  GuardFinder(const SyntaxTree& tree, const Environment& environment)
      : tree_(tree), environment_(environment) {}

  std::optional<Guards> find(NodeIndex index, bool is_negated = false) const {
    const SyntaxNode& node = tree_[index];
    switch (node.kind) {
      case SyntaxKind::slot:
        return of_boolean(node, !is_negated);
      case SyntaxKind::call:
        return of_call(node, is_negated);
      case SyntaxKind::logical_and:
        return is_negated ? any_operand(node, true) : best_operand(node, false);
      case SyntaxKind::logical_or:
        return is_negated ? best_operand(node, true) : any_operand(node, false);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Guards> of_boolean(const SyntaxNode& slot, bool wanted) const {
    const Type& type = environment_.variable(slot.number).type;
    if (type.kind != TypeKind::boolean) return std::nullopt;
    SlotGuard guard = {SlotGuard::Kind::equals_one_of, slot.number, {Value::boolean(wanted)}};
    if (type.is_nullable) guard.literals.push_back(Value::null());
    return Guards{std::move(guard)};
  }

  std::optional<Guards> of_call(const SyntaxNode& call, bool is_negated) const {
    if (call.text == "!_") return find(call.children[0], !is_negated);
    if (call.text != "==" && call.text != "!=" && call.text != "in") return std::nullopt;
    NodeIndex slot = call.children[0];
    NodeIndex other = call.children[1];
    if (call.text != "in" && tree_[other].kind == SyntaxKind::slot) std::swap(slot, other);
    if (tree_[slot].kind != SyntaxKind::slot) return std::nullopt;
    SlotGuard guard;
    guard.slot = tree_[slot].number;
    const Type& type = environment_.variable(guard.slot).type;
    if (call.text == "in") {
      if (tree_[other].kind != SyntaxKind::list) return std::nullopt;
      for (const NodeIndex item : tree_[other].children)
        if (!add_literal(item, type, guard)) return std::nullopt;
    } else if (!add_literal(other, type, guard)) {
      return std::nullopt;
    }
    if ((call.text == "!=") != is_negated) guard.kind = SlotGuard::Kind::differs_from;
    return Guards{std::move(guard)};
  }

  // False unless the node is a literal of the slot's own type, or null.
  bool add_literal(NodeIndex index, const Type& type, SlotGuard& guard) const {
    const SyntaxNode& node = tree_[index];
    if (node.kind != SyntaxKind::literal) return false;
    const bool fits =
        node.literal.is(ValueKind::null) ||
        (type.kind == TypeKind::boolean && node.literal.is(ValueKind::boolean)) ||
        (type.kind == TypeKind::integer && node.literal.is(ValueKind::integer)) ||
        (type.kind == TypeKind::unsigned_integer && node.literal.is(ValueKind::unsigned_integer)) ||
        (type.kind == TypeKind::real && node.literal.is(ValueKind::real)) ||
        (type.kind == TypeKind::string && node.literal.is(ValueKind::string));
    if (fits) guard.literals.push_back(node.literal);
    return fits;
  }

  // Fewer is better: literals of an equality, and much worse any inequality.
  static std::size_t looseness(const Guards& guards) {
    std::size_t sum = 0;
    for (const SlotGuard& guard : guards)
      sum += guard.kind == SlotGuard::Kind::equals_one_of ? 1 + guard.literals.size() : 1000;
    return sum;
  }

  std::optional<Guards> best_operand(const SyntaxNode& node, bool is_negated) const {
    std::optional<Guards> best;
    for (const NodeIndex child : node.children) {
      std::optional<Guards> guards = find(child, is_negated);
      if (guards && (!best || looseness(*guards) < looseness(*best))) best = std::move(guards);
    }
    return best;
  }

  std::optional<Guards> any_operand(const SyntaxNode& node, bool is_negated) const {
    Guards all;
    for (const NodeIndex child : node.children) {
      std::optional<Guards> guards = find(child, is_negated);
      if (!guards) return std::nullopt;
      for (SlotGuard& guard : *guards) add(std::move(guard), all);
    }
    return all;
  }

  static void add(SlotGuard guard, Guards& guards) {
    for (SlotGuard& other : guards) {
      const bool both_equal =
          other.kind == SlotGuard::Kind::equals_one_of && other.kind == guard.kind;
      if (!both_equal || other.slot != guard.slot) continue;
      other.literals.insert(other.literals.end(), guard.literals.begin(), guard.literals.end());
      return;
    }
    guards.push_back(std::move(guard));
  }

  const SyntaxTree& tree_;
  const Environment& environment_;
};

}  // namespace

std::vector<SlotGuard> find_guards(const SyntaxTree& tree, const Environment& environment) {
  return GuardFinder(tree, environment).find(tree.root).value_or(Guards());
}

bool holds(const SlotGuard& guard, const Value& value) {
  if (value.is(ValueKind::unknown) || value.is(ValueKind::error)) return true;
  const bool is_literal =
      std::any_of(guard.literals.begin(), guard.literals.end(),
                  [&](const Value& literal) { return values_equal(literal, value); });
  return is_literal == (guard.kind == SlotGuard::Kind::equals_one_of);
}

}  // namespace assay
