// Prefixes are taken off one by one while the head of the line looks like one of the forms that
// engines and what runs them print: clocks with and without brackets, levels, "(Name pid=7)",
// "[rank0]:", "file.py:7:", compose's "name-1  | ", Kubernetes' "stdout F", journald's
// "host unit[7]: ", Python logging's "clock - LEVEL - ". Exactly one blank is taken with a prefix:
// the rest is the indentation that tells a frame from an error. At most 12 prefixes of 160 bytes
// each are looked at, so a hostile line costs no more than a short one.
#include "engine/evaluate/log_origin.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"
#include "engine/base/byte_set.h"

namespace assay {
namespace {

constexpr std::size_t kMaxPrefix = 160;
constexpr int kMaxLinePrefixes = 12;
constexpr ByteSet kPrefixClockBytes("0123456789-:.,+TZ/");
constexpr ByteSet kPrefixClockSeparators("-:/");
constexpr ByteSet kCodeBytes("0123456789;");
constexpr ByteSet kNoTagBytes(" ,'\"");

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

bool is_prefix_level(std::string_view word) {
  if (word.ends_with(':')) word.remove_suffix(1);
  static constexpr std::array<std::string_view, 8> kLevels{"DEBUG", "INFO",     "WARN",  "WARNING",
                                                           "ERROR", "CRITICAL", "FATAL", "NOTICE"};
  return std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end();
}

// "03:04:05", "03:04:05.123", "2026-01-02T03:04:05Z", "2026-01-02", "01-02", "2026/01/02"
bool is_prefix_clock(std::string_view word) {
  if (word.size() < 5 || !is_digit(word[0])) return false;
  if (kPrefixClockBytes.find_other_in(word) != std::string_view::npos) return false;
  const auto separator = kPrefixClockSeparators.find_in(word);
  if (separator == std::string_view::npos || separator > 4) return false;
  if (word[separator] == ':') {  // hh:mm:ss, and no address with a port
    return separator == 2 && word.size() >= 8 && is_digit(word[3]) && is_digit(word[4]) &&
           word[5] == ':';
  }
  return separator + 2 < word.size() && is_digit(word[separator + 1]) &&
         is_digit(word[separator + 2]);
}

bool is_month(std::string_view word) {
  static constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
  return word.size() == 3 && kMonths.find(word) != std::string_view::npos;
}

// TP0, DP12, PP1, EP3, DCP0, ATTN_TP0 ...: letters that end in P and a number.
bool is_rank(std::string_view word) {
  const auto digits = kDigits.find_in(word);
  if (digits == std::string_view::npos || digits == 0 || digits > 8) return false;
  return word[digits - 1] == 'P' && kDigits.find_other_in(word, digits) == std::string_view::npos &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(digits),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

bool is_prefix_place(std::string_view text) {
  const auto at = text.find(".py:");
  return at != std::string_view::npos && at + 4 < text.size() && is_digit(text[at + 4]);
}

class PrefixReader {
 public:
  explicit PrefixReader(std::string_view line) { origin_.body = origin_.printed = line; }

  LogOrigin read() {
    skip_cut_record();
    for (int i = 0; i < kMaxLinePrefixes; ++i) {
      is_carried_ = false;
      skip_codes();
      const std::string_view trimmed = without_blanks(origin_.body);
      const std::size_t length = prefix_length(trimmed);
      if (length == 0) break;
      origin_.body = trimmed.substr(length);
      skip_codes();
      if (origin_.body.starts_with(' ') || origin_.body.starts_with('\t'))
        origin_.body.remove_prefix(1);
      if (is_carried_) origin_.printed = origin_.body;
    }
    return origin_;
  }

 private:
  static std::string_view without_blanks(std::string_view text) {
    const auto begin = kBlanks.find_other_in(text);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
  }

  // "[1;36m" with an escape byte, "^[" or nothing in front of it.
  void skip_codes() {
    for (;;) {
      std::string_view rest = origin_.body;
      if (rest.starts_with('\x1b')) rest.remove_prefix(1);
      if (rest.starts_with("^[")) rest.remove_prefix(2);
      if (!rest.starts_with('[')) return;
      const auto end = kCodeBytes.find_other_in(rest, 1);
      const bool has_escape = rest.size() < origin_.body.size();
      if (end == std::string_view::npos || rest[end] != 'm' || (end == 1 && !has_escape)) return;
      origin_.body = rest.substr(end + 1);
    }
  }

  // A whole "[date time" later in the line, where the head is a piece of another record.
  void skip_cut_record() {
    const std::string_view head = origin_.body.substr(0, 4 * kMaxPrefix);
    for (auto at = head.find("[20", 1); at != std::string_view::npos;
         at = head.find("[20", at + 1)) {
      const std::string_view rest = head.substr(at + 1);
      if (rest.size() < 19 || !is_prefix_clock(rest.substr(0, 10)) || rest[10] != ' ' ||
          !is_prefix_clock(rest.substr(11, 8)))
        continue;
      const char before = head[at - 1];
      if (before == ' ' || before == '|' || before == '\t') continue;  // stacked, or quoted
      origin_.body.remove_prefix(at);
      return;
    }
  }

  std::size_t prefix_length(std::string_view line) {
    if (line.empty()) return 0;
    const std::string_view head = line.substr(0, kMaxPrefix);
    if (head[0] == '[') return bracket_length(head);
    if (head[0] == '(') return process_length(head);
    const std::string_view word = head.substr(0, kBlanks.find_in(head));
    if (word.size() == head.size()) return 0;
    const std::size_t length = word_length(head, word);
    return length != 0 ? length : carrier_length(head, word);
  }

  std::size_t word_length(std::string_view head, std::string_view word) {
    if (is_prefix_level(word)) {
      origin_.level = word.ends_with(':') ? word.substr(0, word.size() - 1) : word;
      return note(LogOrigin::kLevel, word.size());
    }
    if (is_prefix_clock(word)) {
      const bool is_carrier = word.find('T') != std::string_view::npos;
      return note(is_carrier ? LogOrigin::kCarrier : LogOrigin::kClock, word.size());
    }
    if (is_prefix_place(word) && (word.back() == ']' || word.back() == ':')) {
      origin_.place = word.substr(0, word.size() - 1);
      return note(LogOrigin::kPlace, word.size());
    }
    if (is_rank(word.substr(0, word.find(']'))) && head.find(']') < 64)
      return cut_bracket_length(head);
    if ((word == "stdout" || word == "stderr") && head.size() > 8 &&
        (head[7] == 'F' || head[7] == 'P') && head[8] == ' ')
      return note(LogOrigin::kCarrier, 8);
    if (word == "|" || word == "-") return word.size();
    if (word == "UTC" && head.substr(3).starts_with(" | ")) return note(LogOrigin::kCarrier, 5);
    return 0;
  }

  // "TP5]": the bracket was lost with the beginning of the paste.
  std::size_t cut_bracket_length(std::string_view head) {
    const auto close = head.find(']');
    origin_.process = head.substr(0, close);
    return note(LogOrigin::kProcess, close + 1);
  }

  // compose's "name  | ", a logger's "name - ", journald's "Jan 02 03:04:05 host unit[7]: "
  std::size_t carrier_length(std::string_view head, std::string_view word) {
    const std::string_view rest = without_blanks(head.substr(word.size()));
    const bool is_name = std::all_of(word.begin(), word.end(), [](char c) {
      return is_word(c) || c == '-' || c == '.' || c == '/';
    });
    if (is_name && rest.starts_with("| ")) {
      origin_.container = word;
      return note(LogOrigin::kCarrier, static_cast<std::size_t>(rest.data() - head.data()) + 1);
    }
    if (is_name && rest.starts_with("- ") && (origin_.prefixes & LogOrigin::kClock) != 0)
      return word.size() + 2;
    if (is_name &&
        word.find('-') != std::string_view::npos) {  // stern: "pod container (Name pid=7)"
      const std::string_view next = rest.substr(0, rest.find(' '));
      const std::string_view behind = without_blanks(rest.substr(next.size()));
      if (next.size() < rest.size() && process_or_clock_follows(behind)) {
        origin_.container = word;
        return note(LogOrigin::kCarrier, static_cast<std::size_t>(behind.data() - head.data()));
      }
    }
    if (!is_month(word)) return 0;
    const auto colon = head.find("]: ");
    const auto open = head.find('[');
    if (colon == std::string_view::npos || open > colon) return 0;
    const auto unit = head.rfind(' ', open);
    if (unit == std::string_view::npos || unit < 15) return 0;
    origin_.container = head.substr(unit + 1, open - unit - 1);
    return note(LogOrigin::kCarrier, colon + 2);
  }

  static bool process_or_clock_follows(std::string_view text) {
    if (text.starts_with("[20")) return true;
    return text.starts_with('(') && text.find(" pid=") < text.find(')');
  }

  // "[2026-01-02 03:04:05 DP1 TP3]", "[core.py:400]", "[rank0]:", "[container]" behind a level
  std::size_t bracket_length(std::string_view head) {
    const auto close = head.find(']');
    if (close == std::string_view::npos) return 0;
    const std::string_view inside = head.substr(1, close - 1);
    const std::size_t length = close + 1 + (head.substr(close + 1).starts_with(':') ? 1 : 0);
    const bool is_named = inside.starts_with("rank") || inside.starts_with("gpu=");
    if (is_named || inside.find("@<") != std::string_view::npos) {  // mpirun: /bin/sh@<0,1>
      origin_.process = inside;
      return note(LogOrigin::kProcess, length);
    }
    if (is_prefix_place(inside)) {
      origin_.place = inside;
      return note(LogOrigin::kPlace, length);
    }
    const std::string_view first = inside.substr(0, inside.find(' '));
    if (is_prefix_clock(first)) return clock_bracket_length(inside, length);
    const bool is_logged = (origin_.prefixes & (LogOrigin::kLevel | LogOrigin::kClock)) != 0;
    const bool is_glog = inside.size() > 4 && inside.find(".cpp:") != std::string_view::npos;
    if (is_glog) {
      if (inside[0] == 'E' || inside[0] == 'F') origin_.level = "ERROR";
      return note(LogOrigin::kLevel, length);
    }
    const bool is_tag = !inside.empty() && kNoTagBytes.find_in(inside) == std::string_view::npos;
    return is_logged && is_tag && inside.size() < 40 ? length : 0;
  }

  std::size_t clock_bracket_length(std::string_view inside, std::size_t length) {
    std::size_t at = 0;
    while (at < inside.size()) {  // past the clock's words
      const auto end = std::min(inside.find(' ', at), inside.size());
      if (!is_prefix_clock(inside.substr(at, end - at))) break;
      at = end + 1;
    }
    // A clock without a process in it is the program's own as well: a new record begins.
    if (at < inside.size()) {
      origin_.process = inside.substr(at);
      origin_.prefixes |= LogOrigin::kProcess;
    }
    return note(LogOrigin::kClock, length);
  }

  // "(EngineCore_DP0 pid=1234)"
  std::size_t process_length(std::string_view head) {
    const auto close = head.find(')');
    if (close == std::string_view::npos) return 0;
    const std::string_view inside = head.substr(1, close - 1);
    const auto pid = inside.find(" pid=");
    if (pid == std::string_view::npos) return 0;
    origin_.process = inside.substr(0, pid);
    return note(LogOrigin::kProcess, close + 1);
  }

  std::size_t note(LogOrigin::Prefix prefix, std::size_t length) {
    origin_.prefixes |= prefix;
    is_carried_ = prefix == LogOrigin::kCarrier;
    return length;
  }

  LogOrigin origin_;
  bool is_carried_ = false;  // the prefix just taken is a carrier's
};

}  // namespace

bool LogOrigin::is_error_level() const {
  return level == "ERROR" || level == "CRITICAL" || level == "FATAL";
}

LogOrigin read_log_origin(std::string_view line) { return PrefixReader(line).read(); }

std::string rank_label(std::string_view process) {
  if (process.starts_with("rank")) {
    const std::string_view number = process.substr(4);
    if (!number.empty() && std::all_of(number.begin(), number.end(), is_digit))
      return "rank " + std::string(number);
  }
  std::string ranks;
  for (std::size_t at = 0; at < process.size();) {
    const auto end = std::min(process.find_first_of("_ ", at), process.size());
    const std::string_view part = process.substr(at, end - at);
    if (is_rank(part)) ranks += (ranks.empty() ? "" : " ") + std::string(part);
    at = end + 1;
  }
  return ranks.empty() ? std::string(process) : ranks;
}

}  // namespace assay
