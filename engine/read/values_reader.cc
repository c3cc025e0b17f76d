// The document is walked; what lies around a list or string (`env`, an `image` as text or as a map
// of repository and tag) becomes a container around it, whose nodes keep their places. Flags alone
// are an engine's where it takes two thirds of them, at least two, or one beside its image.
#include "engine/read/values_reader.h"

#include <algorithm>
#include <vector>

#include "engine/read/flag_lookup.h"
#include "engine/read/launcher_match.h"
#include "engine/text/diagnostic.h"
#include "engine/text/shell_words.h"

namespace assay {
namespace {

constexpr std::size_t kMaxContainers = 4096;
constexpr std::size_t kMaxText = 64u << 10;  // of a string that is looked at

std::string text_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

// `image: repository:tag`, or its parts.
std::string image_of(const Node& map) {
  const Node* image = map.find("image");
  if (image == nullptr) return {};
  if (image->is_scalar()) return image->text;
  std::string name = text_at(*image, "repository");
  if (name.empty()) name = text_at(*image, "name");
  const std::string tag = text_at(*image, "tag");
  return tag.empty() || name.empty() ? name : name + ":" + tag;
}

Node text_node(std::string text, Span span) {
  Node node;
  node.kind = NodeKind::string;
  node.quoted = true;
  node.text = std::move(text);
  node.span = span;
  return node;
}

// bash -c TEXT
Node script_node(const Node& text) {
  Node list;
  list.kind = NodeKind::sequence;
  list.span = text.span;
  const Span nowhere{text.span.source, text.span.begin, text.span.begin};
  list.items = {text_node("bash", nowhere), text_node("-c", nowhere), text};
  return list;
}

class ValuesReader {
 public:
  ValuesReader(std::span<const RulePack* const> packs, const ContainerRead& read)
      : packs_(packs), read_(read) {}

  void walk(const Node& node, const std::string& path, const std::string& image) {
    if (containers_ >= kMaxContainers) return;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      walk(node.items[i], path + "[" + std::to_string(i) + "]", image);
    if (node.entries.empty()) return;
    const std::string own_image = image_of(node);
    const std::string& near_image = own_image.empty() ? image : own_image;
    const bool is_container =
        std::ranges::any_of(node.entries, [](const Entry& entry) { return is_command(entry); });
    if (is_container) read_one(node, "", path, near_image);
    for (const Entry& entry : node.entries) {
      const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
      const bool is_text = entry.value.is_string();
      const bool is_list = entry.value.kind == NodeKind::sequence &&
                           std::ranges::all_of(entry.value.items, &Node::is_scalar);
      if (is_command(entry)) continue;
      if ((is_text || is_list))
        read_one(node, entry.key, inner, near_image);
      else
        walk(entry.value, inner, near_image);
    }
  }

 private:
  static bool is_command(const Entry& entry) {
    return (entry.key == "command" || entry.key == "args") &&
           (entry.value.is_string() || entry.value.kind == NodeKind::sequence);
  }

  std::vector<ShellWord> words_of(const Node& node) const {
    std::vector<ShellWord> words;
    const auto add = [&](const Node& item) {
      ShellWord word;
      word.content = MappedText::opaque(item.span, item.text);
      words.push_back(std::move(word));
    };
    for (const Node& item : node.items)
      if (item.is_scalar()) add(item);
    if (!node.is_string() || node.text.size() > kMaxText) return words;
    Diagnostics unshown;
    for (ShellCommand& command :
         split_shell(MappedText::opaque(node.span, node.text), unshown).commands)
      std::ranges::move(command.words, std::back_inserter(words));
    return words;
  }

  // The pack whose flags these are; null: no engine's.
  const RulePack* pack_of_flags(std::span<const ShellWord> words, const std::string& image) const {
    for (const RulePack* pack : packs_) {
      std::size_t flags = 0, known = 0;
      for (const ShellWord& word : words) {
        if (!word.text().starts_with("--")) continue;
        ++flags;
        if (match_flag(PackRelease(*pack, {}), word.text()).kind == FlagMatch::Kind::argument)
          ++known;
      }
      const bool is_near = image.find(pack->name) != std::string::npos;
      const bool starts_so = !words.empty() && words.front().text().starts_with("--");
      if (starts_so && known * 3 >= flags * 2 && known >= (is_near ? 1u : 2u)) return pack;
    }
    return nullptr;
  }

  // The entry `key` of `map`, or its `command` and `args` where there is no key.
  void read_one(const Node& map, const std::string& key, const std::string& path,
                const std::string& image) {
    std::vector<ShellWord> words;
    Node container;
    container.kind = NodeKind::mapping;
    container.span = map.span;
    for (const Entry& entry : map.entries) {
      const bool is_part = key.empty() ? is_command(entry) : entry.key == key;
      if (is_part) {
        std::vector<ShellWord> more = words_of(entry.value);
        const bool is_script = entry.value.is_string() && names_engine(more, packs_);
        std::ranges::move(more, std::back_inserter(words));
        container.entries.push_back({key.empty() ? entry.key : "command", entry.key_span,
                                     is_script ? script_node(entry.value) : entry.value});
      } else if (entry.key == "env" || entry.key == "resources") {
        container.entries.push_back(entry);
      }
    }
    const bool is_started = names_engine(words, packs_);
    const RulePack* pack = is_started ? nullptr : pack_of_flags(words, image);
    if (!is_started && pack == nullptr) return;
    const bool is_own_image = pack == nullptr || image.find(pack->name) != std::string::npos;
    const std::string name = is_own_image ? image : pack->name;
    if (!name.empty()) {
      const Node* written = map.find("image");
      container.entries.push_back(
          {"image", {}, text_node(name, written == nullptr ? map.span : written->span)});
    }
    ++containers_;
    const std::span<Launch> launches = read_(container, "`" + path + "`");
    if (is_started) return;
    for (Launch& launch : launches) launch.has_unseen_arguments = true;
  }

  std::span<const RulePack* const> packs_;
  const ContainerRead& read_;
  std::size_t containers_ = 0;
};

}  // namespace

void read_values(const Node& document, std::span<const RulePack* const> packs,
                 const ContainerRead& read) {
  ValuesReader(packs, read).walk(document, "", "");
}

}  // namespace assay
