// RE2's syntax is read by recursive descent and written again in what both languages agree on.
// Every single character, class or dot becomes a set of bytes and is printed as such, so that the
// differences in what `.`, `\s` or a class mean, and the flags, are gone; anchors and groups are
// the same; a name of a group is left out.
//
// Two things differ in how they are matched, and are refused: the captures of a repeated group, and
// repetitions of what may be empty. Besides, RegExp goes back and tries again where RE2 does not: a
// repetition is translated only of text without choices in it, so that no text makes it
// exponential.
#include "engine/compile/browser_pattern.h"

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <optional>

#include "engine/base/ascii.h"

namespace assay {
namespace {

using ByteSet = std::bitset<256>;

constexpr int kMaxDepth = 100;
constexpr std::string_view kUnicodeClass = "it asks for a class of Unicode";

std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

void add_range(ByteSet& set, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last && i < set.size(); ++i) set.set(i);
}

ByteSet set_of(std::string_view ranges) {  // "azAZ__"
  ByteSet set;
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
    add_range(set, index_of(ranges[i]), index_of(ranges[i + 1]));
  return set;
}

// \d, \s, \w and their opposites.
std::optional<ByteSet> perl_class(char letter) {
  switch (letter) {
    case 'd':
      return set_of("09");
    case 's':
      return set_of("\t\n\f\r  ");
    case 'w':
      return set_of("09AZaz__");
    case 'D':
    case 'S':
    case 'W':
      return ~*perl_class(static_cast<char>(letter - 'A' + 'a'));
    default:
      return std::nullopt;
  }
}

std::optional<ByteSet> posix_class(std::string_view name) {
  struct Named {
    std::string_view name;
    std::string_view ranges;
  };
  static constexpr std::array<Named, 14> kNamed{{{"alnum", "09AZaz"},
                                                 {"alpha", "AZaz"},
                                                 {"ascii", std::string_view("\0\x7f", 2)},
                                                 {"blank", "\t\t  "},
                                                 {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
                                                 {"digit", "09"},
                                                 {"graph", "!~"},
                                                 {"lower", "az"},
                                                 {"print", " ~"},
                                                 {"punct", "!/:@[`{~"},
                                                 {"space", "\t\r  "},
                                                 {"upper", "AZ"},
                                                 {"word", "09AZaz__"},
                                                 {"xdigit", "09AFaf"}}};
  const bool is_negated = name.starts_with('^');
  if (is_negated) name.remove_prefix(1);
  for (const Named& named : kNamed)
    if (named.name == name) return is_negated ? ~set_of(named.ranges) : set_of(named.ranges);
  return std::nullopt;
}

std::string byte_text(std::size_t byte) {
  const char c = static_cast<char>(byte);
  if (byte == '\n') return "\\n";
  if (is_letter(c) || is_digit(c) ||
      (byte < 0x80 && std::string_view(" _,:;'\"=<>%&#@!~`").find(c) != std::string_view::npos))
    return std::string(1, c);
  if (byte > ' ' && byte < 0x7f && c != '-') return {'\\', c};
  return fmt::format("\\x{:02x}", byte);
}

std::string members_text(const ByteSet& set) {
  std::string text;
  for (std::size_t first = 0; first < set.size(); ++first) {
    if (!set[first]) continue;
    std::size_t last = first;
    while (last + 1 < set.size() && set[last + 1]) ++last;
    text += byte_text(first);
    if (last > first + 1) text += '-';
    if (last > first) text += byte_text(last);
    first = last;
  }
  return text;
}

std::string set_text(const ByteSet& set) {
  if (set.count() == 1) return members_text(set);
  if (set.all()) return "[^]";
  return set[0xff] ? "[^" + members_text(~set) + "]" : "[" + members_text(set) + "]";
}

// What a piece of the pattern is, besides its text.
struct Part {
  std::string text;
  bool may_be_empty = false;
  bool has_choice = false;  // alternatives or repetitions
  int groups = 0;           // that capture
};

struct Flags {
  bool ignores_case = false;
  bool is_multiline = false;
  bool dot_takes_newline = false;
  bool swaps_greed = false;
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  tl::expected<std::string, std::string> translate() {
    const Part whole = take_alternatives();
    if (refusal_.empty() && !rest_.empty()) refuse("its parentheses do not match");
    if (!refusal_.empty()) return tl::unexpected(refusal_);
    return whole.text;
  }

 private:
  void refuse(std::string_view why) {
    if (refusal_.empty()) refusal_ = why;
    rest_ = {};
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  char take_byte() {
    if (rest_.empty()) {
      refuse("it ends too early");
      return '\0';
    }
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  Part take_alternatives() {
    if (++depth_ > kMaxDepth) refuse("its groups are nested too deeply");
    const Flags flags = flags_;
    Part all = take_sequence();
    while (is_quoted_ ? false : take("|")) {
      const Part next = take_sequence();
      all.text += "|" + next.text;
      all.may_be_empty |= next.may_be_empty;
      all.has_choice = true;
      all.groups += next.groups;
    }
    flags_ = flags;  // (?i) holds to the end of its group
    --depth_;
    return all;
  }

  Part take_sequence() {
    Part all;
    all.may_be_empty = true;
    while (!rest_.empty() && (is_quoted_ || (rest_[0] != '|' && rest_[0] != ')'))) {
      Part part = take_atom();
      if (!is_quoted_) take_quantifier(part);
      all.text += part.text;
      all.may_be_empty &= part.may_be_empty;
      all.has_choice |= part.has_choice;
      all.groups += part.groups;
    }
    return all;
  }

  Part set_part(const ByteSet& set) const { return {set_text(set), false, false, 0}; }
  static Part mark(std::string text) { return {std::move(text), true, false, 0}; }
  static Part nothing() { return mark({}); }

  Part literal(char c) {
    ByteSet set;
    set.set(index_of(c));
    fold(set);
    return set_part(set);
  }

  void fold(ByteSet& set) {
    if (!flags_.ignores_case) return;
    for (std::size_t i = 'a'; i <= 'z'; ++i)
      if (set[i] || set[i - 'a' + 'A']) set.set(i).set(i - 'a' + 'A');
    for (std::size_t i = 0x80; i < set.size(); ++i)
      if (set[i]) return refuse("it ignores the case of letters that are not English");
  }

  Part take_atom() {
    if (is_quoted_) {
      Part part = rest_.starts_with("\\E") ? nothing() : literal(take_byte());
      if (take("\\E")) is_quoted_ = false;  // a quantifier behind it is for the last byte
      return part;
    }
    if (take("\\")) return take_escape();
    if (take("[")) return take_class();
    if (take("(")) return take_group();
    if (take(".")) {
      ByteSet set = ByteSet().set();
      if (!flags_.dot_takes_newline) set.reset('\n');
      return set_part(set);
    }
    if (take("^")) return mark(flags_.is_multiline ? "(?:^|(?<=\\n))" : "^");
    if (take("$")) return mark(flags_.is_multiline ? "(?=\\n|$)" : "$");
    const char c = take_byte();
    if (c == '*' || c == '+' || c == '?') refuse("it repeats nothing");
    return literal(c);
  }

  Part take_escape() {
    const char c = rest_.empty() ? '\0' : rest_[0];
    if (const auto set = perl_class(c)) {
      rest_.remove_prefix(1);
      return set_part(*set);
    }
    if (take("Q")) {
      is_quoted_ = true;
      return nothing();
    }
    if (take("E")) return nothing();
    if (take("A")) return mark("^");
    if (take("z")) return mark("$");
    if (take("b")) return mark("\\b");
    if (take("B")) return mark("\\B");
    if (take("C")) return set_part(ByteSet().set());
    return literal(take_escaped_byte());
  }

  // Behind the backslash, outside and inside of classes.
  char take_escaped_byte() {
    const char c = take_byte();
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'a':
        return '\a';
      case 'x':
        return take_hexadecimal();
      case 'p':
      case 'P':
        refuse(kUnicodeClass);
        return '\0';
      default:
        break;
    }
    if (c < '0' || c > '7') return c;
    int value = c - '0';
    for (int i = 0; i < 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i)
      value = value * 8 + (take_byte() - '0');
    return byte_of(value);
  }

  char take_hexadecimal() {
    std::string_view digits = rest_.substr(0, 2);
    std::size_t length = 2;
    if (take("{")) {
      digits = rest_.substr(0, rest_.find('}'));
      length = digits.size() + 1;
    }
    int value = 0;
    for (const char digit : digits.substr(0, 6)) {
      const bool is_upper = digit >= 'A' && digit <= 'F';
      value = value * 16 + (is_digit(digit) ? digit - '0' : digit - (is_upper ? 'A' : 'a') + 10);
    }
    rest_.remove_prefix(std::min(length, rest_.size()));
    return byte_of(value);
  }

  char byte_of(int value) {
    if (value < 0 || value > 0xff) refuse("it asks for a character that is no byte");
    return static_cast<char>(value & 0xff);
  }

  Part take_class() {
    const bool is_negated = take("^");
    ByteSet all;
    for (bool is_first = true; is_first || !take("]"); is_first = false) {
      if (rest_.empty()) {
        refuse("a class of it does not end");
        return nothing();
      }
      all |= take_class_item();
    }
    fold(all);
    return set_part(is_negated ? ~all : all);
  }

  ByteSet take_class_item() {
    if (rest_.starts_with("[:")) {
      const auto end = rest_.find(":]", 2);
      const auto named = posix_class(end == std::string_view::npos ? "" : rest_.substr(2, end - 2));
      if (named) {
        rest_.remove_prefix(end + 2);
        return *named;
      }
    }
    if (rest_.size() > 1 && rest_[0] == '\\') {
      if (const auto set = perl_class(rest_[1])) {
        rest_.remove_prefix(2);
        return *set;
      }
    }
    const std::size_t first = take_class_byte();
    std::size_t last = first;
    if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
      take("-");
      last = take_class_byte();
    }
    ByteSet set;
    add_range(set, first, last);
    return set;
  }

  std::size_t take_class_byte() { return index_of(take("\\") ? take_escaped_byte() : take_byte()); }

  Part take_group() {
    const Flags outside = flags_;
    bool captures = true;
    if (take("?P<") || take("?<")) {
      while (!rest_.empty() && take_byte() != '>') {
      }
    } else if (take("?")) {
      captures = false;
      if (!take_flags()) return nothing();  // they hold for what follows
    }
    Part inside = take_alternatives();
    flags_ = outside;
    if (!take(")")) refuse("its parentheses do not match");
    inside.text = (captures ? "(" : "(?:") + inside.text + ")";
    inside.groups += captures ? 1 : 0;
    return inside;
  }

  // "i)", "i:", "s-i:"; true when a group follows.
  bool take_flags() {
    bool value = true;
    while (!rest_.empty()) {
      const char c = take_byte();
      if (c == ':' || c == ')') return c == ':';
      if (c == '-') value = false;
      if (c == 'i') flags_.ignores_case = value;
      if (c == 'm') flags_.is_multiline = value;
      if (c == 's') flags_.dot_takes_newline = value;
      if (c == 'U') flags_.swaps_greed = value;
    }
    refuse("its parentheses do not match");
    return false;
  }

  void take_quantifier(Part& part) {
    std::string quantifier;
    bool is_once = false;
    if (rest_.starts_with('*') || rest_.starts_with('+') || rest_.starts_with('?')) {
      is_once = rest_[0] == '?';
      quantifier = take_byte();
    } else if (const std::size_t length = count_length(); length != 0) {
      quantifier = rest_.substr(0, length);
      rest_.remove_prefix(length);
    } else {
      return;
    }
    const bool is_lazy = take("?") != flags_.swaps_greed;
    if (part.may_be_empty) return refuse("it repeats what may be empty");
    if (!is_once && part.has_choice)
      return refuse("it repeats what has choices or repetitions in it");
    const bool is_a_group =
        part.groups == 1 && part.text.starts_with('(') && !part.text.starts_with("(?:");
    if (!is_once && part.groups > 0 && !is_a_group) return refuse("it repeats a group in a group");
    part.text += quantifier;
    if (is_lazy) part.text += '?';
    part.may_be_empty = quantifier[0] == '*' || is_once || quantifier.starts_with("{0");
    part.has_choice = true;
  }

  // Of "{2}", "{2,}" or "{2,5}" at the start of the rest; 0 when there is none.
  std::size_t count_length() const {
    if (!rest_.starts_with('{') || rest_.size() < 3 || !is_digit(rest_[1])) return 0;
    const auto end = rest_.find_first_not_of("0123456789,", 1);
    return end == std::string_view::npos || rest_[end] != '}' ? 0 : end + 1;
  }

  std::string_view rest_;
  Flags flags_;
  bool is_quoted_ = false;  // between \Q and \E
  int depth_ = 0;
  std::string refusal_;
};

}  // namespace

tl::expected<std::string, std::string> javascript_pattern(std::string_view pattern) {
  return Translator(pattern).translate();
}

}  // namespace assay
