// A pattern of literals and groups of any text is a list: what it begins with, and for each group
// its kind and the literal behind it. Any other is {e: a JavaScript expression, l: the literals
// that every match of it has, in their order}. Both are for texts of bytes; a byte above 127 is
// written as the character of that number. site_assets/log_matcher.js is the reader.
#include "engine/report/site_log_patterns.h"

#include <algorithm>

#include "engine/compile/browser_pattern.h"
#include "engine/compile/linear_pattern.h"
#include "engine/compile/pattern_literals.h"
#include "engine/report/json_writer.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

std::string utf8_of_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

void write_linear(JsonWriter& json, const LinearPattern& pattern) {
  json.begin_array().text(utf8_of_bytes(pattern.head()));
  for (const LinearPattern::Step& step : pattern.steps()) {
    const bool is_empty_allowed = step.min_bytes == 0;
    const char kind = step.is_greedy     ? (is_empty_allowed ? '*' : '.')
                      : is_empty_allowed ? '?'
                                         : '+';
    json.text(kind + utf8_of_bytes(step.literal));
  }
  json.end_array();
}

// Nothing, or why it was not written.
std::string write_pattern(JsonWriter& json, std::string_view pattern) {
  const std::string extended = extend_last_group(pattern);
  if (const auto linear = LinearPattern::parse(extended)) {
    write_linear(json, *linear);
    return {};
  }
  const auto expression = javascript_pattern(extended);
  if (!expression) return expression.error();
  json.begin_object().member("e", *expression).key("l").begin_array();
  for (const std::string& literal : required_literals(pattern)) json.text(utf8_of_bytes(literal));
  json.end_array().end_object();
  return {};
}

// The members of an object that say how the record is found. Nothing, or why they are incomplete.
std::string write_members(JsonWriter& json, const ErrorRecord& record) {
  json.member("message", record.error_message).key("pattern");
  if (std::string reason = write_pattern(json, record.message_pattern); !reason.empty())
    return reason;
  return record.context ? write_pattern(json.key("context"), *record.context) : std::string();
}

// One record of log-patterns.js, or why it is left out.
tl::expected<std::string, std::string> record_json(const ErrorRecord& record) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object();
  if (std::string reason = write_members(json, record); !reason.empty())
    return tl::unexpected(std::move(reason));
  json.member("path", record_path(record)).member("severity", record.severity);
  if (record.status == "retired") json.key("retired").boolean(true);
  if (record.is_wrapper) json.key("wrapper").boolean(true);
  if (record.is_wrapper && !record.solutions.empty())
    json.member("fetch", record.solutions.front());
  if (std::ranges::find(record.tags, "symptom") != record.tags.end())
    json.key("symptom").boolean(true);
  json.end_object();
  return json.take();
}

}  // namespace

std::string browser_pattern_of(const ErrorRecord& record) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object();
  if (!write_members(json, record).empty()) return {};
  json.end_object();
  return json.take();
}

LogPatterns log_patterns(const Dataset& dataset) {
  LogPatterns patterns;
  patterns.script = "assay.register(\"log-patterns\", [";
  bool is_first = true;
  for (const ErrorRecord& record : dataset.records) {
    const auto json = record_json(record);
    if (!json) {
      patterns.left_out.push_back({&record, json.error()});
      continue;
    }
    patterns.script += (is_first ? "\n" : ",\n") + *json;
    is_first = false;
  }
  patterns.script += "\n]);\n";
  return patterns;
}

}  // namespace assay
