// The passes in their order: parse (with macros), resolve names, check types, flatten. A pass runs
// only when those before it found nothing, but for names and types, which are reported together: a
// name that is not declared counts as `dyn`.
#include "engine/compile/expression_compiler.h"

#include <utility>

#include "engine/compile/cel_faults.h"
#include "engine/compile/cel_name_resolver.h"
#include "engine/compile/cel_parser.h"
#include "engine/compile/cel_type_checker.h"
#include "engine/compile/cel_types.h"
#include "engine/compile/predicate_compiler.h"

namespace assay {

Result<Predicate> compile_expression(const ExpressionText& expression,
                                     const Environment& environment, const Type& expected,
                                     const CompileOptions& options) {
  ExpressionFaults faults(expression);
  ParseFaults parse_faults;
  std::optional<SyntaxTree> tree = parse_expression(expression.text, options.limits, parse_faults);
  for (const SyntaxFault& fault : parse_faults.syntax) faults.add(code::expression_syntax, fault);
  for (const SyntaxFault& fault : parse_faults.size) faults.add(code::expression_too_large, fault);
  if (!tree) return faults.take();

  resolve_names(*tree, environment, options, faults);
  Type type;
  if (options.check_types) {
    type = check_types(*tree, environment, faults);
    if (!faults.any() && !is_assignable(type, expected)) {
      const SyntaxNode& root = (*tree)[tree->root];
      faults.add(code::type_mismatch, root.begin, root.end,
                 "this is " + to_string(type) + ", and " + to_string(expected) + " is needed");
    }
  }
  Predicate predicate;
  if (!faults.any())
    predicate = PredicateBuilder::build(*tree, environment, std::move(type), options, faults);
  if (faults.any()) return faults.take();
  return predicate;
}

}  // namespace assay
