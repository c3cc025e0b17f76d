// The key lists are data (format_keys.h), so that asking for a key that is not listed is a fault of
// ours and cannot make a reader accept what the documentation and the JSON Schemas do not know.
#include "engine/read/document_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/text/closest_name.h"

namespace assay {
namespace {

// More faults than this get no "did you mean", longer key lists are not shown.
constexpr std::size_t kMaxSuggestions = 100;
constexpr std::size_t kMaxListedKeys = 20;

bool contains(std::span<const DocumentKey> keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const DocumentKey& key) { return key.name == name; });
}

// Where a missing key is shown: the mapping's first key, rather than all its lines.
Span first_line_of(const Node& node) {
  return node.entries.empty() ? node.span : node.entries.front().key_span;
}

}  // namespace

Diagnostic wrong_type(std::string_view what, std::string_view expected, const Node& found) {
  return make_error(code::wrong_type, found.span,
                    fmt::format("{} must be {}, found {}", what, expected, to_string(found.kind)));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view closest = closest_name(word, candidates);
  return closest.empty() ? std::string() : fmt::format("did you mean `{}`?", closest);
}

MappingReader::MappingReader(const Node& node, std::string_view what,
                             std::span<const DocumentKey> keys, Diagnostics& faults,
                             std::span<const DocumentKey> more_keys)
    : node_(node), keys_(keys), more_keys_(more_keys), faults_(faults) {
  if (node.kind != NodeKind::mapping) {
    faults_.push_back(wrong_type(what, "a mapping", node));
    return;
  }
  for (const Entry& entry : node.entries) {
    if (contains(keys_, entry.key) || contains(more_keys_, entry.key)) continue;
    std::vector<std::string_view> names;
    for (const DocumentKey& key : keys_) names.push_back(key.name);
    for (const DocumentKey& key : more_keys_) names.push_back(key.name);
    std::string help;
    if (faults_.size() < kMaxSuggestions) help = did_you_mean(entry.key, names);
    // {documentation: images, video} has a key `video` without a value.
    const bool was_text = entry.value.kind == NodeKind::null && entry.value.text.empty();
    if (was_text && help.empty())
      help = "put the text in quotes if this is its end: a comma ends an unquoted text in braces";
    if (help.empty() && names.size() <= kMaxListedKeys)
      help = fmt::format("the keys of {} are: {}", what, fmt::join(names, ", "));
    faults_.push_back(make_error(code::unknown_key, entry.key_span,
                                 fmt::format("unknown key `{}` in {}", entry.key, what),
                                 std::move(help)));
  }
  for (const DocumentKey& key : keys_)
    if (key.is_required && node.find(key.name) == nullptr)
      faults_.push_back(make_error(code::missing_key, first_line_of(node),
                                   fmt::format("{} lacks the key `{}`", what, key.name)));
}

const Entry* MappingReader::find_entry(std::string_view key) const {
  const auto found = std::find_if(node_.entries.begin(), node_.entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  if (found != node_.entries.end()) return &*found;
  ASSAY_CHECK(contains(keys_, key) || contains(more_keys_, key), "a reader's key is listed");
  return nullptr;
}

const Node* MappingReader::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

const Node* MappingReader::expect(std::string_view key, NodeKind kind) const {
  const Node* node = find(key);
  if (node == nullptr || node->kind == kind) return node;
  faults_.push_back(wrong_type(fmt::format("`{}`", key), to_string(kind), *node));
  return nullptr;
}

std::optional<std::string> MappingReader::text(std::string_view key) const {
  const Node* node = expect(key, NodeKind::string);
  return node == nullptr ? std::nullopt : std::optional(node->text);
}

std::optional<std::string> MappingReader::filled_text(std::string_view key) const {
  auto found = text(key);
  if (!found) return std::nullopt;
  if (found->find_first_not_of(" \t\r\n") != std::string::npos) return found;
  faults_.push_back(
      make_error(code::invalid_value, find(key)->span, fmt::format("`{}` is empty", key)));
  return std::nullopt;
}

std::optional<std::string> MappingReader::word(std::string_view key) const {
  const Node* node = find(key);
  if (node != nullptr && (node->kind == NodeKind::integer || node->kind == NodeKind::real))
    return node->text;
  return filled_text(key);
}

std::optional<std::int64_t> MappingReader::integer(std::string_view key) const {
  const Node* node = expect(key, NodeKind::integer);
  return node == nullptr ? std::nullopt : std::optional(node->integer);
}

std::optional<bool> MappingReader::boolean(std::string_view key) const {
  const Node* node = expect(key, NodeKind::boolean);
  return node == nullptr ? std::nullopt : std::optional(node->boolean);
}

const Node* MappingReader::sequence(std::string_view key) const {
  return expect(key, NodeKind::sequence);
}

const Node* MappingReader::mapping(std::string_view key) const {
  return expect(key, NodeKind::mapping);
}

std::vector<std::string> MappingReader::texts(std::string_view key) const {
  std::vector<std::string> all;
  const Node* list = sequence(key);
  if (list == nullptr) return all;
  for (const Node& item : list->items) {
    if (item.is_string())
      all.push_back(item.text);
    else
      faults_.push_back(wrong_type(fmt::format("an item of `{}`", key), "a string", item));
  }
  return all;
}

std::optional<std::string> MappingReader::nullable_text(std::string_view key) const {
  const Node* node = find(key);
  return node != nullptr && node->kind == NodeKind::null ? std::nullopt : text(key);
}

std::optional<std::int64_t> MappingReader::nullable_integer(std::string_view key) const {
  const Node* node = find(key);
  return node != nullptr && node->kind == NodeKind::null ? std::nullopt : integer(key);
}

std::optional<std::size_t> MappingReader::choice(
    std::string_view key, std::initializer_list<std::string_view> choices) const {
  const auto found = text(key);
  if (!found) return std::nullopt;
  const auto position = std::find(choices.begin(), choices.end(), *found);
  if (position != choices.end()) return static_cast<std::size_t>(position - choices.begin());
  faults_.push_back(make_error(
      code::invalid_value, find(key)->span,
      fmt::format("`{}` must be one of {}, found `{}`", key, fmt::join(choices, ", "), *found),
      did_you_mean(*found, choices)));
  return std::nullopt;
}

}  // namespace assay
