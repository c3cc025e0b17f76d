// Splits at braces that stand outside the quotes and inner braces of an expression, so that a map
// literal or a brace in a string needs no escape. `!r` is a conversion only right after a name, a
// closing bracket or a quote: `{a && !r}` is an expression that ends in a negation.
#include "engine/compile/message_template.h"

#include <cctype>
#include <iterator>
#include <utility>

namespace assay {
namespace {

// The offset of the brace that closes the one before `at`, or npos.
std::size_t closing_brace(const std::string& text, std::size_t at) {
  int depth = 1;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at;
    }
  }
  return std::string::npos;
}

bool ends_operand(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ')' || c == ']' ||
         c == '}' || c == '"' || c == '\'';
}

// Takes `!r` or `!s` off the end of an expression.
bool take_conversion(std::string& expression, bool& is_repr) {
  const auto size = expression.size();
  if (size < 3 || expression[size - 2] != '!' || !ends_operand(expression[size - 3])) return false;
  if (expression[size - 1] != 'r' && expression[size - 1] != 's') return false;
  is_repr = expression[size - 1] == 'r';
  expression.resize(size - 2);
  return true;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos;
}

Span span_in(const ExpressionText& message, std::size_t begin, std::size_t end) {
  if (!message.is_verbatim || !message.span.is_known()) return message.span;
  Span span = message.span;
  span.begin += static_cast<std::uint32_t>(begin);
  span.end = message.span.begin + static_cast<std::uint32_t>(end);
  return span;
}

}  // namespace

std::vector<TemplatePiece> split_template(const std::string& text,
                                          std::vector<TemplateFault>& faults) {
  std::vector<TemplatePiece> pieces;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pieces.push_back({std::exchange(literal, {}), false, false, 0});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_doubled = at + 1 < text.size() && text[at + 1] == c;
    if (c != '{' && c != '}') {
      literal += c;
    } else if (is_doubled) {
      literal += c;
      ++at;
    } else if (c == '}') {
      faults.push_back({at, at + 1, "`}` closes nothing in this message; write `}}` for a brace"});
    } else {
      const auto end = closing_brace(text, at + 1);
      if (end == std::string::npos) {
        faults.push_back({at, at + 1, "`{` is not closed in this message; write `{{` for a brace"});
        break;
      }
      flush();
      TemplatePiece piece{text.substr(at + 1, end - at - 1), true, false, at + 1};
      take_conversion(piece.text, piece.is_repr);
      if (is_blank(piece.text))
        faults.push_back({at, end + 1, "`{}` names nothing to print in this message"});
      else
        pieces.push_back(std::move(piece));
      at = end;
    }
  }
  flush();
  return pieces;
}

MessageTemplate compile_message(const ExpressionText& message, const Environment& names,
                                Diagnostics& faults) {
  MessageTemplate result;
  std::vector<TemplateFault> template_faults;
  for (TemplatePiece& piece : split_template(message.text, template_faults)) {
    MessageSegment segment;
    segment.is_expression = piece.is_expression;
    segment.is_repr = piece.is_repr;
    if (piece.is_expression) {
      const ExpressionText expression{
          piece.text, span_in(message, piece.offset, piece.offset + piece.text.size()),
          message.is_verbatim};
      auto predicate = compile_expression(expression, names, Type{});
      if (!predicate) {
        faults.insert(faults.end(), std::make_move_iterator(predicate.error().begin()),
                      std::make_move_iterator(predicate.error().end()));
        continue;
      }
      segment.predicate = std::move(*predicate);
    }
    segment.text = std::move(piece.text);
    result.segments.push_back(std::move(segment));
  }
  for (const TemplateFault& fault : template_faults)
    faults.push_back(make_error(code::expression_syntax, span_in(message, fault.begin, fault.end),
                                fault.message));
  return result;
}

}  // namespace assay
