// From CEL text to a Predicate: lex, parse, expand macros, check types, flatten. The language is
// described in rules/LANGUAGE.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/compile/predicate.h"
#include "engine/model/fact_schema.h"
#include "engine/model/type.h"
#include "engine/text/result.h"

namespace assay {

// The names an expression may use. A slot is the index of the variable's value in the array given
// to `evaluate`.
class Environment {
 public:
  struct Variable {
    std::string name;  // may be dotted; the longest declared prefix of a.b.c wins
    Type type;
    // Slot whose value is true when the variable is present; kNoSlot: has(name) is not allowed for
    // it.
    std::uint32_t presence_slot = kNoSlot;
    // Slot whose value is true when the user gave it: what given(name) reads; kNoSlot: given(name)
    // is not allowed.
    std::uint32_t given_slot = kNoSlot;
  };

  // Returns the slot of the new variable: 0, 1, 2, ... Names must be new.
  std::uint32_t declare(std::string name, Type type);
  Variable& variable(std::uint32_t slot) { return variables_[slot]; }
  const Variable& variable(std::uint32_t slot) const { return variables_[slot]; }
  std::size_t size() const { return variables_.size(); }
  std::uint32_t find(std::string_view name) const;  // kNoSlot when there is none
  std::vector<std::string_view> names() const;
  // Takes back the newest variables, so that `size` of them remain: the names of one rule.
  void truncate(std::size_t size) {
    for (; variables_.size() > size; variables_.pop_back()) by_name_.erase(variables_.back().name);
  }

 private:
  std::vector<Variable> variables_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

struct ExpressionLimits {
  std::size_t max_bytes = 64u << 10;
  std::uint32_t max_depth = 250;        // nesting, of the text and of the syntax tree
  std::uint32_t max_nodes = 16u << 10;  // after macros
};

struct CompileOptions {
  ExpressionLimits limits;
  bool check_types =
      true;  // false: names and overloads are resolved at evaluation (`unchecked` of assay eval)
  std::string container;  // names are also looked up as members of this dotted name; usually empty
};

// Compiles `expression`. With `expected` other than dynamic, its type must be that. Constants are
// kept in the Predicate. Errors: expression_syntax, undeclared_name (with "did you mean"),
// type_mismatch, expression_too_large, bad_pattern (a constant pattern of `matches`); all of one
// stage are reported, each at its place in the expression's source.
Result<Predicate> compile_expression(const ExpressionText& expression,
                                     const Environment& environment, const Type& expected,
                                     const CompileOptions& options = {});

}  // namespace assay
