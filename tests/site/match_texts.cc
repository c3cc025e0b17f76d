// What the program finds, for comparison with what the site's script finds: reads texts from
// standard input, each ended by a zero byte, and prints JSON. A byte is written as the character of
// its number.
//
//   match_texts patterns DATASET   the file log-patterns.js
//   match_texts find DATASET       for each text its matches, as they are shown:
//                                  [[path, line, matched, captures...]...]
//   match_texts search             for each pair of a pattern and a text:
//                                  {"expression": the translation or null,
//                                  "match": [matched, captures...] or null}
#include <algorithm>
#include <iostream>
#include <iterator>
#include <span>
#include <string>

#include "engine/compile/browser_pattern.h"
#include "engine/compile/pattern_literals.h"
#include "engine/compile/pattern_search.h"
#include "engine/evaluate/clean_text.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/read/dataset_reader.h"
#include "engine/report/json_writer.h"
#include "engine/report/site_log_patterns.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

std::string text_of_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xc0 | (byte >> 6));
    text += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3f));
  }
  return text;
}

std::vector<std::string> read_texts() {
  const std::string all{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    const auto end = all.find('\0', at);
    texts.push_back(all.substr(at, end - at));
    at = end == std::string::npos ? all.size() : end + 1;
  }
  return texts;
}

void write_capture(JsonWriter& json, std::string_view capture) {
  capture.data() == nullptr ? json.null() : json.text(text_of_bytes(capture));
}

void print_matches(const Dataset& dataset) {
  const auto matcher = MessageMatcher::compile(dataset);
  if (!matcher) return;
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_array();
  for (const std::string& text : read_texts()) {
    json.begin_array();
    for (const MessageMatch& match : matcher->find(text)) {
      json.begin_array().text(record_path(*match.record)).count(match.line);
      json.text(text_of_bytes(part_without_escapes(match.matched, match.text)));
      for (const std::string_view capture : match.captures)
        capture.data() == nullptr
            ? json.null()
            : json.text(text_of_bytes(part_without_escapes(capture, match.text)));
      json.end_array();
    }
    json.end_array();
  }
  std::cout << json.end_array().take() << '\n';
}

void print_searches() {
  const std::vector<std::string> texts = read_texts();
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_array();
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    const auto pattern = PatternSearch::compile(texts[i], {});
    if (!pattern) {
      json.null();
      continue;
    }
    const auto expression = javascript_pattern(extend_last_group(texts[i]));
    json.begin_object().key("expression");
    expression ? json.text(*expression) : json.null();
    json.key("match");
    PatternHit hit;
    if (pattern->search(texts[i + 1], hit)) {
      json.begin_array().text(text_of_bytes(hit.matched));
      for (const std::string_view capture : hit.captures) write_capture(json, capture);
      json.end_array();
    } else {
      json.null();
    }
    json.end_object();
  }
  std::cout << json.end_array().take() << '\n';
}

int run(std::span<char*> arguments) {
  const std::string_view mode = arguments.size() > 1 ? arguments[1] : "";
  if (mode == "search") {
    print_searches();
    return 0;
  }
  if (arguments.size() != 3) return 2;
  SourceSet sources;
  const DiskFileSystem files;
  Diagnostics warnings;
  const auto dataset = read_dataset(sources, files, arguments[2], warnings);
  if (!dataset) return 2;
  if (mode == "patterns")
    std::cout << log_patterns(*dataset).script;
  else
    print_matches(*dataset);
  return 0;
}

}  // namespace
}  // namespace assay

int main(int count, char** arguments) {
  return assay::run({arguments, static_cast<std::size_t>(count)});
}
