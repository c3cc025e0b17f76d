// The file is read strictly, like every other YAML of ours. A list in the environment is separated
// by blanks.
#include "tools/cli/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "engine/text/diagnostic_rendering.h"
#include "engine/text/yaml_reader.h"
#include "tools/cli/command_line.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxSettingsBytes = 1u << 20;
constexpr const char* kFileName = "assay.yaml";

bool is_given(const Option& option) {
  if (bool* const* flag = std::get_if<bool*>(&option.target)) return **flag;
  if (auto* const* value = std::get_if<std::optional<std::string>*>(&option.target))
    return (*value)->has_value();
  return !std::get<std::vector<std::string>*>(option.target)->empty();
}

bool takes_many(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}

// A file of settings that a shell reads, or a CI page, easily leaves a blank or a CR behind.
std::string without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

void apply_environment(const Option& option, Diagnostics& faults) {
  const std::string name = environment_name(option.name);
  const char* found = std::getenv(name.c_str());
  const std::string text = found == nullptr ? std::string() : without_blanks_around(found);
  if (text.empty()) return;
  std::vector<std::string> values{text};
  if (takes_many(option)) {
    std::istringstream words(text);
    values.assign(std::istream_iterator<std::string>(words), {});
  }
  for (const std::string& value : values)
    if (auto fault = set_option(option, value))
      faults.push_back(make_error(code::invalid_value, {}, name + ": " + *fault));
}

std::optional<std::string> find_file(const FileSystem& files) {
  std::error_code fault;
  std::filesystem::path folder = std::filesystem::current_path(fault);
  while (!fault && !folder.empty()) {
    const std::string path = (folder / kFileName).string();
    if (files.is_file(path)) return path;
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

void apply_scalar(const Option& option, const Node& node, const std::string& folder,
                  Diagnostics& faults) {
  const bool is_switch = std::holds_alternative<bool*>(option.target);
  if (is_switch != (node.kind == NodeKind::boolean) || !node.is_scalar() ||
      node.kind == NodeKind::null) {
    faults.push_back(make_error(code::wrong_type, node.span,
                                "`" + std::string(option.name) + "` takes " +
                                    (is_switch ? "true or false" : "a text") + ", found " +
                                    std::string(to_string(node.kind))));
    return;
  }
  std::string text = is_switch ? (node.boolean ? "true" : "false") : node.text;
  if (option.is_path && !text.empty())
    text = (std::filesystem::path(folder) / text).lexically_normal().string();
  if (auto fault = set_option(option, text))
    faults.push_back(make_error(code::invalid_value, node.span, *fault));
}

std::vector<std::string> every_setting(const std::vector<Verb>& verbs) {
  std::set<std::string> names;
  CommonOptions common;
  std::vector<Option> options = common_option_table(common);
  for (const Verb& verb : verbs) {
    const std::unique_ptr<Command> command = verb.make();
    for (const Option& option : command->syntax().options)
      if (option.is_setting) names.emplace(option.name);
  }
  for (const Option& option : options)
    if (option.is_setting) names.emplace(option.name);
  return {names.begin(), names.end()};
}

Diagnostic unknown_setting(const Entry& entry, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view close = closest_name(entry.key, candidates);
  return make_error(code::unknown_key, entry.key_span, "`" + entry.key + "` is no option of assay",
                    close.empty() ? "keys are the names of options, without dashes in front"
                                  : "did you mean `" + std::string(close) + "`?");
}

void apply_file(const Node& root, const std::vector<Option>& unset,
                const std::vector<std::string>& names, const std::string& folder,
                Diagnostics& faults) {
  for (const Entry& entry : root.entries) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
      faults.push_back(unknown_setting(entry, names));
      continue;
    }
    const auto option = std::find_if(unset.begin(), unset.end(),
                                     [&](const Option& o) { return o.name == entry.key; });
    if (option == unset.end()) continue;
    if (takes_many(*option) && entry.value.kind == NodeKind::sequence) {
      for (const Node& item : entry.value.items) apply_scalar(*option, item, folder, faults);
    } else {
      apply_scalar(*option, entry.value, folder, faults);
    }
  }
}

}  // namespace

std::string environment_name(std::string_view option) {
  std::string name = "ASSAY_";
  for (const char c : option)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

Diagnostics apply_settings(const std::vector<Option>& options, const std::vector<Verb>& verbs,
                           Session& session) {
  Diagnostics faults;
  std::vector<Option> unset;
  for (const Option& option : options) {
    if (!option.is_setting || is_given(option)) continue;
    apply_environment(option, faults);
    if (!is_given(option)) unset.push_back(option);
  }
  const std::optional<std::string> path = find_file(session.files);
  if (!path) return faults;
  const auto source = add_file(session.sources, session.files, *path, kMaxSettingsBytes);
  if (!source) return source.error();
  const auto root = read_yaml(session.sources, *source);
  if (!root) return root.error();
  if (root->kind != NodeKind::mapping) {
    faults.push_back(
        make_error(code::wrong_type, root->span,
                   "expected a mapping of options, found " + std::string(to_string(root->kind))));
    return faults;
  }
  apply_file(*root, unset, every_setting(verbs),
             std::filesystem::path(*path).parent_path().string(), faults);
  return faults;
}

}  // namespace assay::cli
