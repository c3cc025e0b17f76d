// What a text is shows in its first characters and, for YAML and JSON, in its keys: a log with a
// dump in it, a JSON object or list, a YAML map, else shell text. Nothing is guessed twice: once
// recognised, a text's faults are those of its kind.
#include "engine/read/launch_reader.h"

#include <algorithm>

#include "engine/read/argument_map_reader.h"
#include "engine/read/dockerfile_reader.h"
#include "engine/read/launch_command_reader.h"
#include "engine/read/manifest_reader.h"
#include "engine/read/server_args_reader.h"
#include "engine/read/template_mask.h"
#include "engine/read/unit_file_reader.h"
#include "engine/text/json_reader.h"
#include "engine/text/plain_text.h"
#include "engine/text/python_yaml.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

constexpr std::size_t kMaxBytes = 64u << 20;
constexpr std::size_t kMaxShellBytes = 16u << 20;

// The first line that is neither empty nor a comment.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    line.remove_prefix(begin);
    if (line[0] != '#' || line.starts_with("#!")) return line;
  }
  return {};
}

// `key:` or `"key": value` starts a YAML map; a shell word may hold a colon, but not a blank or
// line end right behind it.
bool starts_yaml_map(std::string_view line) {
  if (line.starts_with("---") || line.starts_with("%YAML")) return true;
  std::size_t at = 0;
  const char quote = line.empty() ? '\0' : line[0];
  if (quote == '(' || quote == '[' || quote == '$') return false;  // a remark, a log line
  if (quote == '"' || quote == '\'') {
    at = line.find(quote, 1);
    if (at == std::string_view::npos) return false;
    ++at;
  } else {
    at = std::min(line.find_first_of(": \t\r"), line.size());
  }
  if (at == 0 || at >= line.size() || line[at] != ':') return false;
  return at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\r' ||
         line[at + 1] == '\t';
}

Span first_line_span(const SourceSet& sources, SourceId source) {
  const std::string_view text = sources.get(source).text();
  const std::string_view line = first_line(text);
  if (line.empty()) return {source, 0, 0};
  const auto begin = static_cast<std::uint32_t>(line.data() - text.data());
  return {source, begin, begin + static_cast<std::uint32_t>(line.size())};
}

class LaunchReader {
 public:
  LaunchReader(SourceSet& sources, SourceId source, const LaunchReading& reading,
               Diagnostics& warnings)
      : sources_(sources), source_(source), reading_(reading), warnings_(warnings) {}

  Result<std::vector<Launch>> read() {
    const Span all = whole_source(sources_, source_);
    if (auto fault = find_text_fault(sources_, all, kMaxBytes);
        fault && !(fault->code == code::invalid_utf8))
      return *fault;
    switch (reading_.kind) {
      case InputKind::command:
        return read_shell(all);
      case InputKind::map:
        return read_map(true);
      case InputKind::dump:
        return read_dump();
      case InputKind::server_info:
        return read_info();
      case InputKind::manifest:
        return read_manifest(sources_, source_, reading_, warnings_);
      case InputKind::dockerfile:
        return read_dockerfile(sources_, source_, reading_, warnings_);
      case InputKind::unit_file:
        return read_unit_file(sources_, source_, reading_, warnings_);
      case InputKind::automatic:
        break;
    }
    return recognise(all);
  }

 private:
  Result<std::vector<Launch>> recognise(Span all) {
    const std::string_view text = sources_.text(all);
    if (holds_dump(text)) return read_dump();
    const std::string_view line = first_line(text);
    if (is_templated_manifest(text) && (line.starts_with("{{") || starts_yaml_map(line)))
      return read_manifest(sources_, source_, reading_, warnings_);
    if (is_dockerfile(line)) return read_dockerfile(sources_, source_, reading_, warnings_);
    if (is_unit_file(line)) return read_unit_file(sources_, source_, reading_, warnings_);
    if (line.starts_with("{")) return read_json_document();
    if (line.starts_with("[\"") || line.starts_with("[ \"") || line == "[") return read_list();
    if (!starts_yaml_map(line)) return read_shell(all);
    auto documents = read_yaml_stream(sources_, source_);
    const bool has_manifest =
        documents && std::any_of(documents->begin(), documents->end(), is_manifest);
    if (has_manifest) return read_manifest(sources_, source_, reading_, warnings_);
    if (documents)
      if (auto values = read_manifest(sources_, source_, reading_, warnings_)) return values;
    auto map = read_map(false);  // it allows equal keys, as an engine does
    if (!map && !documents) return std::move(documents.error());
    return map;
  }

  Result<std::vector<Launch>> read_json_document() {
    ASSAY_TRY(const Node document, read_json(sources_, source_));
    if (is_manifest(document)) return read_manifest(sources_, source_, reading_, warnings_);
    if (is_server_info(document)) return read_server_info(document, reading_, warnings_);
    return map_launch(document, false);
  }

  Result<std::vector<Launch>> read_list() {
    ASSAY_TRY(const Node list, read_json(sources_, source_));
    auto launches = read_word_list(sources_, list, reading_, warnings_);
    if (launches.empty()) return not_a_launch("this list of words starts no known engine");
    return launches;
  }

  Result<std::vector<Launch>> read_dump() {
    auto launches = read_dumps(sources_, source_, reading_, warnings_);
    if (launches.empty())
      return not_a_launch("no ServerArgs(...) of a known engine is in this text");
    return launches;
  }

  Result<std::vector<Launch>> read_info() {
    ASSAY_TRY(const Node document, read_json(sources_, source_));
    return read_server_info(document, reading_, warnings_);
  }

  Result<std::vector<Launch>> read_map(bool is_told) {
    const bool is_json = first_line(sources_.get(source_).text()).starts_with("{");
    Diagnostics equal_keys;
    auto document =
        is_json ? read_json(sources_, source_) : read_python_yaml(sources_, source_, equal_keys);
    if (!document) return std::move(document.error());
    auto launches = map_launch(*document, is_told);
    if (launches) append(warnings_, std::move(equal_keys));
    return launches;
  }

  Result<std::vector<Launch>> map_launch(const Node& map, bool is_told) {
    std::size_t named = 0;
    const RulePack* pack = closest_pack(map, reading_.packs, named);
    if (pack == nullptr && is_told && !reading_.packs.empty() && map.kind == NodeKind::mapping)
      pack = reading_.packs[0];
    if (pack == nullptr || (!is_told && named * 3 < map.entries.size()))
      return make_error(code::unrecognised_input, first_line_span(sources_, source_),
                        "this is no command, map of arguments, dump or manifest of a known engine",
                        "Say what it is with --input KIND.");
    Launch launch;
    launch.pack = pack->name;
    launch.release = reading_.release;
    launch.form = LaunchForm::map;
    launch.span = map.span;
    if (!map.entries.empty()) {
      const Span last = map.entries.back().value.span;
      launch.append_at = {last.source, last.end, last.end};
    }
    const bool is_json = sources_.text(map.span).starts_with('{');
    read_argument_map(map, PackRelease(*pack, reading_.release), UnknownKeys::refused,
                      is_json ? MapUse::keywords : MapUse::config_file, launch);
    std::vector<Launch> launches;
    launches.push_back(std::move(launch));
    return launches;
  }

  Result<std::vector<Launch>> read_shell(Span all);

  Diagnostic not_a_launch(std::string message) const {
    return make_error(code::not_a_launch, first_line_span(sources_, source_), std::move(message));
  }

  SourceSet& sources_;
  const SourceId source_;
  const LaunchReading& reading_;
  Diagnostics& warnings_;
};

std::string known_launchers(std::span<const RulePack* const> packs) {
  std::string names;
  for (const RulePack* pack : packs) {
    for (const Launcher& launcher : pack->launchers) {
      names += names.empty() ? "`" : ", `";
      for (std::size_t i = 0; i < launcher.words.size(); ++i)
        names += (i == 0 ? "" : " ") + launcher.words[i];
      names += '`';
    }
  }
  return names;
}

Result<std::vector<Launch>> LaunchReader::read_shell(Span all) {
  if (all.end - all.begin > kMaxShellBytes)
    return make_error(code::file_too_large, {source_, all.begin, all.begin},
                      "shell text of more than 16 MiB is not read");
  Diagnostics found;
  const MappedText text = MappedText::verbatim(source_, all.begin, sources_.text(all));
  auto launches = read_shell_text(sources_, text, reading_, {}, found);
  if (launches.empty()) {
    Diagnostics faults;
    for (Diagnostic& diagnostic : found)
      (diagnostic.severity == Severity::error ? faults : warnings_)
          .push_back(std::move(diagnostic));
    Diagnostic fault = not_a_launch("no known engine is started here");
    const std::string launchers = known_launchers(reading_.packs);
    if (!launchers.empty()) fault.help = "Known are " + launchers + ".";
    faults.push_back(std::move(fault));
    return faults;
  }
  // What lies outside every launch only concerns its neighbours.
  for (Diagnostic& diagnostic : found) {
    diagnostic.severity = std::min(diagnostic.severity, Severity::warning);
    warnings_.push_back(std::move(diagnostic));
  }
  return launches;
}

}  // namespace

std::optional<InputKind> find_input_kind(std::string_view name) {
  const auto found = std::ranges::find(kInputKindNames, name, &InputKindName::name);
  if (found == kInputKindNames.end()) return std::nullopt;
  return found->kind;
}

Result<std::vector<Launch>> read_launches(SourceSet& sources, SourceId source,
                                          const LaunchReading& reading, Diagnostics& warnings) {
  return LaunchReader(sources, source, reading, warnings).read();
}

Result<Launch> read_command(SourceSet& sources, std::span<const std::string> argv,
                            const LaunchReading& reading, Diagnostics& warnings) {
  std::string text;
  for (const std::string& word : argv) {
    if (!text.empty()) text += ' ';
    text += quote_shell_word(word);
  }
  const SourceId source = sources.add("<command line>", std::move(text));
  LaunchReading as_command = reading;
  as_command.kind = InputKind::command;
  as_command.runs_here = true;
  ASSAY_TRY(std::vector<Launch> launches, read_launches(sources, source, as_command, warnings));
  return std::move(launches.front());
}

}  // namespace assay
