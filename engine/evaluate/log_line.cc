// A line of an engine's log is `clock level process file message`, in any order and number, or a
// traceback's last line, `package.ClassError: message`. The prefix is taken off word by word while
// the words look like one of these; the first exception class of the rest ends the search, because
// an exception quoted inside another's message stays part of that message.
#include "engine/evaluate/log_line.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"
#include "engine/base/byte_set.h"

namespace assay {
namespace {

constexpr std::size_t kMaxPrefixes = 1024;   // of all prefixes of a line
constexpr std::size_t kMaxPrefixWord = 160;  // a bracket longer than this is no prefix
constexpr ByteSet kClockBytes("0123456789-:.,+TZ/");
constexpr ByteSet kClockSeparators(":-");
constexpr ByteSet kRecordStarts("[DIWEC");  // a bracket, or a level's first letter

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

std::string_view skip_blanks(std::string_view text) {
  const auto begin = kBlanks.find_other_in(text);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// Whether `text` begins as `form` does, in which 0 stands for any digit.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '0' ? !is_digit(text[i]) : text[i] != form[i]) return false;
  return true;
}

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), is_digit); }

bool is_clock(std::string_view word) {
  if (word.size() < 5 || !is_digit(word[0])) return false;
  return kClockBytes.find_other_in(word) == std::string_view::npos &&
         kClockSeparators.find_in(word) != std::string_view::npos;
}

bool is_level(std::string_view word) {
  if (!word.empty() && word.back() == ':') word.remove_suffix(1);
  static constexpr std::array<std::string_view, 6> kLevels{"DEBUG",   "INFO",  "WARN",
                                                           "WARNING", "ERROR", "CRITICAL"};
  return std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end();
}

// "core.py:270]", "server_args.py:900:"
bool is_place(std::string_view word) {
  const auto at = word.find(".py:");
  return at != std::string_view::npos && at + 5 < word.size() && is_digit(word[at + 4]) &&
         (word.back() == ']' || word.back() == ':');
}

// What a container's runtime or cluster writes before a line, at the beginning of `line`: "stderr F
// ", "Jan  2 03:04:05 host vllm[8707]: ", "pod container " before a process in parentheses.
std::size_t carrier_length(std::string_view line) {
  const std::string_view stream = line.substr(0, 8);
  if ((stream == "stdout F" || stream == "stderr F" || stream == "stdout P" ||
       stream == "stderr P") &&
      (line.size() == 8 || line[8] == ' '))
    return 8;
  const bool is_month = line.size() > 16 && line[0] >= 'A' && line[0] <= 'S' && line[3] == ' ';
  if (is_month && (has_form(line.substr(6), " 00:00:00 "))) {
    const auto host = line.find(' ', 16);
    const auto colon = host == std::string_view::npos ? host : line.find("]: ", host);
    if (colon != std::string_view::npos && line.find(' ', host + 1) > colon) return colon + 3;
  }
  const auto open = line.find(" (");
  if (open == std::string_view::npos ||
      line.substr(open, 64).find(" pid=") == std::string_view::npos)
    return 0;
  const std::string_view before = line.substr(0, open);
  const auto blank = before.find(' ');
  const auto is_pod = [](char c) { return is_name(c) || c == '-' || c == ' ' || c == '.'; };
  const bool are_two =
      blank != std::string_view::npos && before.find(' ', blank + 1) == std::string_view::npos;
  return are_two && std::all_of(before.begin(), before.end(), is_pod) ? open + 1 : 0;
}

// Bytes of a prefix at the beginning of `line`; 0 when there is none.
std::size_t prefix_length(std::string_view line) {
  if (line.empty()) return 0;
  const std::string_view head = line.substr(0, kMaxPrefixWord);
  if (line[0] == '[') {  // [2026-01-02 03:04:05 TP0], [core.py:400], [rank0]:
    const auto close = head.find(']');
    if (close == std::string_view::npos || !has_digit(head.substr(0, close))) return 0;
    return close + 1 + (close + 1 < line.size() && line[close + 1] == ':' ? 1 : 0);
  }
  if (line[0] == '(') {  // (EngineCore_DP0 pid=1234)
    const auto close = head.find(')');
    if (close == std::string_view::npos || head.find("pid=") > close) return 0;
    return close + 1;
  }
  if (const std::size_t carrier = carrier_length(head); carrier != 0) return carrier;
  const std::string_view word = head.substr(0, kBlanks.find_in(head));
  if (is_clock(word) || word == "|" || word == "-" || word == "UTC") return word.size();
  if (word.size() == head.size()) return 0;
  if (is_level(word) || is_place(word)) return word.size();
  // docker compose: "server-1  | message"
  const std::string_view rest = skip_blanks(head.substr(word.size()));
  if (!rest.empty() && rest[0] == '|' && (rest.size() == 1 || rest[1] == ' ') &&
      std::all_of(word.begin(), word.end(), [](char c) { return is_name(c) || c == '-'; }))
    return static_cast<std::size_t>(rest.data() - line.data()) + 1;
  return 0;
}

bool is_error_class(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return false;
  static constexpr std::array<std::string_view, 6> kEnds{"Error", "Exception", "Interrupt",
                                                         "Exit",  "Timeout",   "Warning"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

// Where the processes in front of `at` begin: "(APIServer pid=1) (Worker_TP3 pid=45) ".
std::size_t before_processes(std::string_view line, std::size_t at, std::size_t first) {
  while (at >= first + 2 && line.substr(0, at).ends_with(") ")) {
    const std::string_view before = line.substr(first, at - first);
    const auto open = before.rfind('(');
    if (open == std::string_view::npos ||
        before.substr(open).find(" pid=") == std::string_view::npos)
      break;
    at = first + open;
  }
  return at;
}

// Whether a record begins at `at`, where a bracket or a level's first letter stands.
bool is_record_start(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest[0] == '[')
    return has_form(rest, "[0000-00-00 00:00:00") || has_form(rest, "[00:00:00 TP");
  if (at > 0 && is_name(line[at - 1])) return false;
  const auto blank = rest.substr(0, 9).find(' ');
  return blank != std::string_view::npos && is_level(rest.substr(0, blank)) &&
         has_form(rest.substr(blank), " 00-00 00:00:00");
}

}  // namespace

void split_glued_records(std::string_view line, std::vector<std::string_view>& records) {
  records.clear();
  std::size_t first = 0;
  for (std::size_t at = kRecordStarts.find_in(line); at != std::string_view::npos;
       at = kRecordStarts.find_in(line, at + 1)) {
    if (!is_record_start(line, at)) continue;
    const std::size_t begin = before_processes(line, at, first);
    // A prefix alone is no record, unless it is longer than any log's.
    const std::string_view record = line.substr(first, begin - first);
    if (!record.empty() &&
        (record.size() > kMaxPrefixes || !split_log_line(record).message.empty())) {
      records.push_back(record);
      first = begin;
    }
  }
  records.push_back(line.substr(first));
}

LogLine split_log_line(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (line.ends_with(']')) {
    const auto tail = line.rfind(" [type=");
    if (tail != std::string_view::npos && tail > 0) line = line.substr(0, tail);
  }
  LogLine result;
  result.message = skip_blanks(line);
  while (const std::size_t length = prefix_length(result.message))
    result.message = skip_blanks(result.message.substr(length));
  for (auto colon = result.message.find(": "); colon != std::string_view::npos;
       colon = result.message.find(": ", colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && (is_name(result.message[begin - 1]) || result.message[begin - 1] == '.'))
      --begin;
    const std::string_view name = result.message.substr(begin, colon - begin);
    if (!is_error_class(name)) continue;
    result.error_class = name;
    result.message = skip_blanks(result.message.substr(colon + 2));
    break;
  }
  return result;
}

}  // namespace assay
