// RFC 8259 by recursive descent over the validated UTF-8 bytes. Our own, because each value needs
// its place (SARIF regions, edits of a manifest, carets) and nlohmann's SAX interface tells only
// where a whole text failed; and because it keeps the last of two equal keys silently. Strict: no
// comments, no trailing commas, no NaN, no unpaired surrogates.
//
// The first syntax fault ends the reading; duplicate keys before it are reported as well. Recursion
// is bounded by `max_depth`. Strings are copied run by run between escapes.
#include "engine/text/json_reader.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/base/ascii.h"
#include "engine/text/plain_text.h"
#include "engine/text/unique_keys.h"
#include "engine/text/utf8.h"

namespace assay {
namespace {

class JsonParser {
 public:
  JsonParser(std::string_view text, Span span, const DocumentLimits& limits)
      : text_(text), span_(span), limits_(limits) {}

  Result<Node> parse() {
    Node root;
    skip_blanks();
    if (parse_value(root, 0)) {
      skip_blanks();
      if (at_ < text_.size()) fail("expected the end of the text after the value");
    }
    if (!faults_.empty()) return std::move(faults_);
    return root;
  }

 private:
  bool parse_value(Node& node, std::uint32_t depth);
  bool parse_array(Node& node, std::uint32_t depth);
  bool parse_object(Node& node, std::uint32_t depth);
  bool parse_string(std::string& out);
  bool parse_escape(std::string& out);
  std::optional<char32_t> parse_four_hex_digits();
  bool parse_number(Node& node);
  bool parse_word(Node& node, std::string_view word, NodeKind kind);

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  std::uint32_t place(std::size_t offset) const {
    return span_.begin + static_cast<std::uint32_t>(offset);
  }
  bool fail(std::string message, std::string help = {}) {
    return fail_with(code::json_syntax, at_, std::move(message), std::move(help));
  }
  bool fail_with(DiagnosticCode code, std::size_t begin, std::string message,
                 std::string help = {}) {
    const std::size_t end = begin < text_.size() ? begin + 1 : begin;
    faults_.push_back(make_error(code, {span_.source, place(begin), place(end)}, std::move(message),
                                 std::move(help)));
    return false;
  }

  std::string_view text_;
  Span span_;
  const DocumentLimits& limits_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  Diagnostics faults_;
};

bool JsonParser::parse_value(Node& node, std::uint32_t depth) {
  if (++nodes_ > limits_.max_nodes)
    return fail_with(code::file_too_large, at_,
                     "more than " + std::to_string(limits_.max_nodes) + " values");
  const std::size_t begin = at_;
  bool is_read = false;
  switch (peek()) {
    case '{':
      is_read = parse_object(node, depth);
      break;
    case '[':
      is_read = parse_array(node, depth);
      break;
    case '"':
      node.kind = NodeKind::string;
      node.quoted = true;
      is_read = parse_string(node.text);
      break;
    case 't':
      node.boolean = true;
      is_read = parse_word(node, "true", NodeKind::boolean);
      break;
    case 'f':
      is_read = parse_word(node, "false", NodeKind::boolean);
      break;
    case 'n':
      is_read = parse_word(node, "null", NodeKind::null);
      break;
    default:
      is_read = parse_number(node);
  }
  node.span = {span_.source, place(begin), place(at_)};
  return is_read;
}

bool JsonParser::parse_array(Node& node, std::uint32_t depth) {
  node.kind = NodeKind::sequence;
  if (depth >= limits_.max_depth)
    return fail_with(code::nesting_too_deep, at_,
                     "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
  ++at_;
  skip_blanks();
  if (take(']')) return true;
  while (true) {
    if (!parse_value(node.items.emplace_back(), depth + 1)) return false;
    skip_blanks();
    if (take(']')) return true;
    if (!take(',')) return fail("expected `,` or `]`");
    skip_blanks();
    if (peek() == ']') return fail("expected a value after `,`", "remove the last comma");
  }
}

bool JsonParser::parse_object(Node& node, std::uint32_t depth) {
  node.kind = NodeKind::mapping;
  if (depth >= limits_.max_depth)
    return fail_with(code::nesting_too_deep, at_,
                     "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
  ++at_;
  skip_blanks();
  bool is_read = take('}');
  while (!is_read) {
    if (peek() != '"')
      return fail("expected a key in double quotes", peek() == '}' ? "remove the last comma" : "");
    Entry& entry = node.entries.emplace_back();
    const std::size_t begin = at_;
    if (!parse_string(entry.key)) return false;
    entry.key_span = {span_.source, place(begin), place(at_)};
    skip_blanks();
    if (!take(':')) return fail("expected `:` after the key");
    skip_blanks();
    if (!parse_value(entry.value, depth + 1)) return false;
    skip_blanks();
    is_read = take('}');
    if (!is_read && !take(',')) return fail("expected `,` or `}`");
    if (!is_read) skip_blanks();
  }
  remove_duplicate_keys(node.entries, limits_.max_faults, faults_);
  return true;
}

bool JsonParser::parse_string(std::string& out) {
  const std::size_t begin = at_++;
  while (true) {
    const std::size_t run = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20)
      ++at_;
    out.append(text_, run, at_ - run);
    if (at_ == text_.size())
      return fail_with(code::json_syntax, begin, "this string has no closing quote");
    if (take('"')) return true;
    if (text_[at_] != '\\')
      return fail("a control character in a string", "write it as an escape, such as \\n");
    if (!parse_escape(out)) return false;
  }
}

bool JsonParser::parse_escape(std::string& out) {
  const std::size_t begin = at_++;
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const auto simple = at_ < text_.size() ? kNames.find(text_[at_]) : std::string_view::npos;
  if (simple != std::string_view::npos) {
    ++at_;
    out += kMeanings[simple];
    return true;
  }
  if (!take('u')) return fail_with(code::json_syntax, begin, "an escape JSON does not know");
  auto code_point = parse_four_hex_digits();
  if (!code_point)
    return fail_with(code::json_syntax, begin, "expected four hexadecimal digits after `\\u`");
  if (*code_point >= 0xd800 && *code_point < 0xdc00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const auto low = parse_four_hex_digits();
    if (low && *low >= 0xdc00 && *low < 0xe000)
      code_point = 0x10000 + ((*code_point - 0xd800) << 10) + (*low - 0xdc00);
  }
  if (*code_point >= 0xd800 && *code_point < 0xe000)
    return fail_with(code::json_syntax, begin, "half of a surrogate pair is no character");
  append_utf8(out, *code_point);
  return true;
}

std::optional<char32_t> JsonParser::parse_four_hex_digits() {
  const std::string_view digits = text_.substr(at_, 4);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4) return std::nullopt;
  at_ += 4;
  return value;
}

bool JsonParser::parse_number(Node& node) {
  const std::size_t begin = at_;
  const auto take_digits = [&] {
    const std::size_t first = at_;
    while (is_digit(peek())) ++at_;
    return at_ > first;
  };
  take('-');
  if (!take('0') && !take_digits())
    return at_ == begin ? fail("expected a value") : fail("expected a digit after `-`");
  if (is_digit(peek())) return fail("a number does not begin with 0");
  const std::size_t integer_end = at_;
  if (take('.') && !take_digits()) return fail("expected a digit after `.`");
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (!take('+')) take('-');
    if (!take_digits()) return fail("expected a digit in the exponent");
  }
  node.text.assign(text_, begin, at_ - begin);
  const char* first = node.text.data();
  const char* last = first + node.text.size();
  if (at_ == integer_end && std::from_chars(first, last, node.integer).ec == std::errc{}) {
    node.kind = NodeKind::integer;
    node.real = static_cast<double>(node.integer);
    return true;
  }
  node.kind = NodeKind::real;
  // Out of range: strtod says whether that is infinite or zero, from_chars does not.
  if (std::from_chars(first, last, node.real).ec != std::errc{})
    node.real = std::strtod(first, nullptr);
  return true;
}

bool JsonParser::parse_word(Node& node, std::string_view word, NodeKind kind) {
  if (text_.substr(at_, word.size()) != word) return fail("expected a value");
  at_ += word.size();
  node.kind = kind;
  node.text = word;
  return true;
}

}  // namespace

Result<Node> read_json_at(const SourceSet& sources, Span span, const DocumentLimits& limits) {
  if (auto fault = find_text_fault(sources, span, limits.max_bytes)) return std::move(*fault);
  return JsonParser(sources.text(span), span, limits).parse();
}

Result<Node> read_json(const SourceSet& sources, SourceId source, const DocumentLimits& limits) {
  return read_json_at(sources, whole_source(sources, source), limits);
}

}  // namespace assay
