// One pass over the words. argparse stops at its first fault; this goes on, so that everything
// wrong with a command is known at once. After an unknown flag the words up to the next flag are
// taken for its values, unless the flag it resembles takes none.
#include "engine/read/flag_reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/read/config_file_reader.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/flag_value_reader.h"
#include "engine/read/launch_faults.h"
#include "engine/read/python_text.h"
#include "engine/read/unknown_flag.h"

namespace assay {
namespace {

constexpr std::size_t kMaxFlagFaults = 1000;
constexpr std::size_t kMaxUnknownFlags = 100;    // flags nobody knows: the rest is only counted
constexpr std::size_t kMaxFlagSuggestions = 20;  // finding the closest of 500 names takes its time

Span joined(Span first, Span last) {
  if (first.source != last.source) return first;
  return {first.source, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

// "$@", "$EXTRA_ARGS": more flags, most likely, and not a value.
bool looks_like_flags(const ShellWord& word) {
  const std::string& text = word.text();
  if (!word.is_unresolved || !text.starts_with('$')) return false;
  if (text == "$@" || text == "$*" || text.ends_with("[@]}") || text.ends_with("[*]}")) return true;
  constexpr std::array<std::string_view, 5> kParts = {"ARG", "OPT", "FLAG", "EXTRA", "PARAM"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

class FlagReader {
 public:
  FlagReader(SourceSet& sources, std::span<const ShellWord> words, const FlagReading& reading,
             Launch& launch)
      : sources_(sources),
        words_(words),
        release_(reading.release),
        pack_(release_.pack()),
        positionals_(reading.positionals),
        reading_(reading),
        launch_(launch) {}

  void read();

 private:
  using Value = FlagValue;

  void read_flag(const FlagMatch& match);
  void read_unknown(const FlagMatch& match);
  void note_unseen(const ShellWord& word);
  void read_positional();
  void end_with_help();
  void read_config_flag(const FlagMatch& match);
  void read_config(const Value& value);
  void store(const FactDeclaration& fact, const FlagMatch& match, const ShellWord& flag_word,
             std::span<const Value> values);
  std::vector<Value> take_values(const FlagMatch& match, bool takes_list);
  void skip_values();
  bool may_report_unknown(Span span);
  void report_uncounted();
  void add(LaunchArgument argument);
  Value whole(const ShellWord& word) const { return {word.text(), word.span, &word, 0}; }

  SourceSet& sources_;
  std::span<const ShellWord> words_;
  const PackRelease& release_;
  const RulePack& pack_;
  std::span<const std::string> positionals_;
  const FlagReading& reading_;
  Launch& launch_;
  std::size_t at_ = 0;
  bool are_flags_over_ = false;  // after `--`
  std::size_t positionals_taken_ = 0;
  std::size_t unknown_ = 0;  // words that are no flag of the engine, or that it does not take
  Span first_uncounted_;     // ... the first of them that has no fault of its own
  std::unordered_map<FactId, std::size_t> last_of_;  // index of the fact's argument
  std::vector<LaunchArgument> configured_;
  bool has_config_ = false;
};

void FlagReader::read() {
  const auto first_argument = launch_.arguments.size();
  while (at_ < words_.size()) {
    if (launch_.faults.size() >= kMaxFlagFaults) break;
    const ShellWord& word = words_[at_];
    if (are_flags_over_) {
      read_positional();
      continue;
    }
    if (word.text() == "--") {
      are_flags_over_ = true;
      ++at_;
      continue;
    }
    const FlagMatch match = match_flag(release_, word.text());
    switch (match.kind) {
      case FlagMatch::Kind::value:
        read_positional();
        break;
      case FlagMatch::Kind::help:
        end_with_help();
        break;
      case FlagMatch::Kind::ambiguous:
      case FlagMatch::Kind::unknown:
        read_unknown(match);
        break;
      case FlagMatch::Kind::argument:
      case FlagMatch::Kind::config:
        read_flag(match);
        break;
    }
  }
  report_uncounted();
  launch_.arguments.insert(launch_.arguments.begin() + static_cast<std::ptrdiff_t>(first_argument),
                           std::make_move_iterator(configured_.begin()),
                           std::make_move_iterator(configured_.end()));
}

// The parser prints its usage before it looks for what is missing or unrecognized.
void FlagReader::end_with_help() {
  at_ = words_.size();
  unknown_ = 0;
  launch_.stage = LaunchStage::help;
  std::erase_if(launch_.faults, [](const LaunchFault& fault) {
    return fault.diagnostic.code == code::unknown_flag;
  });
}

bool FlagReader::may_report_unknown(Span span) {
  if (++unknown_ == kMaxUnknownFlags + 1) first_uncounted_ = span;
  return unknown_ <= kMaxUnknownFlags;
}

void FlagReader::report_uncounted() {
  if (unknown_ <= kMaxUnknownFlags) return;
  const std::size_t count = unknown_ - kMaxUnknownFlags;
  add_parser_fault(launch_, code::unknown_flag, first_uncounted_, {},
                   "unrecognized arguments: " + std::to_string(count) +
                       (count == 1 ? " more, from here on" : " more of them, from here on"),
                   "Is this the command line of another program?");
}

// The values of the flag at `at_`; moves behind them.
std::vector<FlagReader::Value> FlagReader::take_values(const FlagMatch& match, bool takes_list) {
  const ShellWord& word = words_[at_++];
  std::vector<Value> values;
  if (match.has_value) {
    const auto size = word.text().size();
    Span span = word.content.span(match.value_at, size);
    if (match.value_at == size) span.begin = span.end = word.span.end;
    values.push_back({word.text().substr(match.value_at), span, &word, match.value_at});
    return values;
  }
  while (at_ < words_.size() && (takes_list || values.empty())) {
    const ShellWord& next = words_[at_];
    const bool is_value =
        next.text() != "--" && match_flag(release_, next.text()).kind == FlagMatch::Kind::value;
    if (!is_value || (takes_list && !values.empty() && looks_like_flags(next))) break;
    launch_.has_unseen_arguments |= looks_like_flags(next);
    values.push_back(whole(next));
    ++at_;
  }
  return values;
}

void FlagReader::skip_values() {
  while (at_ < words_.size() && words_[at_].text() != "--" &&
         match_flag(release_, words_[at_].text()).kind == FlagMatch::Kind::value)
    ++at_;
}

void FlagReader::read_flag(const FlagMatch& match) {
  if (match.kind == FlagMatch::Kind::config) return read_config_flag(match);
  const ShellWord& word = words_[at_];
  const FactDeclaration& fact = release_.fact(match.fact);
  const std::string& spelling = match.flag->spelling;
  const std::string name = argument_display_name(fact, spelling);
  if (match.flag->is_deprecated) {
    // The first flag is a deprecated one where there is no other; then the documentation says more.
    const std::string& canonical = fact.flags[0].spelling;
    add_launch_fault(
        launch_, Severity::warning, code::deprecated_flag, word.span, spelling,
        "`" + spelling + "` is deprecated",
        fact.flags[0].is_deprecated ? fact.documentation : "Write `" + canonical + "`.");
  }
  if (match.flag->stores) {
    ++at_;
    if (match.has_value)
      add_parser_fault(launch_, code::invalid_flag_value, word.span, spelling,
                       "argument " + name + ": ignored explicit argument " +
                           python_repr(std::string_view(word.text()).substr(match.value_at)),
                       "The flag takes no value: write `" + spelling + "` alone, or leave it out.");
    return store(fact, match, word, {});
  }
  const auto values = take_values(match, fact.takes_list);
  if (!values.empty()) return store(fact, match, word, values);
  add_parser_fault(
      launch_, code::missing_flag_value, word.span, spelling,
      "argument " + name +
          (fact.takes_list ? ": expected at least one argument" : ": expected one argument"));
}

void FlagReader::store(const FactDeclaration& fact, const FlagMatch& match,
                       const ShellWord& flag_word, std::span<const Value> values) {
  LaunchArgument argument;
  argument.fact = match.fact;
  argument.spelling = match.flag->spelling;
  argument.flag_span = flag_word.span;
  if (match.flag->stores) {
    argument.value = *match.flag->stores;
    argument.value.text = match.has_value ? flag_word.text().substr(match.value_at) : std::string();
    argument.value.span = flag_word.span;
  } else {
    argument.value_span = joined(values.front().span, values.back().span);
    read_flag_value(sources_, release_, argument_display_name(fact, match.flag->spelling),
                    match.flag, values, argument, launch_);
  }
  add(std::move(argument));
}

void FlagReader::add(LaunchArgument argument) {
  const auto [previous, is_new] = last_of_.try_emplace(argument.fact, launch_.arguments.size());
  const auto is_positional = [](const LaunchArgument& one) {
    return one.flag_span == one.value_span && !one.spelling.starts_with('-');
  };
  if (!is_new) {
    const LaunchArgument& first = launch_.arguments[previous->second];
    // `serve $COMMON --model-path m`: the word brings something else, most likely flags.
    const bool is_other_word = is_positional(first) && !first.is_known && !is_positional(argument);
    if (is_other_word) {
      launch_.arguments[previous->second] = std::move(argument);
      return;
    }
    LaunchFault& warning = add_launch_fault(
        launch_, Severity::warning, code::repeated_flag, argument.flag_span, argument.spelling,
        "`" + argument.spelling + "` is given again; the last one counts");
    warning.diagnostic.related.push_back({first.flag_span, "given before here"});
    previous->second = launch_.arguments.size();
  }
  launch_.arguments.push_back(std::move(argument));
}

// A flag nobody knows, or a prefix of several.
void FlagReader::read_unknown(const FlagMatch& match) {
  const std::size_t first = at_;
  const ShellWord& word = words_[first];
  const std::string spelling = word.text().substr(0, word.text().find('='));
  if (word.is_unresolved && spelling.find_first_of("$`%*?{<") != std::string::npos) {
    ++at_;
    note_unseen(word);
    if (!match.has_value) skip_values();
    return;
  }
  if (!may_report_unknown(word.span)) {
    ++at_;
    if (!match.has_value) skip_values();
    return;
  }
  const UnknownFlag unknown =
      judge_unknown_flag(release_, word.text(), match, unknown_ <= kMaxFlagSuggestions);
  const std::size_t fault = launch_.faults.size();
  add_parser_fault(launch_, code::unknown_flag, word.span, spelling, unknown.message, unknown.help)
      .may_be_known_elsewhere = true;
  if (unknown.meant) {
    read_flag(*unknown.meant);
  } else {
    ++at_;
    if (!match.has_value && !unknown.takes_no_value) skip_values();
  }
  launch_.faults[fault].extent = joined(word.span, words_[at_ - 1].span);
}

// A word that brings who knows what.
void FlagReader::note_unseen(const ShellWord& word) {
  launch_.has_unseen_arguments = true;
  add_launch_fault(
      launch_, Severity::warning, code::unresolved_variable, word.span, word.text(),
      "what `" + word.text() + "` adds to the command is not known here; the rest is checked",
      "Put the flags in its place to have them checked.");
}

void FlagReader::read_positional() {
  const std::size_t place = at_++;
  const ShellWord& word = words_[place];
  const bool is_wanted = place == positionals_taken_ && place < positionals_.size();
  const auto named =
      is_wanted ? pack_.schema.by_name.find(positionals_[place]) : pack_.schema.by_name.end();
  if (word.is_unresolved && (!is_wanted || looks_like_flags(word))) {
    note_unseen(word);
    return;
  }
  if (named == pack_.schema.by_name.end()) {
    if (!may_report_unknown(word.span)) return;
    std::string help;
    if (word.text().find_first_not_of(" \t") == std::string::npos)
      help = "A backslash at the end of a line must be its last character.";
    add_parser_fault(launch_, code::unknown_flag, word.span, word.text(),
                     "unrecognized arguments: " + word.text(), std::move(help));
    return;
  }
  ++positionals_taken_;
  LaunchArgument argument;
  argument.fact = named->second;
  argument.spelling = positionals_[place];
  argument.flag_span = word.span;
  argument.value_span = word.span;
  const Value value = whole(word);
  read_flag_value(sources_, release_, argument.spelling, nullptr, {&value, 1}, argument, launch_);
  add(std::move(argument));
}

// The engine looks for the flag among the words before argparse does, as a word of its own. What
// only argparse takes for it names a file that nobody reads.
void FlagReader::read_config_flag(const FlagMatch& match) {
  const ShellWord& word = words_[at_];
  const bool is_looked_for = word.text() == pack_.config_flag && !reading_.is_config_file;
  const auto values = take_values(match, false);
  if (values.empty()) {
    const bool is_last = is_looked_for && at_ == words_.size();
    add_parser_fault(launch_, code::missing_flag_value, word.span, pack_.config_flag,
                     is_last ? "No config file specified after " + pack_.config_flag + " flag!"
                             : "argument " + pack_.config_flag + ": expected one argument");
  } else if (!is_looked_for) {
    add_launch_fault(launch_, Severity::warning, code::unreadable_file, values[0].span,
                     pack_.config_flag, "the engine does not read the config file named here",
                     reading_.is_config_file
                         ? "It reads the one that the command line names."
                         : "Write `" + pack_.config_flag + "` and the file as two words.");
  } else if (has_config_) {
    launch_.has_unseen_arguments = true;
    add_parser_fault(launch_, code::repeated_flag, word.span, pack_.config_flag,
                     "Multiple config files specified! Only one allowed.");
  } else {
    has_config_ = true;
    read_config(values[0]);
  }
}

void FlagReader::read_config(const Value& value) {
  if (value.word->is_unresolved) {
    launch_.has_unseen_arguments = true;
    add_launch_fault(
        launch_, Severity::warning, code::unresolved_variable, value.span, pack_.config_flag,
        "the config file `" + value.text + "` is not read, so its arguments are not checked");
    return;
  }
  Launch read;
  read.environment = launch_.environment;
  read_config_file(sources_, {value.text, value.span, reading_.files, reading_.runs_here}, release_,
                   read);
  launch_.has_unseen_arguments |= read.has_unseen_arguments;
  if (read.stage == LaunchStage::help) launch_.stage = LaunchStage::help;
  std::move(read.arguments.begin(), read.arguments.end(), std::back_inserter(configured_));
  std::move(read.faults.begin(), read.faults.end(), std::back_inserter(launch_.faults));
}

}  // namespace

std::string argument_display_name(const FactDeclaration& fact, std::string_view spelling) {
  std::string name;
  for (const Flag& flag : fact.flags) {
    if (flag.is_deprecated && flag.spelling == spelling) return std::string(spelling);
    if (flag.is_deprecated) continue;
    if (!name.empty()) name += '/';
    name += flag.spelling;
  }
  return name.empty() ? std::string(spelling) : name;
}

void read_flags(SourceSet& sources, std::span<const ShellWord> words, const FlagReading& reading,
                Launch& launch) {
  FlagReader(sources, words, reading, launch).read();
}

}  // namespace assay
