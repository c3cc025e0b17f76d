// Reads one mapping of a document strictly: its keys are known, those that are missing, unknown or
// of the wrong type are reported, and reading goes on with what is there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/read/format_keys.h"
#include "engine/text/diagnostic.h"
#include "engine/text/document.h"

namespace assay {

class MappingReader {
 public:
  // Reports at once: wrong_type when `node` is no mapping (nothing is reported about keys then),
  // unknown_key with "did you mean", missing_key. `what` is what the mapping is, for messages: "a
  // rule". `more_keys` are allowed as well. The node and the faults must outlive the reader.
  MappingReader(const Node& node, std::string_view what, std::span<const DocumentKey> keys,
                Diagnostics& faults, std::span<const DocumentKey> more_keys = {});

  // The value under `key`, which is one of the keys; null when it is not there.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool is_mapping() const { return node_.kind == NodeKind::mapping; }
  Span span() const { return node_.span; }

  // What stands under `key`; nothing when it is absent or, reported as wrong_type, of another kind.
  std::optional<std::string> text(std::string_view key) const;
  // A text that says something: an empty one is invalid_value.
  std::optional<std::string> filled_text(std::string_view key) const;
  // A string, or a number as it is written: what looks like a number in an id stays text.
  std::optional<std::string> word(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  const Node* sequence(std::string_view key) const;
  const Node* mapping(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  // As above, where null is allowed too and gives nothing.
  std::optional<std::string> nullable_text(std::string_view key) const;
  std::optional<std::int64_t> nullable_integer(std::string_view key) const;
  // One of `choices`: its index; another is invalid_value with "did you mean".
  std::optional<std::size_t> choice(std::string_view key,
                                    std::initializer_list<std::string_view> choices) const;

 private:
  const Node* expect(std::string_view key, NodeKind kind) const;

  const Node& node_;
  std::span<const DocumentKey> keys_;
  std::span<const DocumentKey> more_keys_;
  Diagnostics& faults_;
};

// wrong_type: "`what` must be `expected`, found a list".
Diagnostic wrong_type(std::string_view what, std::string_view expected, const Node& found);
// "did you mean `severity`?", or "" when no candidate is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace assay
