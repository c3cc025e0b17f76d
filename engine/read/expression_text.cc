// The shorthand is written out as text, so that everything behind (compiler, documentation,
// reports) knows one form only. A JSON path in a key stays a dotted selection.
#include "engine/read/expression_text.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/read/document_reader.h"
#include "engine/read/fact_names.h"

namespace assay {
namespace {

std::string_view without_blanks_behind(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string real_literal(double value) {
  if (std::isnan(value)) return "double(\"NaN\")";
  if (std::isinf(value)) return value > 0 ? "double(\"Infinity\")" : "double(\"-Infinity\")";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Of a scalar.
std::string cel_literal(const Node& node) {
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return node.boolean ? "true" : "false";
    case NodeKind::integer:
      return std::to_string(node.integer);
    case NodeKind::real:
      return real_literal(node.real);
    case NodeKind::string:
    case NodeKind::sequence:
    case NodeKind::mapping:
      break;
  }
  return quote_cel_string(node.text);
}

std::optional<std::string> read_comparison(const Entry& entry, Diagnostics& faults) {
  const Node& value = entry.value;
  if (value.is_scalar()) return entry.key + " == " + cel_literal(value);
  const auto refuse = [&](const Node& at, std::string_view expected) {
    faults.push_back(wrong_type(fmt::format("the value of `{}`", entry.key), expected, at));
    faults.back().help = "write the condition as an expression";
    return std::nullopt;
  };
  if (value.kind == NodeKind::mapping) return refuse(value, "a scalar or a list of scalars");
  if (value.items.empty()) {
    faults.push_back(make_error(code::invalid_value, value.span,
                                fmt::format("`{}` can be none of an empty list", entry.key)));
    return std::nullopt;
  }
  std::string literals;
  for (const Node& item : value.items) {
    if (!item.is_scalar()) return refuse(item, "a list of scalars");
    if (!literals.empty()) literals += ", ";
    literals += cel_literal(item);
  }
  return fmt::format("{} in [{}]", entry.key, literals);
}

}  // namespace

std::string quote_cel_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

TextPlace place_of_text(const SourceSet& sources, const Node& node, std::string_view text) {
  const std::string_view written = sources.text(node.span);
  const auto at = text.empty() ? std::string_view::npos : written.find(text);
  if (at == std::string_view::npos) return {node.span, false};
  const auto begin = node.span.begin + static_cast<std::uint32_t>(at);
  return {{node.span.source, begin, begin + static_cast<std::uint32_t>(text.size())}, true};
}

std::optional<ExpressionText> read_expression(const SourceSet& sources, const Node& node,
                                              std::string_view what, Diagnostics& faults) {
  ExpressionText expression;
  if (node.is_string()) {
    expression.text = without_blanks_behind(node.text);
  } else if (node.is_scalar() && node.kind != NodeKind::null) {
    expression.text = cel_literal(node);
  } else {
    faults.push_back(wrong_type(what, "an expression", node));
    return std::nullopt;
  }
  if (expression.text.empty()) {
    faults.push_back(make_error(code::invalid_value, node.span, fmt::format("{} is empty", what)));
    return std::nullopt;
  }
  const TextPlace place = place_of_text(sources, node, expression.text);
  expression.span = place.span;
  expression.is_verbatim = place.is_verbatim;
  return expression;
}

std::optional<ExpressionText> read_condition(const SourceSet& sources, const Node& node,
                                             std::string_view what, const NameCheck& check_name,
                                             Diagnostics& faults) {
  if (node.kind != NodeKind::mapping) return read_expression(sources, node, what, faults);
  ExpressionText condition;
  condition.span = node.span;
  if (node.entries.empty())
    faults.push_back(
        make_error(code::invalid_value, node.span, fmt::format("{} has no condition", what)));
  for (const Entry& entry : node.entries) {
    if (is_dotted_name(entry.key))
      check_name(entry.key, entry.key_span);
    else
      faults.push_back(make_error(code::invalid_value, entry.key_span,
                                  fmt::format("`{}` is not the name of a fact", entry.key)));
    const auto comparison = read_comparison(entry, faults);
    if (!comparison) continue;
    if (!condition.text.empty()) condition.text += " && ";
    condition.text += *comparison;
  }
  return condition;
}

}  // namespace assay
