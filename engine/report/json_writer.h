// Writes JSON text in the order it is told, so that equal input gives equal bytes. Strings become
// valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/document.h"

namespace assay {

class JsonWriter {
 public:
  enum class Layout : std::uint8_t { compact, indented };  // indented: two spaces a level
  explicit JsonWriter(Layout layout) : layout_(layout) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& count(std::size_t value) { return integer(static_cast<std::int64_t>(value)); }
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& node(const Node& value);  // infinite and undefined numbers become null

  // Members, in one call; an absent optional is null.
  JsonWriter& member(std::string_view name, std::string_view value) {
    return key(name).text(value);
  }
  JsonWriter& optional_member(std::string_view name, const std::optional<std::string>& value) {
    return value ? member(name, *value) : key(name).null();
  }
  JsonWriter& optional_member(std::string_view name, const std::optional<std::int64_t>& value) {
    return value ? key(name).integer(*value) : key(name).null();
  }
  JsonWriter& member(std::string_view name, const std::vector<std::string>& values);

  // The text written so far; complete when every begin has its end.
  std::string take() { return std::move(out_); }

 private:
  void start_value();
  void close(char bracket);
  void new_line();

  struct Level {
    bool has_items = false;
  };
  Layout layout_;
  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace assay
