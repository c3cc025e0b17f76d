// A text with escapes is read from a source of its own, and its places are then forgotten.
#include "engine/read/json_value_reader.h"

#include <string>

#include "engine/text/json_reader.h"

namespace assay {
namespace {

void place_at(Node& node, Span span) {
  node.span = span;
  for (Node& item : node.items) place_at(item, span);
  for (Entry& entry : node.entries) {
    entry.key_span = span;
    place_at(entry.value, span);
  }
}

}  // namespace

Result<Node> read_json_value(SourceSet& sources, const MappedText& word, std::size_t begin,
                             std::string_view flag) {
  const std::size_t end = word.text().size();
  const Span place = word.span(begin, end);
  if (word.is_verbatim(begin, end)) return read_json_at(sources, place);
  const SourceId source = sources.add("<" + std::string(flag) + ">", word.text().substr(begin));
  auto json = read_json(sources, source);
  if (json) {
    place_at(*json, place);
  } else {
    for (Diagnostic& fault : json.error()) fault.span = place;
  }
  return json;
}

}  // namespace assay
