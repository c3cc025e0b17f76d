// int() and float() as Python has them: blanks around, underscores between digits, a sign, inf and
// nan. An integer beyond 64 bits, which Python would take, becomes a real (text/document.h).
#include "engine/read/argument_conversion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/base/ascii.h"
#include "engine/read/python_text.h"

namespace assay {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Without its underscores; nothing when one does not stand between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
      continue;
    }
    const bool is_between =
        i > 0 && is_digit(text[i - 1]) && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!is_between) return {};
  }
  return result;
}

bool read_int(std::string_view text, Node& value) {
  const auto digits = without_underscores(trim(text));
  if (!digits) return false;
  const std::size_t sign = digits->starts_with('-') || digits->starts_with('+') ? 1 : 0;
  const bool is_number =
      digits->size() > sign && digits->size() < 4300 &&
      std::all_of(digits->begin() + static_cast<std::ptrdiff_t>(sign), digits->end(), is_digit);
  if (!is_number) return false;
  errno = 0;
  value.integer = std::strtoll(digits->c_str(), nullptr, 10);
  value.kind = errno == ERANGE ? NodeKind::real : NodeKind::integer;
  value.real = std::strtod(digits->c_str(), nullptr);
  value.text = *digits;
  return true;
}

bool read_float(std::string_view text, Node& value) {
  const auto written = without_underscores(trim(text));
  if (!written || written->empty()) return false;
  std::string lower = *written;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view bare =
      lower[0] == '-' || lower[0] == '+' ? std::string_view(lower).substr(1) : lower;
  const bool is_word = bare == "inf" || bare == "infinity" || bare == "nan";
  // strtod would take hexadecimal numbers as well.
  if (!is_word && lower.find_first_not_of("0123456789+-.e") != std::string::npos) return false;
  char* end = nullptr;
  value.real = std::strtod(lower.c_str(), &end);
  if (end != lower.c_str() + lower.size()) return false;
  value.kind = NodeKind::real;
  value.text = *written;
  return true;
}

bool read_bool(std::string_view text, Node& value) {
  const std::string_view word = trim(text);
  const bool is_true = word == "true" || word == "True" || word == "1";
  if (!is_true && word != "false" && word != "False" && word != "0") return false;
  value.kind = NodeKind::boolean;
  value.boolean = is_true;
  return true;
}

bool is_power_of_ten(std::int64_t factor) {
  while (factor % 10 == 0) factor /= 10;
  return factor == 1;
}

// "25.6k" where the fact has a suffix k: digits, perhaps a fraction, and the suffix. The product is
// computed on the digits, so that 25.6k is exactly 25600; a fraction that it leaves is cut off.
bool read_with_unit(const FactDeclaration& fact, std::string_view text, Node& value) {
  text = trim(text);
  const auto letters = text.find_first_not_of("0123456789.");
  if (letters == std::string_view::npos || letters == 0) return false;
  for (const auto& [suffix, factor] : fact.unit_suffixes) {
    if (text.substr(letters) != suffix) continue;
    const std::string_view number = text.substr(0, letters);
    const auto point = number.find('.');
    const std::string whole(number.substr(0, point));
    std::string_view fraction = point == std::string_view::npos ? "" : number.substr(point + 1);
    const bool has_fraction = point != std::string_view::npos;
    if (whole.empty() || whole.size() > 18 || fraction.find('.') != std::string_view::npos ||
        (has_fraction && (fraction.empty() || !is_power_of_ten(factor))))
      return false;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(std::strtoll(whole.c_str(), nullptr, 10), factor, &product))
      return false;
    for (std::int64_t place = factor / 10; place > 0 && !fraction.empty(); place /= 10) {
      if (__builtin_add_overflow(product, (fraction[0] - '0') * place, &product)) return false;
      fraction.remove_prefix(1);
    }
    value.kind = NodeKind::integer;
    value.integer = product;
    value.real = static_cast<double>(product);
    value.text = std::to_string(product);
    return true;
  }
  return false;
}

TypeKind element_kind(const FactDeclaration& fact) {
  if (fact.type.kind != TypeKind::list) return fact.type.kind;
  return fact.type.parameters.empty() ? TypeKind::dynamic : fact.type.parameters[0].kind;
}

ConversionFault not_a(std::string_view type, std::string_view text) {
  return {"invalid " + std::string(type) + " value: " + python_repr(text), false};
}

std::optional<ConversionFault> convert_scalar(const FactDeclaration& fact, const Node& node,
                                              Node& value) {
  const TypeKind kind = element_kind(fact);
  if (node.kind == NodeKind::string) {
    auto fault = convert_text(fact, node.text, value);
    value.span = node.span;
    return fault;
  }
  value = node;
  const bool is_number = node.kind == NodeKind::integer || node.kind == NodeKind::real;
  if (kind == TypeKind::real && is_number) {
    value.kind = NodeKind::real;
    return {};
  }
  const bool fits = (kind == TypeKind::integer && node.kind == NodeKind::integer) ||
                    (kind == TypeKind::boolean && node.kind == NodeKind::boolean) ||
                    kind == TypeKind::dynamic;
  if (fits) return {};
  if (kind == TypeKind::string && node.is_scalar() && node.kind != NodeKind::null) {
    value = make_string(node.text, node.span);
    return {};
  }
  return not_a(to_string(Type::of(kind)), node.is_scalar() ? node.text : python_repr(node));
}

}  // namespace

Node make_string(std::string text, Span span) {
  Node node;
  node.kind = NodeKind::string;
  node.quoted = true;
  node.span = span;
  node.text = std::move(text);
  return node;
}

Node make_boolean(bool value, Span span) {
  Node node;
  node.kind = NodeKind::boolean;
  node.boolean = value;
  node.text = value ? "true" : "false";
  node.span = span;
  return node;
}

bool is_a_choice(const FactDeclaration& fact, const Node& value) {
  if (fact.choices.empty()) return true;
  return std::any_of(fact.choices.begin(), fact.choices.end(), [&](const Node& choice) {
    const bool are_numbers = (choice.kind == NodeKind::integer || choice.kind == NodeKind::real) &&
                             (value.kind == NodeKind::integer || value.kind == NodeKind::real);
    if (are_numbers) return choice.real == value.real;
    if (choice.kind == NodeKind::boolean || value.kind == NodeKind::boolean)
      return choice.kind == value.kind && choice.boolean == value.boolean;
    return choice.kind == value.kind && choice.text == value.text;
  });
}

ConversionFault choice_fault(const FactDeclaration& fact, const Node& value) {
  std::string choices;
  for (const Node& choice : fact.choices) {
    if (!choices.empty()) choices += ", ";
    choices += python_repr(choice);
  }
  return {"invalid choice: " + python_repr(value) + " (choose from " + choices + ")", true};
}

std::optional<ConversionFault> convert_text(const FactDeclaration& fact, std::string_view text,
                                            Node& value) {
  const Span span = value.span;
  value = make_string(std::string(text), span);
  Node converted = value;
  converted.quoted = false;
  switch (element_kind(fact)) {
    case TypeKind::integer:
    case TypeKind::unsigned_integer:
      if (!read_int(text, converted) && !read_with_unit(fact, text, converted))
        return not_a("int", text);
      break;
    case TypeKind::real:
      if (!read_float(text, converted)) return not_a("float", text);
      break;
    case TypeKind::boolean:
      if (!read_bool(text, converted)) return not_a("bool", text);
      break;
    default:
      converted.quoted = true;
  }
  value = std::move(converted);
  if (!is_a_choice(fact, value)) return choice_fault(fact, value);
  return {};
}

std::optional<ConversionFault> convert_node(const FactDeclaration& fact, const Node& node,
                                            Node& value) {
  value = node;
  if (node.kind == NodeKind::null) {
    if (fact.type.is_nullable) return {};
    return ConversionFault{"null is not a value of type " + to_string(fact.type), false};
  }
  const bool is_document =
      fact.is_json || fact.type.kind == TypeKind::map || fact.type.kind == TypeKind::dynamic;
  if (is_document) return {};
  if (fact.type.kind != TypeKind::list) {
    auto fault = convert_scalar(fact, node, value);
    if (!fault && !is_a_choice(fact, value)) return choice_fault(fact, value);
    return fault;
  }
  std::vector<Node> items;
  const std::vector<Node> single{node};
  for (const Node& item : node.kind == NodeKind::sequence ? node.items : single) {
    Node converted;
    converted.span = item.span;
    if (auto fault = convert_scalar(fact, item, converted)) return fault;
    if (!is_a_choice(fact, converted)) return choice_fault(fact, converted);
    items.push_back(std::move(converted));
  }
  value = {};
  value.kind = NodeKind::sequence;
  value.span = node.span;
  value.items = std::move(items);
  return {};
}

}  // namespace assay
