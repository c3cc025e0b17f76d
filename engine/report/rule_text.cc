// Values, changes and conditions of a rule in the spelling of its file.
// Lists and maps are written in one line.
#include "engine/report/rule_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {

std::string literal_text(const Node& node) {
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return node.boolean ? "true" : "false";
    case NodeKind::integer:
    case NodeKind::real:
      return node.text.empty() ? fmt::format("{}", node.real) : node.text;
    case NodeKind::string:
      return fmt::format("\"{}\"", node.text);
    case NodeKind::sequence: {
      std::vector<std::string> items;
      for (const Node& item : node.items) items.push_back(literal_text(item));
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    case NodeKind::mapping: {
      std::vector<std::string> items;
      for (const Entry& entry : node.entries)
        items.push_back(fmt::format("{}: {}", entry.key, literal_text(entry.value)));
      return fmt::format("{{{}}}", fmt::join(items, ", "));
    }
  }
  return {};
}

std::string assignment_text(const Assignment& assignment) {
  switch (assignment.kind) {
    case Assignment::Kind::set:
      return fmt::format("{} = {}", assignment.target, literal_text(assignment.literal));
    case Assignment::Kind::compute:
      return fmt::format("{} = {}", assignment.target, assignment.expression.text);
    case Assignment::Kind::unset:
      break;
  }
  return fmt::format("leave out {}", assignment.target);
}

std::string rule_condition(const Rule& rule) {
  std::string text;
  for (const LetBinding& let : rule.lets)
    text += fmt::format("{} = {}\n", let.name, let.expression.text);
  if (!rule.lets.empty()) text += '\n';
  if (rule.when) text += fmt::format("when     {}\n", rule.when->text);
  for (const RuleCase& row : rule.cases)
    text += fmt::format("case     {}  // {}\n", row.when.text, row.label);
  if (rule.require) text += fmt::format("require  {}\n", rule.require->text);
  for (const Assignment& assignment : rule.effect)
    text += fmt::format("effect   {}\n", assignment_text(assignment));
  return text;
}

}  // namespace assay
