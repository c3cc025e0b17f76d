// A binding becomes a variable of type `dyn`; one that is bound to an error or to nothing known
// gives an error or unknown value when it is read. The answer to an expression that does not
// compile names all that is wrong with it, with line and column.
#include "engine/evaluate/eval_case.h"

#include <vector>

#include "engine/compile/expression_compiler.h"
#include "engine/evaluate/predicate_evaluator.h"
#include "engine/evaluate/tagged_value.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

struct EvalCase {
  std::string expression;
  CompileOptions options;
  Environment environment;
  std::vector<Value> slots;
};

std::string error_answer(std::string_view message) {
  return R"({"error": )" + json_string(message) + "}";
}

std::string answer(const EvalCase& eval_case, Arena& arena) {
  SourceSet sources;
  const SourceId source = sources.add("<expression>", eval_case.expression);
  const Span span = {source, 0, static_cast<std::uint32_t>(eval_case.expression.size())};
  const auto predicate = compile_expression({eval_case.expression, span, true},
                                            eval_case.environment, Type(), eval_case.options);
  if (!predicate) {
    std::string message;
    for (const Diagnostic& fault : predicate.error()) {
      const Position at = sources.get(source).position(fault.span.begin);
      if (!message.empty()) message += "; ";
      message += std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + fault.message;
      if (!fault.help.empty()) message += " (" + fault.help + ")";
    }
    return error_answer(message);
  }
  const Value value = evaluate(*predicate, eval_case.slots, arena);
  if (value.is(ValueKind::error)) return error_answer(value.as_text());
  if (value.is(ValueKind::unknown)) {
    std::string names;
    for (const std::uint32_t slot : value.as_unknown())
      names += (names.empty() ? "" : ", ") + json_string(eval_case.environment.variable(slot).name);
    return R"({"unknown": [)" + names + "]}";
  }
  return R"({"value": )" + tagged_json(value) + "}";
}

// What is wrong with the binding, or empty.
std::string add_binding(const Entry& binding, EvalCase& eval_case, Arena& arena) {
  const std::uint32_t slot = eval_case.environment.declare(binding.key, Type());
  Value value;
  if (const Node* tagged = binding.value.find("value")) {
    const std::optional<Value> read = read_tagged(*tagged, arena);
    if (!read) return "the value of `" + binding.key + "` is not in the tagged form";
    value = *read;
  } else if (const Node* error = binding.value.find("error")) {
    value = Value::error(error->is_string() ? arena.copy(error->text)
                                            : arena.copy("`" + binding.key + "` is an error"));
  } else if (binding.value.find("unknown") != nullptr) {
    auto* slots = arena.allocate_array<std::uint32_t>(1);
    slots[0] = slot;
    value = Value::unknown({slots, 1});
  } else {
    return "the binding `" + binding.key + "` needs `value`, `error` or `unknown`";
  }
  eval_case.slots.push_back(value);
  return {};
}

}  // namespace

std::string answer_eval_case(std::string_view json_line) {
  SourceSet sources;
  const SourceId source = sources.add("<case>", std::string(json_line));
  const Result<Node> node = read_json(sources, source);
  if (!node) return error_answer("the case is not JSON: " + node.error().front().message);
  const Node* expression = node->find("expr");
  if (expression == nullptr || !expression->is_string())
    return error_answer("the case has no string `expr`");
  Arena arena;
  EvalCase eval_case;
  eval_case.expression = expression->text;
  if (const Node* unchecked = node->find("unchecked"); unchecked != nullptr)
    eval_case.options.check_types = !unchecked->boolean;
  if (const Node* container = node->find("container"); container != nullptr)
    eval_case.options.container = container->text;
  if (const Node* bindings = node->find("bindings"); bindings != nullptr) {
    for (const Entry& binding : bindings->entries) {
      const std::string fault = add_binding(binding, eval_case, arena);
      if (!fault.empty()) return error_answer(fault);
    }
  }
  return answer(eval_case, arena);
}

std::string answer_eval_expression(std::string_view expression) {
  EvalCase eval_case;
  eval_case.expression = expression;
  Arena arena;
  return answer(eval_case, arena);
}

}  // namespace assay
