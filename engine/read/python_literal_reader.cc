// Recursive descent with a depth limit. What does not fit (an address, an unquoted repr) is taken
// as a string up to the next comma or closing bracket, so that one odd field does not cost the
// others.
#include "engine/read/python_literal_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/read/argument_conversion.h"

namespace assay {
namespace {

constexpr int kMaxLiteralDepth = 64;

class PythonReader {
 public:
  PythonReader(const MappedText& text, std::size_t begin)
      : in_(text), t_(text.text()), at_(begin) {}

  PythonReading read() {
    PythonReading reading;
    reading.value = read_value(0);
    reading.end = at_;
    reading.is_complete = is_complete_;
    return reading;
  }

 private:
  char peek() const { return at_ < t_.size() ? t_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < t_.size() && (t_[at_] == ' ' || t_[at_] == '\t' || t_[at_] == '\n')) ++at_;
  }
  void give_up() {
    is_complete_ = false;
    at_ = t_.size();
  }

  Node read_value(int depth);
  Node read_string(char quote, std::size_t begin);
  Node read_list(char close, int depth);
  Node read_braces(int depth);
  Node read_enum(std::size_t begin, int depth);
  Node read_bare(int depth);
  Node read_call(int depth);
  Node classify(std::string word, std::size_t begin) const;

  const MappedText& in_;
  std::string_view t_;
  std::size_t at_;
  bool is_complete_ = true;
};

Node PythonReader::read_value(int depth) {
  skip_blanks();
  if (depth > kMaxLiteralDepth || at_ >= t_.size()) {
    give_up();
    return {};
  }
  const auto begin = at_;
  const char c = peek();
  if (c == '\'' || c == '"') return read_string(c, begin);
  const bool has_prefix = (c == 'b' || c == 'r' || c == 'u' || c == 'f') && at_ + 1 < t_.size() &&
                          (t_[at_ + 1] == '\'' || t_[at_ + 1] == '"');
  if (has_prefix) {
    ++at_;
    return read_string(peek(), begin);
  }
  if (c == '[') return read_list(']', depth);
  if (c == '(') return read_list(')', depth);
  if (c == '{') return read_braces(depth);
  if (c == '<') return read_enum(begin, depth);
  return read_bare(depth);
}

Node PythonReader::read_string(char quote, std::size_t begin) {
  static constexpr std::string_view kLetters = "nrtabfv0", kBytes("\n\r\t\a\b\f\v\0", 8);
  std::string text;
  for (++at_; at_ < t_.size(); ++at_) {
    const char c = t_[at_];
    if (c == quote) {
      ++at_;
      return make_string(std::move(text), in_.span(begin, at_));
    }
    if (c != '\\' || at_ + 1 >= t_.size()) {
      text += c;
      continue;
    }
    const char escaped = t_[++at_];
    const auto letter = kLetters.find(escaped);
    if (escaped == 'x' && at_ + 2 < t_.size()) {
      text += static_cast<char>(
          std::strtoul(std::string(t_.substr(at_ + 1, 2)).c_str(), nullptr, 16) & 0xff);
      at_ += 2;
    } else {
      text += letter == std::string_view::npos ? escaped : kBytes[letter];
    }
  }
  is_complete_ = false;
  return make_string(std::move(text), in_.span(begin, at_));
}

Node PythonReader::read_list(char close, int depth) {
  Node list;
  list.kind = NodeKind::sequence;
  const auto begin = at_++;
  while (true) {
    skip_blanks();
    if (peek() == close) break;
    if (at_ >= t_.size()) {
      is_complete_ = false;
      return list;
    }
    const auto before = at_;
    list.items.push_back(read_value(depth + 1));
    skip_blanks();
    if (peek() == ',') {
      ++at_;
    } else if (peek() != close) {
      give_up();
    }
    if (at_ == before) give_up();
  }
  ++at_;
  list.span = in_.span(begin, at_);
  return list;
}

// A dict, or a set, which reads as a list.
Node PythonReader::read_braces(int depth) {
  Node node;
  node.kind = NodeKind::mapping;
  const auto begin = at_++;
  while (true) {
    skip_blanks();
    if (peek() == '}') break;
    if (at_ >= t_.size()) {
      is_complete_ = false;
      return node;
    }
    Node key = read_value(depth + 1);
    skip_blanks();
    if (peek() == ':') {
      ++at_;
      const bool is_new = node.find(key.text) == nullptr || node.entries.size() > 4096;
      Node value = read_value(depth + 1);
      if (is_new) node.entries.push_back({key.text, key.span, std::move(value)});
      skip_blanks();
    } else {
      node.kind = NodeKind::sequence;
      node.items.push_back(std::move(key));
    }
    if (peek() == ',') {
      ++at_;
    } else if (peek() != '}') {
      give_up();
    }
  }
  ++at_;
  node.span = in_.span(begin, at_);
  if (node.kind == NodeKind::sequence) node.entries.clear();
  return node;
}

// <DisaggregationMode.NULL: 'null'>: its value; <Backend.AUTO>: its name; anything else: its text.
Node PythonReader::read_enum(std::size_t begin, int depth) {
  ++at_;
  const auto colon = t_.find_first_of(":>,", at_);
  if (colon != std::string_view::npos && t_[colon] == ':') {
    at_ = colon + 1;
    Node value = read_value(depth + 1);
    skip_blanks();
    if (peek() == '>') {
      ++at_;
      value.span = in_.span(begin, at_);
      return value;
    }
    at_ = begin + 1;
  }
  const auto close = std::min(t_.find('>', at_), t_.size());
  std::string name(t_.substr(at_, close - at_));
  if (const auto dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  at_ = std::min(close + 1, t_.size());
  is_complete_ = is_complete_ && close < t_.size();
  return make_string(std::move(name), in_.span(begin, at_));
}

Node PythonReader::read_bare(int depth) {
  const auto begin = at_;
  const auto end = std::min(t_.find_first_of(",)]}>(:=", at_), t_.size());
  at_ = end;
  if (peek() == '(') return read_call(depth);
  std::string word(t_.substr(begin, end - begin));
  std::erase_if(word, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
  if (word.empty()) {
    give_up();
    return {};
  }
  return classify(std::move(word), begin);
}

Node PythonReader::classify(std::string word, std::size_t begin) const {
  const Span span = in_.span(begin, at_);
  if (word == "True" || word == "False") return make_boolean(word == "True", span);
  Node node = make_string(word, span);
  node.quoted = false;
  if (word == "None") {
    node.kind = NodeKind::null;
    return node;
  }
  const bool is_special = word == "inf" || word == "-inf" || word == "nan";
  if (!is_special && word.find_first_not_of("0123456789+-.eE") != std::string::npos) return node;
  char* end = nullptr;
  node.real = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size()) return node;
  errno = 0;
  node.integer = std::strtoll(word.c_str(), &end, 10);
  const bool is_integer = end == word.c_str() + word.size() && errno != ERANGE;
  node.kind = is_integer ? NodeKind::integer : NodeKind::real;
  return node;
}

// Name(field=value, ...): the fields.
Node PythonReader::read_call(int depth) {
  Node call;
  call.kind = NodeKind::mapping;
  const auto begin = at_++;
  while (true) {
    skip_blanks();
    if (peek() == ')') break;
    const auto key_begin = at_;
    std::string key;
    while (at_ < t_.size() && key.size() < 128) {
      const char c = t_[at_];
      const bool is_name =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (is_name) {
        key += c;
      } else if (c != ' ' && c != '\n') {
        break;
      }
      ++at_;
    }
    if (peek() == '=' && !key.empty()) {
      const Span key_span = in_.span(key_begin, at_);
      ++at_;
      Node value = read_value(depth + 1);
      // A value that is cut off says nothing about the whole.
      if (is_complete_ && (call.entries.size() > 4096 || call.find(key) == nullptr))
        call.entries.push_back({std::move(key), key_span, std::move(value)});
    } else {
      at_ = key_begin;
      read_value(depth + 1);  // a positional argument
    }
    skip_blanks();
    if (peek() == ',') {
      ++at_;
    } else if (peek() != ')') {
      is_complete_ = false;
      break;
    }
  }
  if (peek() == ')') ++at_;
  call.span = in_.span(begin, at_);
  return call;
}

}  // namespace

PythonReading read_python_literal(const MappedText& text, std::size_t begin) {
  return PythonReader(text, begin).read();
}

}  // namespace assay
