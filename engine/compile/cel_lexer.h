// Tokens of an expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/value.h"

namespace assay {

enum class TokenKind : std::uint8_t {
  end,
  name,              // text: the identifier; keywords and reserved words too
  quoted_name,       // `...`: text without the backticks
  integer,           // text: as written, without sign
  unsigned_integer,  // text: without the u
  real,
  string,  // text: decoded
  bytes,   // text: decoded
  symbol,  // text: ( ) [ ] { } , . : ? + - * / % ! < <= > >= == != && ||
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  std::uint32_t begin = 0;  // byte offsets in the expression
  std::uint32_t end = 0;
};

// A fault in the text of an expression, before it is given its place in a source.
struct SyntaxFault {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string message;
  std::string help;
};

// The tokens of `text`, the last of kind `end`. Faults are appended; a token with a fault is still
// there, so that all of them are found.
std::vector<Token> lex_expression(std::string_view text, std::vector<SyntaxFault>& faults);

bool is_keyword(std::string_view name);        // true, false, null, in
bool is_reserved_word(std::string_view name);  // as, break, const, ...

// The value of a token of kind integer, unsigned_integer or real, with the sign in front of it.
// Returns what is wrong: it does not fit.
std::string read_number_token(const Token& token, bool is_negative, Value& value);

// Decodes the inside of a quoted literal with escapes. On a fault: false, with the byte range of it
// in `body` and what is wrong.
struct EscapeFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};
bool decode_escapes(std::string_view body, bool is_bytes, std::string& decoded, EscapeFault& fault);

}  // namespace assay
