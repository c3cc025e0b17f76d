// Peels wrappers off the front until the words match a launcher of a pack. A program that is
// neither is passed over when a launcher stands somewhere behind it, so that an unknown wrapper
// does no harm; programs that only mention a command (echo, pkill) are excepted.
#include "engine/read/launch_command_reader.h"

#include <algorithm>
#include <optional>

#include "engine/read/flag_reader.h"
#include "engine/read/launch_wrappers.h"
#include "engine/read/launcher_match.h"
#include "engine/read/typography_faults.h"

namespace assay {
namespace {

constexpr int kMaxDepth = 8;               // of `bash -c` within `bash -c`
constexpr std::size_t kMaxLaunches = 256;  // of one text

constexpr std::size_t kMaxCandidates = 4096;  // commands of one text that name an engine
constexpr std::size_t kMaxExports = 256;      // in force for one command

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const std::string_view name = word.substr(0, equals);
  return (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

EnvironmentSetting setting_of(const ShellWord& word, std::size_t name_at) {
  const std::string_view text = std::string_view(word.text()).substr(name_at);
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return {std::string(text), {}, word.span, false};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), word.span,
          !word.is_unresolved};
}

// How a word that holds shell text is quoted where it stands.
Enclosure enclosure_of(const SourceSet& sources, const ShellWord& word, LaunchForm form) {
  if (word.is_substituted) return Enclosure::opaque;
  if (form == LaunchForm::word_list) {
    const std::string_view written = sources.text(word.span);
    if (written.starts_with('"')) return Enclosure::yaml_double_quotes;
    if (written.starts_with('\'')) return Enclosure::yaml_single_quotes;
    if (written.starts_with('|') || written.starts_with('>')) return Enclosure::yaml_block;
    return Enclosure::yaml_plain;
  }
  switch (word.quoting) {
    case ShellQuoting::single_quotes:
      return Enclosure::shell_single_quotes;
    case ShellQuoting::double_quotes:
      return Enclosure::shell_double_quotes;
    case ShellQuoting::none:
    case ShellQuoting::mixed:
      break;
  }
  return Enclosure::opaque;
}

void set_image(const ShellWord& word, std::size_t begin, WordedCommand& command) {
  command.image = word.text().substr(begin);
  command.image_span = word.span;
}

class CommandReader {
 public:
  CommandReader(SourceSet& sources, const LaunchReading& reading, Diagnostics& warnings)
      : sources_(sources), reading_(reading), warnings_(warnings) {}

  void read_command(WordedCommand command, int depth);
  void read_text(const MappedText& text, const WordedCommand& surroundings, int depth);

  std::vector<Launch> launches;

 private:
  void make_launch(const WordedCommand& command, const LauncherMatch& match);
  // Passes over a wrapper's own words; the place of the program behind them.
  std::size_t skip_wrapper(const Wrapper& wrapper, WordedCommand& command, std::size_t at);
  std::size_t skip_options(const Wrapper& wrapper, WordedCommand& command, std::size_t at);
  void read_script(const WordedCommand& command, std::size_t at, int depth);

  SourceSet& sources_;
  const LaunchReading& reading_;
  Diagnostics& warnings_;
  std::optional<ShellWord> entrypoint_;  // of `docker run --entrypoint`
};

std::size_t CommandReader::skip_options(const Wrapper& wrapper, WordedCommand& command,
                                        std::size_t at) {
  while (at < command.words.size()) {
    const ShellWord& word = command.words[at];
    const std::string& text = word.text();
    if (text == "--") return at + 1;
    if (wrapper.takes_assignments && is_assignment(text)) {
      command.environment.push_back(setting_of(word, 0));
      ++at;
      continue;
    }
    if (text.size() < 2 || text[0] != '-') break;
    const bool is_module = text == "-m" || text == "--module" || text.starts_with("--module=");
    if (wrapper.kind == WrapperKind::python && is_module) break;
    if (text == "-mca" || text == "--mca") {  // mpirun's, with a key and a value
      at += 3;
      continue;
    }
    const auto equals = text.find('=');
    std::string option = text.substr(0, equals);
    const bool is_long = text.starts_with("--");
    std::optional<std::size_t> value_at;  // within this word
    if (equals != std::string::npos && (is_long || is_listed(wrapper.options_with_value, option)))
      value_at = equals + 1;
    bool is_value_next = !value_at && is_listed(wrapper.options_with_value, text);
    if (!is_long && !value_at && !is_value_next && text.size() > 2) {
      // -eNAME=value, or a cluster such as -itp
      if (is_listed(wrapper.options_with_value, text.substr(0, 2))) {
        option = text.substr(0, 2);
        value_at = 2;
      } else if (is_listed(wrapper.options_with_value, std::string("-") + text.back())) {
        option = std::string("-") + text.back();
        is_value_next = true;
      }
    }
    const bool has_value_word = is_value_next && at + 1 < command.words.size();
    if (has_value_word) value_at = 0;
    const ShellWord& holder = command.words[has_value_word ? at + 1 : at];
    if (value_at && is_listed(wrapper.environment_options, option))
      command.environment.push_back(setting_of(holder, *value_at));
    if (value_at && option == "--entrypoint") {
      entrypoint_ = holder;
      entrypoint_->content = holder.content.part(*value_at, holder.text().size());
    }
    if (value_at && (option == "--image" || option == "--container-image")) {
      set_image(holder, *value_at, command);
      command.is_elsewhere = true;
    }
    if (value_at && option == "--gpus" && wrapper.kind == WrapperKind::container)
      if (const auto count = gpus_of_docker_option(holder.text().substr(*value_at)))
        command.gpus = GpuShare{*count, holder.span};
    at += is_value_next ? 2 : 1;
  }
  return std::min(at, command.words.size());
}

std::size_t CommandReader::skip_wrapper(const Wrapper& wrapper, WordedCommand& command,
                                        std::size_t at) {
  ++at;
  if (!wrapper.subcommand.empty())
    at += wrapper.subcommand.find(' ') == std::string_view::npos ? 1 : 2;
  entrypoint_.reset();
  if (wrapper.kind == WrapperKind::container || wrapper.name == "ssh") command.is_elsewhere = true;
  at = skip_options(wrapper, command, std::min(at, command.words.size()));
  for (int i = 0; i < wrapper.positionals && at < command.words.size(); ++i) {
    const bool names_image = wrapper.kind == WrapperKind::container && command.image.empty();
    if (names_image) set_image(command.words[at], 0, command);
    ++at;
  }
  const bool is_kubectl = wrapper.name == "kubectl";
  if (is_kubectl) at = skip_options(wrapper, command, at);  // kubectl run NAME --image=...
  if (wrapper.positionals > 0 && at < command.words.size() && command.words[at].text() == "--")
    ++at;
  if (entrypoint_) {
    command.words.insert(command.words.begin() + static_cast<std::ptrdiff_t>(at), *entrypoint_);
    entrypoint_.reset();
  }
  return at;
}

// The shell text of `bash -c TEXT` and the like, where the option stands at `at`.
void CommandReader::read_script(const WordedCommand& command, std::size_t at, int depth) {
  bool is_script = false;
  const auto& words = command.words;
  while (at < words.size()) {
    const std::string& text = words[at].text();
    const bool is_option = text.size() > 1 && (text[0] == '-' || text[0] == '+');
    if (!is_option || text == "--") break;
    const bool is_cluster = text[0] == '-' && text[1] != '-';
    is_script = is_script || (is_cluster && text.find('c') != std::string::npos);
    const bool has_value = text == "-O" || text == "--rcfile" || text == "--init-file" ||
                           (is_cluster && text.ends_with('o'));
    at += has_value ? 2 : 1;
  }
  if (at < words.size() && words[at].text() == "--") ++at;
  if (!is_script || at >= words.size()) return;
  WordedCommand inner = command;
  inner.words.clear();
  inner.enclosures.push_back(enclosure_of(sources_, words[at], command.form));
  inner.form = LaunchForm::shell;
  read_text(words[at].content, inner, depth + 1);
}

void CommandReader::read_command(WordedCommand command, int depth) {
  std::size_t at = 0;
  bool is_python_given = false;
  while (at < command.words.size() && launches.size() < kMaxLaunches) {
    if (const auto match = match_launcher(reading_.packs, command.words, at, is_python_given))
      return make_launch(command, *match);
    const std::string program = command.words[at].text();
    if (is_mention(program)) return;
    const auto word = [&](std::size_t i) {
      return i < command.words.size() ? std::string_view(command.words[i].text())
                                      : std::string_view();
    };
    const Wrapper* wrapper = find_wrapper(program, word(at + 1), word(at + 2));
    if (wrapper == nullptr) {
      // An engine's image whose entry point is the engine: only flags follow.
      const bool are_flags = word(at).starts_with("--") && !command.image.empty();
      for (const RulePack* pack : reading_.packs)
        if (are_flags && command.image.find(pack->name) != std::string::npos)
          return make_launch(command, {pack, nullptr, at});
      is_python_given = false;
      ++at;
      continue;
    }
    if (wrapper->kind == WrapperKind::shell) return read_script(command, at + 1, depth);
    at = skip_wrapper(*wrapper, command, at);
    is_python_given = wrapper->kind == WrapperKind::python;
    const bool is_text = wrapper->kind == WrapperKind::remote && at + 1 == command.words.size() &&
                         word(at).find(' ') != std::string_view::npos;
    if (is_text) {
      WordedCommand inner = command;
      inner.words.clear();
      inner.enclosures.push_back(enclosure_of(sources_, command.words[at], command.form));
      inner.form = LaunchForm::shell;
      return read_text(command.words[at].content, inner, depth + 1);
    }
  }
}

void CommandReader::read_text(const MappedText& text, const WordedCommand& surroundings,
                              int depth) {
  if (depth > kMaxDepth) {
    Diagnostic warning = make_error(code::nesting_too_deep, surroundings.span,
                                    "shell text within shell text more than 8 deep is not read");
    warning.severity = Severity::warning;
    warnings_.push_back(std::move(warning));
    return;
  }
  ShellVariables variables;
  for (const EnvironmentSetting& setting : surroundings.environment)
    if (setting.is_known) variables[setting.name] = setting.value;
  Diagnostics found;
  const ShellScript script = split_shell(text, found, std::move(variables));
  const bool is_outermost = depth == 0 && surroundings.enclosures.empty();
  std::size_t candidates = 0;
  std::vector<CommandLaunches> made;
  for (const ShellCommand& command : script.commands) {
    if (launches.size() >= kMaxLaunches || candidates >= kMaxCandidates) break;
    if (!names_engine(command.words, reading_.packs)) continue;
    if (script.expanded_arrays.contains(command.array)) continue;  // run where it is expanded
    ++candidates;
    WordedCommand worded = surroundings;
    const auto add = [&](const ShellAssignment& assignment) {
      worded.environment.push_back({assignment.name, assignment.value.text(), assignment.span,
                                    !assignment.value.is_unresolved});
    };
    const std::size_t first_export =
        command.export_count - std::min(command.export_count, kMaxExports);
    for (std::size_t i = first_export; i < command.export_count; ++i) add(script.exports[i]);
    for (const ShellAssignment& assignment : command.assignments) add(assignment);
    worded.words = command.words;
    if (is_outermost) worded.span = command.span;
    const std::size_t first = launches.size();
    read_command(std::move(worded), depth);
    if (launches.size() > first) made.push_back({command.span, first, launches.size()});
  }
  give_text_faults(sources_, std::move(found), made, launches, warnings_);
}

void CommandReader::make_launch(const WordedCommand& command, const LauncherMatch& match) {
  Launch launch;
  launch.pack = match.pack->name;
  launch.form = command.form;
  launch.span = command.span;
  launch.label = command.label;
  launch.environment = command.environment;
  launch.enclosures = command.enclosures;
  const auto& words = command.words;
  const std::size_t arguments_at = match.arguments_at;
  std::size_t last = words.size();
  for (std::size_t i = arguments_at; i < words.size(); ++i) {
    if (words[i].text() != "--") continue;
    last = i;
    break;
  }
  if (last > 0) {
    const Span span = words[last - 1].span;
    launch.append_at = {span.source, span.end, span.end};
  }
  const std::span<const ShellWord> arguments(words.data() + arguments_at,
                                             words.size() - arguments_at);
  std::string release_name = reading_.release;
  if (command.image_tells_release)
    if (auto told = release_of_image(command.image, command.image_span, *match.pack)) {
      if (release_name.empty()) release_name = told->value.text;
      launch.facts.push_back(std::move(*told));
    }
  launch.release = release_name;
  limit_gpus(command.gpus, launch.environment);
  const PackRelease release(*match.pack, release_name);
  FlagReading reading{release, {}, command.is_elsewhere ? nullptr : reading_.files};
  reading.runs_here = reading_.runs_here;
  if (match.launcher != nullptr) reading.positionals = match.launcher->positionals;
  if (command.form == LaunchForm::word_list)
    read_flags(sources_, read_as_ascii(sources_, arguments, launch), reading, launch);
  else
    read_flags(sources_, arguments, reading, launch);
  launches.push_back(std::move(launch));
}

}  // namespace

std::vector<Launch> read_worded_command(SourceSet& sources, const WordedCommand& command,
                                        const LaunchReading& reading, Diagnostics& warnings) {
  CommandReader reader(sources, reading, warnings);
  reader.read_command(command, 0);
  return std::move(reader.launches);
}

std::vector<Launch> read_shell_text(SourceSet& sources, const MappedText& text,
                                    const LaunchReading& reading, const WordedCommand& surroundings,
                                    Diagnostics& warnings) {
  CommandReader reader(sources, reading, warnings);
  reader.read_text(text, surroundings, 0);
  return std::move(reader.launches);
}

}  // namespace assay
