// Printing of predicates, for tests and for people.
#include "engine/compile/predicate.h"

#include <fmt/format.h>

#include <array>

#include "engine/compile/cel_functions.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 35> kOpcodeNames = {
    "push_constant", "push_slot",    "push_local", "drop_below",    "equal",    "not_equal",
    "less",          "less_equal",   "greater",    "greater_equal", "in",       "add",
    "subtract",      "multiply",     "divide",     "remainder",     "negate",   "logical_not",
    "index",         "select",       "has",        "make_list",     "make_map", "jump",
    "jump_if_false", "jump_if_true", "merge_and",  "merge_or",      "choose",   "call",
    "match_pattern", "loop_begin",   "loop_next",  "loop_filter",   "loop_step"};

}  // namespace

std::string_view to_string(Opcode opcode) {
  const auto index = static_cast<std::size_t>(opcode);
  return index < kOpcodeNames.size() ? kOpcodeNames[index] : "loop_end";
}

std::string print_predicate(const Predicate& predicate) {
  std::string text;
  for (std::size_t i = 0; i < predicate.code().size(); ++i) {
    const Instruction& instruction = predicate.code()[i];
    text += fmt::format("{:04} {}", i, to_string(instruction.opcode));
    switch (instruction.opcode) {
      case Opcode::call:
        text += fmt::format(" {} {}", to_string(static_cast<FunctionId>(instruction.operand)),
                            instruction.base);
        break;
      case Opcode::select:
      case Opcode::has:
        text += fmt::format(" {}", predicate.constants()[instruction.operand].as_text());
        break;
      case Opcode::match_pattern:
        text += fmt::format(" {}", predicate.patterns()[instruction.operand].pattern());
        break;
      case Opcode::push_constant:
        text += fmt::format(" {} {}", instruction.operand,
                            to_string(predicate.constants()[instruction.operand].kind()));
        break;
      default:
        text += fmt::format(" {}", instruction.operand);
    }
    text += '\n';
  }
  return text;
}

}  // namespace assay
