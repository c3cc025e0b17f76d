// One pass over the words. argparse stops at its first fault; this goes on, so that everything
// wrong with a command is known at once. After an unknown flag the words up to the next flag are
// taken for its values, unless the flag it resembles takes none.
#include "engine/read/flag_reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/read/argument_conversion.h"
#include "engine/read/config_file_reader.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/json_value_reader.h"
#include "engine/read/python_text.h"
#include "engine/text/closest_name.h"

namespace assay {
namespace {

constexpr std::size_t kMaxFaults = 1000;
constexpr std::size_t kMaxUnknown = 100;     // flags nobody knows: the rest is only counted
constexpr std::size_t kMaxSuggestions = 20;  // finding the closest of 500 names takes its time

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
        pack_(reading.pack),
        positionals_(reading.positionals),
        files_(reading.files),
        launch_(launch) {}

  void read();

 private:
  struct Value {
    std::string text;
    Span span;
    const ShellWord* word;
    std::size_t text_at;  // where it starts in the word
  };

  void read_flag(const FlagMatch& match);
  void read_unknown(const FlagMatch& match);
  void report_unknown(const FlagMatch& match);
  void read_positional();
  void end_with_help();
  void read_config(const Value& value);
  void store(const FactDeclaration& fact, const FlagMatch& match, const ShellWord& flag_word,
             std::span<const Value> values);
  void convert(const FactDeclaration& fact, const std::string& name, std::span<const Value> values,
               LaunchArgument& argument);
  void convert_json(const FactDeclaration& fact, const std::string& name, const Value& value,
                    LaunchArgument& argument);
  std::vector<Value> take_values(const FlagMatch& match, bool takes_list);
  void skip_values();
  bool may_report_unknown(Span span);
  void report_uncounted();
  void add(LaunchArgument argument);
  Diagnostic& add_fault(Severity severity, DiagnosticCode code, Span span, std::string flag,
                        std::string message, std::string help = {});
  void add_parser_fault(DiagnosticCode code, Span span, std::string flag, std::string message,
                        std::string help = {}) {
    add_fault(Severity::error, code, span, std::move(flag), message, std::move(help));
    launch_.faults.back().message = std::move(message);
  }
  Value whole(const ShellWord& word) const { return {word.text(), word.span, &word, 0}; }

  SourceSet& sources_;
  std::span<const ShellWord> words_;
  const RulePack& pack_;
  std::span<const std::string> positionals_;
  const FileSystem* files_;
  Launch& launch_;
  std::size_t at_ = 0;
  bool are_flags_over_ = false;  // after `--`
  std::size_t positionals_taken_ = 0;
  std::size_t unknown_ = 0;  // words that are no flag of the engine, or that it does not take
  Span first_uncounted_;     // ... the first of them that has no fault of its own
  std::unordered_map<FactId, std::size_t> last_of_;  // index of the fact's argument
  std::vector<LaunchArgument> configured_;
};

void FlagReader::read() {
  const auto first_argument = launch_.arguments.size();
  while (at_ < words_.size()) {
    if (launch_.faults.size() >= kMaxFaults) break;
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
    const FlagMatch match = match_flag(pack_, word.text());
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
  if (++unknown_ == kMaxUnknown + 1) first_uncounted_ = span;
  return unknown_ <= kMaxUnknown;
}

void FlagReader::report_uncounted() {
  if (unknown_ <= kMaxUnknown) return;
  const std::size_t count = unknown_ - kMaxUnknown;
  add_parser_fault(code::unknown_flag, first_uncounted_, {},
                   "unrecognized arguments: " + std::to_string(count) +
                       (count == 1 ? " more, from here on" : " more of them, from here on"),
                   "Is this the command line of another program?");
}

Diagnostic& FlagReader::add_fault(Severity severity, DiagnosticCode code, Span span,
                                  std::string flag, std::string message, std::string help) {
  Diagnostic diagnostic{severity, code, span, std::move(message), std::move(help), {}};
  launch_.faults.push_back({std::move(diagnostic), {}, std::move(flag)});
  return launch_.faults.back().diagnostic;
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
        next.text() != "--" && match_flag(pack_, next.text()).kind == FlagMatch::Kind::value;
    if (!is_value || (takes_list && !values.empty() && looks_like_flags(next))) break;
    values.push_back(whole(next));
    ++at_;
  }
  return values;
}

void FlagReader::skip_values() {
  while (at_ < words_.size() && words_[at_].text() != "--" &&
         match_flag(pack_, words_[at_].text()).kind == FlagMatch::Kind::value)
    ++at_;
}

void FlagReader::read_flag(const FlagMatch& match) {
  const ShellWord& word = words_[at_];
  if (match.kind == FlagMatch::Kind::config) {
    const auto values = take_values(match, false);
    if (!values.empty()) return read_config(values[0]);
    return add_parser_fault(code::missing_flag_value, word.span, pack_.config_flag,
                            "argument " + pack_.config_flag + ": expected one argument");
  }
  const FactDeclaration& fact = pack_.schema.facts[match.fact];
  const std::string& spelling = match.flag->spelling;
  const std::string name = argument_display_name(fact, spelling);
  if (match.flag->is_deprecated) {
    // The first flag is a deprecated one where there is no other; then the documentation says more.
    const std::string& canonical = fact.flags[0].spelling;
    add_fault(Severity::warning, code::deprecated_flag, word.span, spelling,
              "`" + spelling + "` is deprecated",
              fact.flags[0].is_deprecated ? fact.documentation : "Write `" + canonical + "`.");
  }
  if (match.flag->stores) {
    ++at_;
    if (match.has_value)
      add_parser_fault(code::invalid_flag_value, word.span, spelling,
                       "argument " + name + ": ignored explicit argument " +
                           python_repr(std::string_view(word.text()).substr(match.value_at)),
                       "The flag takes no value: write `" + spelling + "` alone, or leave it out.");
    return store(fact, match, word, {});
  }
  const auto values = take_values(match, fact.takes_list);
  if (values.empty())
    return add_parser_fault(
        code::missing_flag_value, word.span, spelling,
        "argument " + name +
            (fact.takes_list ? ": expected at least one argument" : ": expected one argument"));
  store(fact, match, word, values);
}

void FlagReader::store(const FactDeclaration& fact, const FlagMatch& match,
                       const ShellWord& flag_word, std::span<const Value> values) {
  LaunchArgument argument;
  argument.fact = match.fact;
  argument.spelling = match.flag->spelling;
  argument.flag_span = flag_word.span;
  if (match.flag->stores) {
    argument.value = *match.flag->stores;
    argument.value.span = flag_word.span;
  } else {
    argument.value_span = joined(values.front().span, values.back().span);
    convert(fact, argument_display_name(fact, match.flag->spelling), values, argument);
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
    Diagnostic& warning =
        add_fault(Severity::warning, code::repeated_flag, argument.flag_span, argument.spelling,
                  "`" + argument.spelling + "` is given again; the last one counts");
    warning.related.push_back({first.flag_span, "given before here"});
    previous->second = launch_.arguments.size();
  }
  launch_.arguments.push_back(std::move(argument));
}

void FlagReader::convert(const FactDeclaration& fact, const std::string& name,
                         std::span<const Value> values, LaunchArgument& argument) {
  for (const Value& value : values) {
    if (!value.word->is_unresolved) continue;
    argument.is_known = false;
    argument.value = make_string(value.text, argument.value_span);
    add_fault(Severity::warning, code::unresolved_variable, value.span, argument.spelling,
              "the value of `" + argument.spelling + "` is not known here: `" + value.text + "`",
              "Put the value in its place to have it checked.");
    return;
  }
  if (fact.is_json) return convert_json(fact, name, values[0], argument);
  const bool is_list = fact.takes_list || fact.type.kind == TypeKind::list;
  Node list;
  list.kind = NodeKind::sequence;
  list.span = argument.value_span;
  for (const Value& value : values) {
    Node item;
    item.span = value.span;
    if (const auto fault = convert_text(fact, value.text, item)) {
      std::string help;
      if (fault->is_choice) {
        std::vector<std::string_view> choices;
        for (const Node& choice : fact.choices) choices.push_back(choice.text);
        const std::string_view closest = closest_name(value.text, choices);
        if (!closest.empty()) help = "Did you mean `" + std::string(closest) + "`?";
      }
      std::string message = "argument " + name + ": " + fault->message;
      if (fault->is_choice && fact.has_open_choices) {
        add_fault(Severity::warning, code::invalid_flag_value, value.span, argument.spelling,
                  std::move(message), "Only a plugin can add it.");
      } else {
        add_parser_fault(code::invalid_flag_value, value.span, argument.spelling,
                         std::move(message), std::move(help));
      }
    }
    if (!is_list) {
      argument.value = std::move(item);
      return;
    }
    list.items.push_back(std::move(item));
  }
  argument.value = std::move(list);
}

void FlagReader::convert_json(const FactDeclaration& fact, const std::string& name,
                              const Value& value, LaunchArgument& argument) {
  auto json = read_json_value(sources_, value.word->content, value.text_at, argument.spelling);
  if (json && (fact.type.kind != TypeKind::map || json->kind == NodeKind::mapping)) {
    argument.value = std::move(*json);
    return;
  }
  argument.value = make_string(value.text, value.span);
  argument.is_known = false;
  const auto first = value.text.find_first_not_of(" \t\n");
  const bool is_meant_as_json =
      json.has_value() ||
      (first != std::string::npos && (value.text[first] == '{' || value.text[first] == '['));
  if (!is_meant_as_json) {
    add_fault(Severity::warning, code::invalid_flag_value, value.span, argument.spelling,
              "argument " + name + ": " + python_repr(value.text) +
                  " is no JSON text, so what it says is not checked");
    return;
  }
  const std::string reason =
      json ? std::string("a JSON object is expected, this is ") + std::string(to_string(json->kind))
           : json.error().front().message;
  add_fault(Severity::error, code::invalid_flag_value,
            json ? value.span : json.error().front().span, argument.spelling,
            "argument " + name + ": " + reason);
}

// A flag nobody knows, or a prefix of several. With underscores for dashes what was meant is plain.
void FlagReader::read_unknown(const FlagMatch& match) {
  const std::size_t fault = launch_.faults.size();
  const std::size_t first = at_;
  if (!may_report_unknown(words_[at_].span)) {
    ++at_;
    if (!match.has_value) skip_values();
    return;
  }
  report_unknown(match);
  launch_.faults[fault].extent = joined(words_[first].span, words_[at_ - 1].span);
}

void FlagReader::report_unknown(const FlagMatch& match) {
  const ShellWord& word = words_[at_];
  const std::string spelling = word.text().substr(0, word.text().find('='));
  if (match.kind == FlagMatch::Kind::ambiguous) {
    std::string candidates;
    for (const std::string_view candidate : match.candidates) {
      if (!candidates.empty()) candidates += ", ";
      candidates += candidate;
    }
    ++at_;
    skip_values();
    return add_parser_fault(code::unknown_flag, word.span, spelling,
                            "ambiguous option: " + word.text() + " could match " + candidates,
                            "Write the flag in full.");
  }
  std::string dashed = spelling;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const std::string message = "unrecognized arguments: " + spelling;
  FlagMatch meant = dashed != spelling ? match_flag(pack_, dashed) : FlagMatch{};
  if (meant.kind == FlagMatch::Kind::argument) {
    add_parser_fault(code::unknown_flag, word.span, spelling, message,
                     "Did you mean `" + dashed + "`?");
    meant.has_value = match.has_value;
    meant.value_at = match.value_at;
    return read_flag(meant);
  }
  const std::string closest(unknown_ <= kMaxSuggestions ? closest_flag(pack_, spelling) : "");
  add_parser_fault(code::unknown_flag, word.span, spelling, message,
                   closest.empty() ? std::string() : "Did you mean `" + closest + "`?");
  ++at_;
  const FlagMatch similar = match_flag(pack_, closest);
  const bool takes_no_value =
      similar.kind == FlagMatch::Kind::argument && similar.flag->stores.has_value();
  if (!match.has_value && !takes_no_value) skip_values();
}

void FlagReader::read_positional() {
  const std::size_t place = at_++;
  const ShellWord& word = words_[place];
  const bool is_wanted = place == positionals_taken_ && place < positionals_.size();
  const auto named =
      is_wanted ? pack_.schema.by_name.find(positionals_[place]) : pack_.schema.by_name.end();
  if (word.is_unresolved && (!is_wanted || looks_like_flags(word))) {
    launch_.has_unseen_arguments = true;
    add_fault(Severity::warning, code::unresolved_variable, word.span, word.text(),
              "what `" + word.text() + "` adds to the command is not known here",
              "Put the flags in its place to have them checked.");
    return;
  }
  if (named == pack_.schema.by_name.end()) {
    if (!may_report_unknown(word.span)) return;
    std::string help;
    if (word.text().find_first_not_of(" \t") == std::string::npos)
      help = "A backslash at the end of a line must be its last character.";
    return add_parser_fault(code::unknown_flag, word.span, word.text(),
                            "unrecognized arguments: " + word.text(), std::move(help));
  }
  ++positionals_taken_;
  LaunchArgument argument;
  argument.fact = named->second;
  argument.spelling = named->first;
  argument.flag_span = word.span;
  argument.value_span = word.span;
  const Value value = whole(word);
  convert(pack_.schema.facts[named->second], argument.spelling, {&value, 1}, argument);
  add(std::move(argument));
}

void FlagReader::read_config(const Value& value) {
  if (value.word->is_unresolved || files_ == nullptr) {
    launch_.has_unseen_arguments = true;
    add_fault(Severity::warning,
              value.word->is_unresolved ? code::unresolved_variable : code::unreadable_file,
              value.span, pack_.config_flag,
              "the config file `" + value.text + "` is not read, so its arguments are not checked");
    return;
  }
  Launch read;
  read_config_file(sources_, *files_, value.text, pack_, value.span, read);
  launch_.has_unseen_arguments |= read.has_unseen_arguments;
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
