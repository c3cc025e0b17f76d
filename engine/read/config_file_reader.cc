// The engine turns the file into words of a command line and lets argparse read them, before those
// of the command. So does this: each entry becomes a flag, which is the key with two dashes in
// front, whatever the key is, and the words of its value. Keys are thus spelt with dashes, may be a
// prefix, and a switch takes true and false only. Source: SGLang's
// srt/utils/server_args_config_parser.py (ConfigArgumentMerger), on PyYAML's safe_load.
//
// The file becomes a source of its own, so that its faults show its lines.
#include "engine/read/config_file_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ascii.h"
#include "engine/read/argument_words.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/flag_reader.h"
#include "engine/read/launch_faults.h"
#include "engine/read/python_text.h"
#include "engine/read/scalar_text.h"
#include "engine/text/python_yaml.h"
#include "engine/text/yaml_scalar.h"

namespace assay {
namespace {

constexpr std::size_t kMaxConfigBytes = 4u << 20;

// Python's Path(path).suffix in lower case.
std::string suffix_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const auto point = name.rfind('.');
  if (point == std::string_view::npos || point == 0 || point + 1 == name.size()) return {};
  std::string suffix(name.substr(point));
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), to_lower);
  return suffix;
}

// The argument that `key` means, as one of its flags or as its name; null: none.
const FactDeclaration* argument_of(const FactSchema& schema, std::string_view key) {
  const auto flagged = schema.by_flag.find("--" + with_dashes(key));
  if (flagged != schema.by_flag.end()) return &schema.facts[flagged->second];
  const auto named = schema.by_name.find(with_underscores(key));
  const bool is_argument = named != schema.by_name.end() && schema.facts[named->second].is_argument;
  return is_argument ? &schema.facts[named->second] : nullptr;
}

bool stores_false(const Flag& flag) {
  return flag.stores && flag.stores->kind == NodeKind::boolean && !flag.stores->boolean;
}

bool is_switch(const std::vector<Flag>& flags) {
  return std::any_of(flags.begin(), flags.end(),
                     [](const Flag& flag) { return flag.stores.has_value(); });
}

// Neither a plain switch nor an option with a value: a switch with a --no- form, and one that is
// only there to say that it is deprecated.
bool is_unsupported(const std::vector<Flag>& flags) {
  const bool is_only_deprecated = !flags.empty() && flags.front().is_deprecated;
  return is_switch(flags) &&
         (is_only_deprecated || std::any_of(flags.begin(), flags.end(), stores_false));
}

// str() of a value, as a word of the command line.
std::string text_of(const Node& value) {
  switch (value.kind) {
    case NodeKind::mapping:
      return write_json(value);
    case NodeKind::real:
      return python_float(value.real);
    case NodeKind::string:
    case NodeKind::integer:
      return value.text;
    default:
      return python_repr(value);
  }
}

class ConfigReader {
 public:
  ConfigReader(SourceSet& sources, const NamedConfigFile& file, const PackRelease& release,
               Launch& launch)
      : sources_(sources), file_(file), release_(release), pack_(release.pack()), launch_(launch) {}

  void read();

 private:
  void refuse(DiagnosticCode code, Span span, std::string message, std::string help = {}) {
    add_parser_fault(launch_, code, span, pack_.config_flag, std::move(message), std::move(help));
  }
  void leave_unread(std::string_view why) {
    add_launch_fault(launch_, Severity::warning, code::unreadable_file, file_.named_at,
                     pack_.config_flag,
                     "the config file `" + file_.path +
                         "` is not read, so its arguments are not checked" + std::string(why));
  }
  void add_entry(const Entry& entry);
  void add_key(const Entry& entry) { add_word("--" + entry.key, entry.key_span); }
  void add_word(std::string text, Span span);
  void add_value(const Node& value);
  bool is_text_key(const Entry& entry) const;

  SourceSet& sources_;
  const NamedConfigFile& file_;
  const PackRelease& release_;
  const RulePack& pack_;
  Launch& launch_;
  std::vector<ShellWord> words_;
};

void ConfigReader::read() {
  launch_.has_unseen_arguments = true;  // until it is read
  const std::string suffix = suffix_of(file_.path);
  if (suffix != ".yaml" && suffix != ".yml")
    return refuse(code::invalid_flag_value, file_.named_at,
                  "Config file must be YAML format, got: " + suffix,
                  "Give it a name that ends in .yaml or .yml.");
  if (file_.files == nullptr) return leave_unread("");
  const auto source = add_file(sources_, *file_.files, file_.path, kMaxConfigBytes);
  if (!source && !file_.is_of_this_machine) return leave_unread(": it is not on this machine");
  if (!source) {
    Diagnostic fault = source.error().front();
    fault.span = file_.named_at;
    launch_.faults.push_back({std::move(fault), {}, pack_.config_flag});
    return;
  }
  Diagnostics warnings;
  const auto map = read_python_yaml(sources_, *source, warnings);
  for (const Diagnostic& fault : map ? warnings : map.error())
    launch_.faults.push_back({fault, {}, pack_.config_flag});
  if (!map) return;
  if (map->kind != NodeKind::mapping && map->kind != NodeKind::null)
    return refuse(code::wrong_type, map->span,
                  "Config file must contain a dictionary at root level",
                  "This is " + std::string(to_string(map->kind)) + ".");
  launch_.has_unseen_arguments = false;
  for (const Entry& entry : map->entries) add_entry(entry);
  FlagReading reading{release_, {}};
  reading.is_config_file = true;
  read_flags(sources_, words_, reading, launch_);
}

void ConfigReader::add_entry(const Entry& entry) {
  const std::string name = with_underscores(entry.key);
  if (!is_text_key(entry))
    return refuse(code::wrong_type, entry.key_span,
                  "a key must be a string, to Python `" + entry.key + "` is none",
                  "Put it in quotes.");
  const FactDeclaration* argument = argument_of(pack_.schema, entry.key);
  const std::vector<Flag>* flags = argument == nullptr ? nullptr : &argument->flags;
  const auto& refused = pack_.config_refuses;
  const bool is_refused = argument != nullptr && std::find(refused.begin(), refused.end(),
                                                           argument->name) != refused.end();
  if (is_refused || (flags != nullptr && is_unsupported(*flags))) {
    LaunchFault& fault =
        add_parser_fault(launch_, code::unknown_key, entry.key_span, entry.key,
                         "Unsupported config option '" + name + "'",
                         "The engine takes it from the command line only: write `--" +
                             with_dashes(name) + "` there.");
    fault.may_be_known_elsewhere = true;
    return;
  }
  const Node& value = entry.value;
  if (value.kind == NodeKind::boolean && flags != nullptr && is_switch(*flags)) {
    if (value.boolean) add_key(entry);
    return;
  }
  if (value.kind == NodeKind::sequence) {
    if (!value.items.empty()) add_key(entry);
    for (const Node& item : value.items) add_value(item);
    return;
  }
  add_key(entry);
  if (value.kind == NodeKind::boolean)
    add_word(value.text, value.span);
  else
    add_value(value);
}

// An unquoted number or boolean is no string to Python, and the engine's reading of it ends.
bool ConfigReader::is_text_key(const Entry& entry) const {
  const std::string_view written = sources_.text(entry.key_span);
  if (written.starts_with('"') || written.starts_with('\'')) return true;
  Node key;
  key.text = entry.key;
  resolve_python_scalar(key);
  return key.is_string();
}

void ConfigReader::add_word(std::string text, Span span) {
  ShellWord word;
  word.content = MappedText::opaque(span, text);
  word.span = span;
  words_.push_back(std::move(word));
}

void ConfigReader::add_value(const Node& value) {
  add_word(text_of(value), value.span);
  if (!value.is_string() || value.text.empty()) return;
  ScalarText text = read_scalar_text(sources_, value);
  if (text.has_places) words_.back().content = std::move(text.content);
}

}  // namespace

void read_config_file(SourceSet& sources, const NamedConfigFile& file, const PackRelease& release,
                      Launch& launch) {
  ConfigReader(sources, file, release, launch).read();
}

}  // namespace assay
