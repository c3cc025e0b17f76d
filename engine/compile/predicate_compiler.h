// From a checked syntax tree to the flat Predicate.
#pragma once

#include <unordered_map>

#include "engine/compile/cel_faults.h"
#include "engine/compile/cel_syntax.h"
#include "engine/compile/expression_compiler.h"
#include "engine/compile/predicate.h"

namespace assay {

class PredicateBuilder {
 public:
  // `tree` must have its names resolved. Faults: bad_pattern, where options.check_types.
  static Predicate build(const SyntaxTree& tree, const Environment& environment, Type type,
                         const CompileOptions& options, ExpressionFaults& faults);

 private:
  PredicateBuilder(const SyntaxTree& tree, const CompileOptions& options, ExpressionFaults& faults)
      : tree_(tree), options_(options), faults_(faults) {}

  std::uint32_t emit(Opcode opcode, std::uint32_t operand, int depth_change, std::uint8_t small = 0,
                     std::uint32_t base = 0);
  void land(std::uint32_t jump);  // makes the jump at that instruction go to the next one
  std::uint32_t add_constant(const Value& value);  // a value in the predicate's memory
  std::uint32_t add_text(std::string_view text);

  // Each returns how deep lists and maps are nested in the value at most, what comes from slots
  // left aside.
  std::uint32_t compile(NodeIndex index);
  std::uint32_t compile_children(const SyntaxNode& node);
  std::uint32_t compile_call(const SyntaxNode& node);
  std::uint32_t compile_aggregate(NodeIndex index);
  std::uint32_t compile_logical(const SyntaxNode& node);
  std::uint32_t compile_conditional(const SyntaxNode& node);
  std::uint32_t compile_comprehension(NodeIndex index);
  std::uint32_t compile_bind(NodeIndex index);
  bool compile_pattern(const SyntaxNode& node);
  // The value of a literal, or of a list or map of literals.
  bool fold(NodeIndex index, Value& value);
  bool fold_list(const SyntaxNode& node, Value& value);
  bool fold_map(const SyntaxNode& node, Value& value);

  const SyntaxTree& tree_;
  const CompileOptions& options_;
  ExpressionFaults& faults_;
  Predicate predicate_;
  std::uint32_t depth_ = 0;
  struct Local {
    std::uint32_t position;     // on the stack
    std::uint32_t value_depth;  // as compile() returns it
  };
  std::unordered_map<NodeIndex, Local> locals_;  // by the node that binds them
};

}  // namespace assay
