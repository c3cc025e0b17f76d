// Terminal sequences after ECMA-48: ESC [ parameters final, ESC ] ... BEL or ESC \, ESC and one
// byte. One that does not end within its line, or within 256 bytes, loses only its ESC: a hostile
// or cut one must not swallow text. HTML entities are those that a browser's copy or a ticket
// system leaves in a log.
#include "engine/text/log_escapes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxSequence = 256;

// ' or " for a typographic quotation mark, the character itself for ASCII, else 0.
char plain_character(std::uint32_t code) {
  if (code == 0x2018 || code == 0x2019 || code == 0x201a || code == 0x201b) return '\'';
  if (code >= 0x201c && code <= 0x201f) return '"';
  if (code == 0xa0) return ' ';
  return code < 0x80 ? static_cast<char>(code) : '\0';
}

Sequence meaning(std::size_t length, std::uint32_t code) {
  const char byte = plain_character(code);
  return byte == 0 ? Sequence{} : Sequence{length, true, byte};
}

// Of "[1;36m" where the next eight bytes end it: the first byte from '@' up is the final one. Eight
// bytes at once, since colours are what a log has most of; 0 where that does not tell.
std::size_t short_control_length(std::string_view rest) {
  if (rest.size() < 9) return 0;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, rest.data() + 1, 8);
  constexpr std::uint64_t kBit6 = 0x4040404040404040u;
  constexpr std::uint64_t kBit7 = 0x8080808080808080u;
  const std::uint64_t finals = bytes & kBit6;
  if (finals == 0 || std::endian::native != std::endian::little) return 0;
  const int at = std::countr_zero(finals) / 8;
  const std::uint64_t up_to_final = ~std::uint64_t{0} >> (56 - 8 * at);
  const std::uint64_t before = up_to_final >> 8;
  // A control character has neither bit 5 nor bit 6.
  const std::uint64_t controls = ~(bytes | bytes << 1) & kBit6;
  if ((bytes & kBit7 & up_to_final) != 0 || (controls & before) != 0) return 0;
  return rest[static_cast<std::size_t>(at) + 1] == '\x7f' ? 0 : static_cast<std::size_t>(at) + 2;
}

Sequence numeric_entity(std::string_view name, std::size_t length) {
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  std::uint32_t code = 0;
  std::size_t at = is_hex ? 2 : 1;
  if (at == name.size() || name.size() > 9) return {};
  for (; at < name.size(); ++at) {
    const int digit = is_hex ? hex_digit(name[at]) : is_digit(name[at]) ? name[at] - '0' : -1;
    if (digit < 0) return {};
    code = code * (is_hex ? 16u : 10u) + static_cast<std::uint32_t>(digit);
  }
  return meaning(length, code);
}

}  // namespace

std::size_t escape_length(std::string_view rest) {
  rest = rest.substr(0, kMaxSequence);
  if (rest.empty()) return 0;
  if (rest[0] == '[') {
    if (const std::size_t length = short_control_length(rest); length != 0) return length;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] >= '@' && rest[i] <= '~') return i + 1;
      if (rest[i] < ' ' || rest[i] > '~') break;
    }
    return 1;
  }
  if (rest[0] == ']') {
    for (std::size_t i = 1; i < rest.size() && rest[i] != '\n'; ++i) {
      if (rest[i] == '\a') return i + 1;
      if (rest[i] == '\x1b') return i + (i + 1 < rest.size() && rest[i + 1] == '\\' ? 2 : 0);
    }
    return 0;
  }
  if (rest[0] == '(' || rest[0] == ')') return std::min<std::size_t>(rest.size(), 2);
  return rest[0] >= '0' && rest[0] <= '~' ? 1 : 0;
}

std::size_t bare_colour_length(std::string_view text) {
  constexpr std::size_t kMaxBytes = 20;
  std::size_t digits = 0;
  for (std::size_t length = 1; length <= std::min(text.size(), kMaxBytes); ++length) {
    const char c = text[text.size() - length];
    if (c == '[') return digits > 0 ? length + 1 : 0;
    if (c == ';') {
      if (digits == 0) return 0;
      digits = 0;
    } else if (!is_digit(c) || ++digits > 3) {
      return 0;
    }
  }
  return 0;
}

Sequence html_entity(std::string_view rest) {
  struct Named {
    std::string_view name;
    std::uint32_t code;
  };
  static constexpr std::array<Named, 10> kNamed{{{"amp", '&'},
                                                 {"lt", '<'},
                                                 {"gt", '>'},
                                                 {"quot", '"'},
                                                 {"apos", '\''},
                                                 {"nbsp", ' '},
                                                 {"lsquo", '\''},
                                                 {"rsquo", '\''},
                                                 {"ldquo", '"'},
                                                 {"rdquo", '"'}}};
  const auto end = rest.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 3) return {};
  const std::string_view name = rest.substr(1, end - 1);
  if (name[0] == '#') return numeric_entity(name, end + 1);
  for (const Named& named : kNamed)
    if (name == named.name) return meaning(end + 1, named.code);
  return {};
}

Sequence typographic_quote(std::string_view rest) {
  if (rest.size() < 3 || rest[0] != '\xe2' || rest[1] != '\x80') return {};
  const auto last = static_cast<unsigned char>(rest[2]);
  if (last < 0x98 || last > 0x9f) return {};
  return meaning(3, 0x2000u + (last & 0x3fu));
}

Sequence json_escape(std::string_view rest) {
  if (rest.size() < 2) return {};
  switch (rest[1]) {
    case 'n':
      return {2, true, '\n'};
    case 'r':
      return {2, true, '\r'};
    case 't':
      return {2, true, '\t'};
    case '"':
    case '\\':
    case '/':
      return {2, true, rest[1]};
    case 'u':
      break;
    default:
      return {};
  }
  if (rest.size() < 6) return {};
  std::uint32_t code = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_digit(rest[i]);
    if (digit < 0) return {};
    code = code * 16 + static_cast<std::uint32_t>(digit);
  }
  if (code == 0x1b) return {6 + escape_length(rest.substr(6)), false, 0};
  return meaning(6, code);
}

ContainerPrefix container_prefix(std::string_view rest) {
  constexpr std::size_t kMaxClock = 40;
  const std::string_view clock = rest.substr(0, std::min(rest.find(' '), kMaxClock));
  if (clock.size() < 20 || clock.size() == kMaxClock || clock[4] != '-' || clock[10] != 'T' ||
      !is_digit(clock[0]))
    return {};
  const std::string_view after = rest.substr(clock.size());
  const bool is_stderr = after.starts_with(" stderr ");
  if (after.size() < 10 || (!is_stderr && !after.starts_with(" stdout "))) return {};
  if ((after[8] != 'P' && after[8] != 'F') || after[9] != ' ') return {};
  return {clock.size() + 10, after[8] == 'P', is_stderr};
}

std::size_t container_record_end(std::string_view text, std::size_t begin) {
  constexpr int kMaxParts = 1024;
  std::size_t end = std::min(text.find('\n', begin), text.size());
  const ContainerPrefix first = container_prefix(text.substr(begin, end - begin));
  bool is_partial = first.is_partial;
  for (int part = 0; part < kMaxParts && is_partial && end < text.size(); ++part) {
    const ContainerPrefix next = container_prefix(text.substr(end + 1));
    if (next.length == 0 || next.is_stderr != first.is_stderr) break;
    is_partial = next.is_partial;
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return end;
}

}  // namespace assay
