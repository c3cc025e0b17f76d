// A shape is compared as a string in which one byte that no message has stands for an open part:
// the outer one is then a wildcard pattern, matched with the usual back-up to the last wildcard.
#include "engine/compile/message_shape.h"

#include <cctype>
#include <utility>

#include "engine/compile/message_template.h"

namespace assay {
namespace {

constexpr char kOpen = '\0';

void add_literal(MessageShape& shape, char c) {
  if (shape.empty() || shape.back().is_open) shape.push_back({});
  shape.back().text += c;
}

void add_open(MessageShape& shape) {
  if (shape.empty() || !shape.back().is_open) shape.push_back({true, {}});
}

// The offset after the bracketed part that begins at `at`, or npos.
std::size_t end_of_brackets(std::string_view pattern, std::size_t at) {
  int depth = 0;
  bool in_class = false;
  for (; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (at + 1 < pattern.size() && (pattern[at + 1] == ']' || pattern[at + 1] == '^')) ++at;
      if (depth == 0) depth = -1;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return at + 1;
    }
    if (depth == -1 && !in_class) return at + 1;
  }
  return std::string_view::npos;
}

// After a quantifier at `at`, if there is one.
std::size_t skip_quantifier(std::string_view pattern, std::size_t at) {
  if (at >= pattern.size()) return at;
  if (pattern[at] == '{') {
    const auto end = pattern.find('}', at);
    at = end == std::string_view::npos ? at : end + 1;
  } else if (pattern[at] == '*' || pattern[at] == '+' || pattern[at] == '?') {
    ++at;
  } else {
    return at;
  }
  return at < pattern.size() && pattern[at] == '?' ? at + 1 : at;
}

std::string flatten(const MessageShape& shape) {
  std::string text;
  for (const ShapePart& part : shape) text += part.is_open ? std::string(1, kOpen) : part.text;
  return text;
}

bool matches_wildcard(const std::string& outer, const std::string& inner) {
  std::size_t at = 0;
  std::size_t wildcard = std::string::npos;
  std::size_t resume = 0;
  for (std::size_t i = 0; i < inner.size();) {
    if (at < outer.size() && outer[at] == kOpen) {
      wildcard = at++;
      resume = i;
    } else if (at < outer.size() && outer[at] == inner[i]) {
      ++at;
      ++i;
    } else if (wildcard != std::string::npos) {
      at = wildcard + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (at < outer.size() && outer[at] == kOpen) ++at;
  return at == outer.size();
}

}  // namespace

std::optional<MessageShape> shape_of_template(const std::string& text) {
  std::vector<TemplateFault> faults;
  MessageShape shape;
  for (const TemplatePiece& piece : split_template(text, faults)) {
    if (piece.is_expression) add_open(shape);
    if (!piece.is_expression)
      for (const char c : piece.text) add_literal(shape, c);
  }
  if (!faults.empty()) return std::nullopt;
  return shape;
}

MessageShape shape_of_record_message(std::string_view text) {
  MessageShape shape;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto end = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      add_literal(shape, text[at]);
      continue;
    }
    add_open(shape);
    at = end;
  }
  return shape;
}

std::optional<MessageShape> shape_of_pattern(std::string_view pattern) {
  MessageShape shape;
  std::size_t at = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (c == '|' || c == '*' || c == '+' || c == '?' || c == ')' ||
        pattern.substr(at).starts_with("(?"))
      if (!pattern.substr(at).starts_with("(?:") && !pattern.substr(at).starts_with("(?P<"))
        return std::nullopt;
    if (c == '^' || c == '$') {
      ++at;
      continue;
    }
    const bool is_group = c == '(' || c == '[';
    if (is_group || c == '.') {
      at = is_group ? end_of_brackets(pattern, at) : at + 1;
      if (at == std::string_view::npos) return std::nullopt;
      at = skip_quantifier(pattern, at);
      add_open(shape);
      continue;
    }
    char literal = c;
    ++at;
    if (c == '\\') {
      if (at == pattern.size()) return std::nullopt;
      literal = pattern[at++];
      if (literal == 'd' || literal == 'w' || literal == 's' || literal == 'S' || literal == 'D' ||
          literal == 'W') {
        at = skip_quantifier(pattern, at);
        add_open(shape);
        continue;
      }
      if (literal == 'n')
        literal = '\n';
      else if (literal == 't')
        literal = '\t';
      else if (std::isalnum(static_cast<unsigned char>(literal)) != 0)
        return std::nullopt;
    }
    if (skip_quantifier(pattern, at) != at && pattern[at] != '{') return std::nullopt;
    if (literal == kOpen) return std::nullopt;
    add_literal(shape, literal);
  }
  return shape;
}

bool covers(const MessageShape& outer, const MessageShape& inner) {
  return matches_wildcard(flatten(outer), flatten(inner));
}

bool covers_part(const MessageShape& outer, const MessageShape& inner) {
  return matches_wildcard(kOpen + flatten(outer) + kOpen, flatten(inner));
}

std::string to_string(const MessageShape& shape) {
  std::string text;
  for (const ShapePart& part : shape) text += part.is_open ? "{}" : part.text;
  return text;
}

}  // namespace assay
