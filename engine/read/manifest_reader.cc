// Manifests are walked without a schema: any mapping with `containers` is a pod, any with
// `services` a compose file, so that custom resources and templates of operators are read as well.
// What a container runs is `command` and `args` in Kubernetes, `entrypoint` and `command` in
// compose.
#include "engine/read/manifest_reader.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/read/launch_command_reader.h"
#include "engine/read/scalar_text.h"
#include "engine/read/template_mask.h"
#include "engine/read/text_edits.h"
#include "engine/read/typography_faults.h"
#include "engine/read/values_reader.h"
#include "engine/text/json_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

constexpr std::size_t kMaxManifestLaunches = 1024;

enum class Dialect : std::uint8_t { kubernetes, compose };

using Variables = std::map<std::string, std::string>;

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string text_of(const Node* node) {
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

// What the orchestrator puts in place of $(NAME) (Kubernetes) or ${NAME}, ${NAME:-x}, $$ (compose).
struct Interpolated {
  MappedText content;
  bool is_unresolved = false;
  bool is_substituted = false;
};

class Interpolation {
 public:
  Interpolation(Dialect dialect, const Variables& variables, const TemplateMask* templates)
      : dialect_(dialect), variables_(variables), templates_(templates) {}

  bool is_of_template(Span span) const {
    return templates_ != nullptr && templates_->touches(span);
  }

  Interpolated apply(const MappedText& in) const {
    const std::string& text = in.text();
    if (text.find('$') == std::string::npos) return {in, false, false};
    Interpolated result;
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] != '$' || !apply_at(in, at, result)) {
        result.content.append(in, at, at + 1);
        ++at;
      }
    }
    return result;
  }

 private:
  bool apply_at(const MappedText& in, std::size_t& at, Interpolated& result) const {
    const std::string& text = in.text();
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const auto put = [&](std::string_view value, std::size_t end) {
      result.content.append_opaque(value, in.span(at, end));
      result.is_substituted = true;
      at = end;
      return true;
    };
    if (next == '$') {
      result.content.append('$', in.span(at, at + 2));
      at += 2;
      return true;
    }
    const char open = dialect_ == Dialect::kubernetes ? '(' : '{';
    const char close = dialect_ == Dialect::kubernetes ? ')' : '}';
    const bool is_bracketed = next == open;
    if (!is_bracketed && (dialect_ == Dialect::kubernetes || !is_name_byte(next))) return false;
    const auto begin = at + (is_bracketed ? 2 : 1);
    auto name_end = begin;
    while (name_end < text.size() && is_name_byte(text[name_end])) ++name_end;
    const auto end = is_bracketed ? text.find(close, name_end) : name_end;
    if (end == std::string::npos || name_end == begin) return false;
    const auto known = variables_.find(text.substr(begin, name_end - begin));
    if (known != variables_.end() && dialect_ == Dialect::kubernetes)
      return put(known->second, end + 1);
    const std::string_view operation(text.data() + name_end, end - name_end);
    if (operation.starts_with(":-")) return put(operation.substr(2), end + 1);
    if (operation.starts_with("-")) return put(operation.substr(1), end + 1);
    result.is_unresolved = true;
    return false;
  }

  Dialect dialect_;
  const Variables& variables_;
  const TemplateMask* templates_;
};

ShellWord word_of(const SourceSet& sources, const Node& scalar,
                  const Interpolation& interpolation) {
  const ScalarText text = read_scalar_text(sources, scalar);
  Interpolated interpolated = interpolation.apply(text.content);
  ShellWord word;
  word.span = scalar.span;
  word.content = std::move(interpolated.content);
  if (word.text().empty()) word.content = MappedText::opaque(scalar.span, "");
  word.is_unresolved = interpolated.is_unresolved || interpolation.is_of_template(scalar.span);
  word.is_substituted = interpolated.is_substituted || !text.has_places;
  return word;
}

class ManifestReader {
 public:
  ManifestReader(SourceSet& sources, const LaunchReading& reading, const TemplateMask* templates,
                 Diagnostics& warnings)
      : sources_(sources), reading_(reading), templates_(templates), warnings_(warnings) {}

  void walk(const Node& node, const std::string& owner);
  void read_container(const Node& container, const std::string& label, Dialect dialect);

  std::vector<Launch> launches;

 private:
  std::vector<EnvironmentSetting> read_environment(const Node& container, Dialect dialect) const;
  bool is_of_template(Span span) const {
    return templates_ != nullptr && templates_->touches(span);
  }
  // Appends the words of a list or of a command line in one string.
  void add_words(const Node& node, const Interpolation& interpolation, WordedCommand& command);

  SourceSet& sources_;
  const LaunchReading& reading_;
  const TemplateMask* templates_;  // null: there are none
  Diagnostics& warnings_;
  Diagnostics found_in_text_;  // of the container that is read
};

void ManifestReader::walk(const Node& node, const std::string& owner) {
  if (launches.size() >= kMaxManifestLaunches) return;
  for (const Node& item : node.items) walk(item, owner);
  std::string inner_owner = owner;
  const Node* kind = node.find("kind");
  const Node* metadata = node.find("metadata");
  if (kind != nullptr && kind->is_string()) {
    const std::string name = metadata != nullptr ? text_of(metadata->find("name")) : "";
    inner_owner = kind->text + (name.empty() ? "" : " `" + name + "`");
  }
  for (const Entry& entry : node.entries) {
    const bool are_containers = entry.key == "containers" || entry.key == "initContainers";
    const bool are_services =
        entry.key == "services" && kind == nullptr && entry.value.kind == NodeKind::mapping;
    if (are_containers && entry.value.kind == NodeKind::sequence) {
      for (const Node& container : entry.value.items) {
        const std::string name = text_of(container.find("name"));
        std::string label = name.empty() ? "container" : "container `" + name + "`";
        if (!inner_owner.empty()) label += " of " + inner_owner;
        read_container(container, label, Dialect::kubernetes);
      }
    } else if (are_services) {
      for (const Entry& service : entry.value.entries)
        read_container(service.value, "service `" + service.key + "`", Dialect::compose);
    } else {
      walk(entry.value, inner_owner);
    }
  }
}

std::vector<EnvironmentSetting> ManifestReader::read_environment(const Node& container,
                                                                 Dialect dialect) const {
  std::vector<EnvironmentSetting> settings;
  const Node* node = container.find(dialect == Dialect::kubernetes ? "env" : "environment");
  if (node == nullptr) return settings;
  for (const Entry& entry : node->entries) {  // compose: a map
    const bool is_known = entry.value.is_scalar() && entry.value.kind != NodeKind::null &&
                          entry.value.text.find('$') == std::string::npos;
    settings.push_back({entry.key, text_of(&entry.value), entry.key_span, is_known});
  }
  for (const Node& item : node->items) {
    if (item.is_scalar()) {  // compose: NAME=value
      const auto equals = item.text.find('=');
      const bool has_value = equals != std::string::npos;
      settings.push_back({item.text.substr(0, equals),
                          has_value ? item.text.substr(equals + 1) : "", item.span,
                          has_value && item.text.find('$') == std::string::npos});
      continue;
    }
    const Node* value = item.find("value");
    const std::string name = text_of(item.find("name"));
    if (!name.empty())
      settings.push_back({name, text_of(value), item.find("name")->span,
                          value != nullptr && !is_of_template(value->span)});
  }
  return settings;
}

void ManifestReader::add_words(const Node& node, const Interpolation& interpolation,
                               WordedCommand& command) {
  const std::uint32_t begin = node.span.begin;
  std::uint32_t end = node.span.end;
  // The comment of a block list's last item goes where that goes.
  const bool is_block_list = node.kind == NodeKind::sequence && !node.items.empty() &&
                             sources_.text(node.span).starts_with('-');
  if (is_block_list) end = end_with_comment(sources_.get(node.span.source).text(), end);
  if (!command.span.is_known()) command.span = node.span;
  command.span.begin = std::min(command.span.begin, begin);
  command.span.end = std::max(command.span.end, end);
  if (node.kind == NodeKind::sequence) {
    for (const Node& item : node.items)
      if (item.is_scalar()) command.words.push_back(word_of(sources_, item, interpolation));
    command.form = LaunchForm::word_list;
    return;
  }
  if (!node.is_scalar() || node.kind == NodeKind::null) return;
  const ScalarText text = read_scalar_text(sources_, node);
  const Interpolated interpolated = interpolation.apply(text.content);
  const bool is_editable = text.has_places && !interpolated.is_substituted;
  // compose splits the string into words; no shell runs it, and no operator ends it.
  ShellScript script = split_shell(interpolated.content, found_in_text_);
  for (ShellCommand& part : script.commands)
    std::move(part.words.begin(), part.words.end(), std::back_inserter(command.words));
  command.form = LaunchForm::shell;
  command.enclosures = {is_editable ? text.style : Enclosure::opaque};
}

void ManifestReader::read_container(const Node& container, const std::string& label,
                                    Dialect dialect) {
  if (container.kind != NodeKind::mapping) return;
  const bool is_kubernetes = dialect == Dialect::kubernetes;
  const Node* first = container.find(is_kubernetes ? "command" : "entrypoint");
  const Node* second = container.find(is_kubernetes ? "args" : "command");
  WordedCommand command;
  command.label = label;
  const Node* image = container.find("image");
  command.image = text_of(image);
  if (image != nullptr && templates_ != nullptr)
    command.image = templates_->restored(command.image, image->span);
  if (image != nullptr) command.image_span = image->span;
  command.gpus = requested_gpus(container);
  command.is_elsewhere = true;
  command.environment = read_environment(container, dialect);
  Variables variables;
  for (const EnvironmentSetting& setting : command.environment)
    if (setting.is_known) variables[setting.name] = setting.value;
  const Interpolation interpolation(dialect, variables, templates_);
  found_in_text_.clear();
  if (first != nullptr) add_words(*first, interpolation, command);
  const std::size_t first_words = command.words.size();
  const LaunchForm first_form = command.form;
  if (second != nullptr) add_words(*second, interpolation, command);
  if (command.words.empty()) return;
  const bool are_mixed =
      first_words > 0 && first_words < command.words.size() && first_form != command.form;
  auto found = read_worded_command(sources_, command, reading_, warnings_);
  const CommandLaunches made{command.span, 0, found.size()};
  give_text_faults(sources_, std::move(found_in_text_), {&made, found.empty() ? 0u : 1u}, found,
                   warnings_);
  for (Launch& launch : found) {
    const auto in_first = [&](const LaunchArgument& argument) {
      return argument.flag_span.begin >= first->span.begin &&
             argument.flag_span.end <= first->span.end;
    };
    // A list and a string: flags in both cannot be edited in one way.
    if (are_mixed && std::any_of(launch.arguments.begin(), launch.arguments.end(), in_first))
      launch.enclosures = {Enclosure::opaque};
    launches.push_back(std::move(launch));
  }
}

}  // namespace

bool is_manifest(const Node& document) {
  if (document.kind != NodeKind::mapping) return false;
  const Node* kind = document.find("kind");
  const Node* services = document.find("services");
  const bool is_object = kind != nullptr && kind->is_string() &&
                         (document.find("metadata") != nullptr ||
                          document.find("spec") != nullptr || document.find("items") != nullptr);
  return is_object || document.find("apiVersion") != nullptr ||
         document.find("containers") != nullptr ||
         (services != nullptr && services->kind == NodeKind::mapping);
}

namespace {

Result<std::vector<Launch>> read_documents(SourceSet& sources, SourceId source,
                                           const LaunchReading& reading,
                                           const TemplateMask* templates, Diagnostics& warnings) {
  const std::string_view text = sources.get(source).text();
  const auto first = text.find_first_not_of(" \t\r\n");
  std::vector<Node> documents;
  if (first != std::string_view::npos && text[first] == '{') {
    ASSAY_TRY(Node document, read_json(sources, source));
    documents.push_back(std::move(document));
  } else {
    ASSAY_TRY(documents, read_yaml_stream(sources, source));
  }
  ManifestReader reader(sources, reading, templates, warnings);
  for (const Node& document : documents) reader.walk(document, "");
  if (reader.launches.empty())
    for (const Node& document : documents)
      read_values(document, reading.packs, [&](const Node& container, const std::string& label) {
        const std::size_t first_new = reader.launches.size();
        reader.read_container(container, label, Dialect::kubernetes);
        return std::span(reader.launches).subspan(first_new);
      });
  if (!reader.launches.empty()) return std::move(reader.launches);
  const auto end = static_cast<std::uint32_t>(
      std::min<std::size_t>(sources.get(source).text().find('\n'), text.size()));
  return make_error(code::not_a_launch, {source, 0, end},
                    "no container of this manifest starts a known engine");
}

}  // namespace

Result<std::vector<Launch>> read_manifest(SourceSet& sources, SourceId source,
                                          const LaunchReading& reading, Diagnostics& warnings) {
  if (!holds_templates(sources.get(source).text()))
    return read_documents(sources, source, reading, nullptr, warnings);
  const TemplateMask mask(sources.get(source).text());
  const SourceId masked = sources.add(sources.get(source).name(), mask.text());
  auto launches = read_documents(sources, masked, reading, &mask, warnings);
  mask.restore(masked, source, warnings);
  if (!launches) {
    Diagnostics faults = std::move(launches.error());
    mask.restore(masked, source, faults);
    return faults;
  }
  for (Launch& launch : *launches) mask.restore(masked, source, launch);
  return launches;
}

std::vector<Launch> read_word_list(SourceSet& sources, const Node& list,
                                   const LaunchReading& reading, Diagnostics& warnings) {
  const Variables none;
  const Interpolation interpolation(Dialect::kubernetes, none, nullptr);
  WordedCommand command;
  command.form = LaunchForm::word_list;
  command.span = list.span;
  for (const Node& item : list.items)
    if (item.is_scalar()) command.words.push_back(word_of(sources, item, interpolation));
  return read_worded_command(sources, command, reading, warnings);
}

}  // namespace assay
