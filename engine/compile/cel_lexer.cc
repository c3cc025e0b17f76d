// Lexical analysis as the language definition's lexis has it: longest match, `//` comments, strings
// in one or three quotes with the prefixes r and b in either case and order. A sign is no part of a
// number here; the parser joins them, so that -9223372036854775808 can be written.
#include "engine/compile/cel_lexer.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"
#include "engine/compile/code_points.h"

namespace assay {
namespace {

bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<SyntaxFault>& faults) : text_(text), faults_(faults) {}

  std::vector<Token> run() {
    while (true) {
      skip_space_and_comments();
      begin_ = at_;
      if (at_ == text_.size()) break;
      lex_token();
    }
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), static_cast<std::uint32_t>(begin_),
                       static_cast<std::uint32_t>(at_)});
  }
  void fault(std::size_t begin, std::size_t end, std::string message, std::string help = {}) {
    faults_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       std::move(message), std::move(help)});
  }

  void skip_space_and_comments() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void lex_token() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return lex_number();
    if (c == '"' || c == '\'' || string_prefix_size() > 0) return lex_string();
    if (is_name_start(c)) {
      while (is_name_part(peek())) ++at_;
      return add(TokenKind::name, std::string(text_.substr(begin_, at_ - begin_)));
    }
    if (c == '`') return lex_quoted_name();
    lex_symbol();
  }

  // Bytes of r, b, rb, br (any case) in front of a quote; 0 when it is no string.
  std::size_t string_prefix_size() const {
    const auto is_letter = [](char c, char lower) { return c == lower || c == lower - 32; };
    const auto is_quote = [](char c) { return c == '"' || c == '\''; };
    const char a = peek();
    const char b = peek(1);
    if ((is_letter(a, 'r') || is_letter(a, 'b')) && is_quote(b)) return 1;
    const bool both =
        (is_letter(a, 'r') && is_letter(b, 'b')) || (is_letter(a, 'b') && is_letter(b, 'r'));
    return both && is_quote(peek(2)) ? 2 : 0;
  }

  void lex_number() {
    TokenKind kind = TokenKind::integer;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at_ += 2;
      const std::size_t digits = at_;
      while (is_hexadecimal(peek())) ++at_;
      if (at_ == digits) fault(begin_, at_, "a hexadecimal number without digits");
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) {
        kind = TokenKind::real;
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      if (peek() == 'e' || peek() == 'E') {
        const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if (is_digit(peek(1 + sign))) {
          kind = TokenKind::real;
          at_ += 1 + sign;
          while (is_digit(peek())) ++at_;
        }
      }
    }
    std::string digits(text_.substr(begin_, at_ - begin_));
    if (kind == TokenKind::integer && (peek() == 'u' || peek() == 'U')) {
      ++at_;
      kind = TokenKind::unsigned_integer;
    }
    if (is_name_part(peek())) {
      while (is_name_part(peek())) ++at_;
      fault(begin_, at_,
            "`" + std::string(text_.substr(begin_, at_ - begin_)) + "` is not a number");
    }
    add(kind, std::move(digits));
  }

  void lex_string() {
    const std::size_t prefix = string_prefix_size();
    bool is_raw = false;
    bool is_bytes = false;
    for (std::size_t i = 0; i < prefix; ++i) {
      is_raw |= peek(i) == 'r' || peek(i) == 'R';
      is_bytes |= peek(i) == 'b' || peek(i) == 'B';
    }
    at_ += prefix;
    const char quote = peek();
    const bool is_triple = peek(1) == quote && peek(2) == quote;
    at_ += is_triple ? 3 : 1;
    const std::size_t body_begin = at_;
    const TokenKind kind = is_bytes ? TokenKind::bytes : TokenKind::string;
    if (!find_closing_quote(quote, is_triple, is_raw)) {
      fault(begin_, at_, "a string without its closing quote");
      return add(kind, "");
    }
    const std::string_view body = text_.substr(body_begin, at_ - body_begin);
    at_ += is_triple ? 3 : 1;
    std::string decoded;
    EscapeFault escape_fault;
    if (is_raw)
      decoded = body;
    else if (!decode_escapes(body, is_bytes, decoded, escape_fault))
      fault(body_begin + escape_fault.begin, body_begin + escape_fault.end, escape_fault.message);
    if (!is_utf8(body)) fault(begin_, at_, "text that is not UTF-8");
    add(kind, std::move(decoded));
  }

  // Moves to the closing quote; false when the line or the text ends before.
  bool find_closing_quote(char quote, bool is_triple, bool is_raw) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == quote && (!is_triple || (peek(1) == quote && peek(2) == quote))) return true;
      if (!is_triple && (c == '\n' || c == '\r')) return false;
      at_ += c == '\\' && !is_raw && at_ + 1 < text_.size() ? 2 : 1;
    }
    return false;
  }

  void lex_quoted_name() {
    const std::size_t close = text_.find_first_of("`\n", begin_ + 1);
    if (close == std::string_view::npos || text_[close] == '\n' || close == begin_ + 1) {
      at_ = std::min(close, text_.size());
      fault(begin_, at_, "a quoted field name without its closing backtick");
      if (at_ == begin_ + 1) ++at_;
      at_ = std::min(at_, text_.size());
      return add(TokenKind::quoted_name, "");
    }
    at_ = close + 1;
    const std::string_view name = text_.substr(begin_ + 1, close - begin_ - 1);
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
      return is_name_part(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    });
    if (!is_plain)
      fault(begin_, at_, "a quoted field name may hold letters, digits and `_.-/ ` only");
    add(TokenKind::quoted_name, std::string(name));
  }

  void lex_symbol() {
    constexpr std::array<std::string_view, 6> kPairs = {"<=", ">=", "==", "!=", "&&", "||"};
    for (const std::string_view pair : kPairs) {
      if (text_.substr(at_, 2) != pair) continue;
      at_ += 2;
      return add(TokenKind::symbol, std::string(pair));
    }
    const char c = peek();
    if (std::string_view("()[]{},.:?+-*/%!<>").find(c) != std::string_view::npos) {
      ++at_;
      return add(TokenKind::symbol, std::string(1, c));
    }
    at_ += code_point_at(text_, at_).size;
    const std::string found(text_.substr(begin_, at_ - begin_));
    std::string help;
    if (c == '=') help = "equality is written `==`";
    if (c == '&') help = "logical and is written `&&`";
    if (c == '|') help = "logical or is written `||`";
    const bool is_printable = static_cast<unsigned char>(c) > 0x20 && c != 0x7f && is_utf8(found);
    fault(begin_, at_,
          is_printable ? "unexpected character `" + found + "`"
                       : "unexpected character that does not print",
          std::move(help));
  }

  std::string_view text_;
  std::vector<SyntaxFault>& faults_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

}  // namespace

std::vector<Token> lex_expression(std::string_view text, std::vector<SyntaxFault>& faults) {
  return Lexer(text, faults).run();
}

bool is_keyword(std::string_view name) {
  return name == "true" || name == "false" || name == "null" || name == "in";
}

bool is_reserved_word(std::string_view name) {
  constexpr std::array<std::string_view, 17> kWords = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

}  // namespace assay
