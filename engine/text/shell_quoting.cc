// Writing words for a shell: bare when every byte is harmless, single quotes otherwise (nothing is
// special inside them), $'...' only for control characters, which no other form can carry on one
// line.
#include <cstdio>

#include "engine/text/shell_words.h"

namespace assay {
namespace {

bool is_harmless(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') ||
         std::string_view("-_./:=,+@%^").find(c) != std::string_view::npos ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string quote_with_escapes(std::string_view word) {
  std::string quoted = "$'";
  for (const char c : word) {
    if (is_control(c)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\%03o",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      quoted += escape;
    } else {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string quote_shell_word(std::string_view word) {
  bool is_bare = !word.empty();
  for (const char c : word) {
    if (is_control(c)) return quote_with_escapes(word);
    is_bare = is_bare && is_harmless(c);
  }
  if (is_bare) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string escape_for_double_quotes(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '$' || c == '`' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace assay
