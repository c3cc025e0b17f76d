// systemd splits its command lines itself (systemd.service, "Command lines"): quotes of both kinds,
// C escapes also within them, `$$` and `%%` for the characters, ${NAME} within a word and $NAME as
// one. No shell runs them, so nothing is expanded, redirected or piped. What %-specifiers and
// EnvironmentFile= give nobody knows here.
#include "engine/read/unit_file_reader.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "engine/base/ascii.h"
#include "engine/read/launch_command_reader.h"

namespace assay {
namespace {

constexpr std::size_t kMaxUnitLaunches = 256;
constexpr std::size_t kMaxWords = 100'000;

bool is_unit_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_empty(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

using Variables = std::map<std::string, std::string>;

// Splits one setting, whose lines are joined, into words.
class UnitWords {
 public:
  UnitWords(const MappedText& text, const Variables* variables)
      : in_(text), t_(text.text()), variables_(variables) {}

  std::vector<ShellWord> split() {
    while (words_.size() < kMaxWords) {
      while (at_ < t_.size() && is_space(t_[at_])) ++at_;
      if (at_ == t_.size()) break;
      read_word();
    }
    return std::move(words_);
  }

 private:
  void read_word() {
    word_ = {};
    const std::size_t begin = at_;
    char quote = '\0';
    while (at_ < t_.size() && (quote != '\0' || !is_space(t_[at_]))) {
      const char c = t_[at_];
      if (quote == '\0' ? c == '"' || c == '\'' : c == quote) {
        if (quote == '\0' && at_ == begin)
          word_.quoting = c == '"' ? ShellQuoting::double_quotes : ShellQuoting::single_quotes;
        quote = quote == '\0' ? c : '\0';
        ++at_;
      } else if (c == '\\' && at_ + 1 < t_.size()) {
        read_escape();
      } else if (c == '%') {
        read_doubled(c);
      } else if (c == '$' && variables_ != nullptr) {
        read_variable();
      } else {
        word_.content.append(in_, at_, at_ + 1);
        ++at_;
      }
    }
    word_.span = in_.span(begin, at_);
    if (word_.text().empty()) word_.content = MappedText::opaque(word_.span, "");
    words_.push_back(std::move(word_));
  }

  void put(std::string_view bytes, std::size_t size) {
    const Span place = in_.span(at_, std::min(at_ + size, t_.size()));
    if (bytes.size() == 1)
      word_.content.append(bytes[0], place);
    else
      word_.content.append_opaque(bytes, place);
    at_ = std::min(at_ + size, t_.size());
  }

  void read_escape() {
    static constexpr std::string_view kLetters = "abfnrtv\\\"'s";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\\"' ";
    if (t_[at_ + 1] == 'x' && at_ + 3 < t_.size()) {  // \x20
      const std::string digits = t_.substr(at_ + 2, 2);
      const char read = static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
      return put({&read, 1}, 4);
    }
    const auto found = kLetters.find(t_[at_ + 1]);
    const char byte = found == std::string_view::npos ? t_[at_ + 1] : kBytes[found];
    put({&byte, 1}, 2);
  }

  // %% or a specifier.
  void read_doubled(char c) {
    const bool is_doubled = at_ + 1 < t_.size() && t_[at_ + 1] == c;
    if (is_doubled) return put({&c, 1}, 2);
    word_.is_unresolved = true;
    word_.content.append(in_, at_, std::min(at_ + 2, t_.size()));
    at_ = std::min(at_ + 2, t_.size());
  }

  void read_variable() {
    if (at_ + 1 < t_.size() && t_[at_ + 1] == '$') return put("$", 2);
    const bool is_bracketed = at_ + 1 < t_.size() && t_[at_ + 1] == '{';
    const auto begin = at_ + (is_bracketed ? 2 : 1);
    auto end = begin;
    while (end < t_.size() && is_unit_name_byte(t_[end])) ++end;
    const bool is_variable = end > begin && (!is_bracketed || (end < t_.size() && t_[end] == '}'));
    if (!is_variable) return put("$", 1);
    const auto known = variables_->find(t_.substr(begin, end - begin));
    const auto size = end + (is_bracketed ? 1 : 0) - at_;
    // $NAME alone becomes several words, which are not made here.
    const bool is_one_word = known != variables_->end() &&
                             (is_bracketed || known->second.find(' ') == std::string::npos);
    if (is_one_word) {
      word_.is_substituted = true;
      return put(known->second, size);
    }
    word_.is_unresolved = true;
    word_.content.append(in_, at_, at_ + size);
    at_ += size;
  }

  const MappedText& in_;
  const std::string& t_;
  const Variables* variables_;  // null: `$` means nothing
  std::size_t at_ = 0;
  ShellWord word_;
  std::vector<ShellWord> words_;
};

class UnitReader {
 public:
  UnitReader(SourceSet& sources, SourceId source, const LaunchReading& reading,
             Diagnostics& warnings)
      : sources_(sources),
        source_(source),
        reading_(reading),
        warnings_(warnings),
        text_(sources.get(source).text()) {}

  std::vector<Launch> read();

 private:
  // One setting with its continued lines; moves behind it. Empty: none begins here.
  MappedText read_setting();
  void set_environment(const MappedText& value);
  void read_commands(const MappedText& value);
  void read_command(std::vector<ShellWord> words);

  SourceSet& sources_;
  const SourceId source_;
  const LaunchReading& reading_;
  Diagnostics& warnings_;
  const std::string text_;
  std::size_t at_ = 0;
  std::vector<EnvironmentSetting> environment_;
  Variables variables_;
  std::vector<Launch> launches_;
};

MappedText UnitReader::read_setting() {
  MappedText setting;
  bool goes_on = true;
  while (goes_on && at_ < text_.size()) {
    const auto begin = at_;
    auto end = std::min(text_.find('\n', at_), text_.size());
    at_ = std::min(end + 1, text_.size());
    while (end > begin && is_space(text_[end - 1])) --end;
    const auto content = std::min(text_.find_first_not_of(" \t", begin), end);
    const bool is_comment = content < end && (text_[content] == '#' || text_[content] == ';');
    if (is_comment && !setting.text().empty()) continue;
    goes_on = end > begin && text_[end - 1] == '\\' && !is_comment;
    if (goes_on) --end;
    for (auto at = content; at < end; ++at) {
      const auto place = static_cast<std::uint32_t>(at);
      setting.append(text_[at], {source_, place, place + 1});
    }
    const auto place = static_cast<std::uint32_t>(end);
    if (goes_on) setting.append(' ', {source_, place, place + 1});
  }
  return setting;
}

std::vector<Launch> UnitReader::read() {
  struct Setting {
    std::string key;
    MappedText value;
  };
  std::vector<Setting> commands;
  while (at_ < text_.size()) {
    const MappedText setting = read_setting();
    const auto equals = setting.text().find('=');
    if (equals == std::string::npos || setting.text()[0] == '#' || setting.text()[0] == ';')
      continue;
    std::string key = setting.text().substr(0, equals);
    while (!key.empty() && is_space(key.back())) key.pop_back();
    MappedText value = setting.part(equals + 1, setting.text().size());
    if (key == "Environment" && is_empty(value.text())) environment_.clear();
    if (key == "Environment") set_environment(value);
    if (key != "ExecStart") continue;
    if (is_empty(value.text()))
      commands.clear();  // what was set before no longer holds
    else
      commands.push_back({std::move(key), std::move(value)});
  }
  // The environment is that of the whole service, wherever it is set.
  for (const EnvironmentSetting& setting : environment_)
    if (setting.is_known) variables_[setting.name] = setting.value;
  for (const Setting& command : commands)
    if (launches_.size() < kMaxUnitLaunches) read_commands(command.value);
  return std::move(launches_);
}

void UnitReader::set_environment(const MappedText& value) {
  for (const ShellWord& word : UnitWords(value, nullptr).split()) {
    const auto equals = word.text().find('=');
    if (equals == std::string::npos) continue;
    environment_.push_back({word.text().substr(0, equals), word.text().substr(equals + 1),
                            word.span, !word.is_unresolved});
  }
}

// `first ; second`: one program after the other. `\;` is a word.
void UnitReader::read_commands(const MappedText& value) {
  std::vector<ShellWord> words;
  for (ShellWord& word : UnitWords(value, &variables_).split()) {
    if (sources_.text(word.span) != ";") {
      words.push_back(std::move(word));
      continue;
    }
    read_command(std::exchange(words, {}));
  }
  read_command(std::move(words));
}

void UnitReader::read_command(std::vector<ShellWord> words) {
  if (words.empty() || launches_.size() >= kMaxUnitLaunches) return;
  WordedCommand command;
  command.words = std::move(words);
  // `-`, `@`, `:`, `+`, `!` in front of the program say how it is run.
  ShellWord& program = command.words.front();
  const auto name = program.text().find_first_not_of("-@:+!|");
  if (name != std::string::npos && name > 0)
    program.content = program.content.part(name, program.text().size());
  command.form = LaunchForm::shell;
  command.enclosures = {Enclosure::systemd_unit};
  command.environment = environment_;
  command.label = "ExecStart";
  command.span = {source_, command.words.front().span.begin, command.words.back().span.end};
  auto found = read_worded_command(sources_, command, reading_, warnings_);
  for (Launch& launch : found) launches_.push_back(std::move(launch));
}

}  // namespace

bool is_unit_file(std::string_view first_line) {
  while (!first_line.empty() && is_space(first_line.back())) first_line.remove_suffix(1);
  return first_line.size() > 2 && first_line.front() == '[' && first_line.back() == ']' &&
         std::all_of(first_line.begin() + 1, first_line.end() - 1,
                     [](char c) { return is_unit_name_byte(c) || c == '-'; });
}

Result<std::vector<Launch>> read_unit_file(SourceSet& sources, SourceId source,
                                           const LaunchReading& reading, Diagnostics& warnings) {
  auto launches = UnitReader(sources, source, reading, warnings).read();
  if (!launches.empty()) return launches;
  const std::string_view text = sources.get(source).text();
  const auto end = static_cast<std::uint32_t>(std::min(text.find('\n'), text.size()));
  return make_error(code::not_a_launch, {source, 0, end},
                    "no ExecStart= of this unit starts a known engine");
}

}  // namespace assay
