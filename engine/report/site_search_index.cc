// A script, because a page that was opened from a folder may load nothing else: it hands its data
// to the site's own script. The browser makes its dictionary of words from it, so that there is one
// place that says what a word is. Kinds and facets are numbers into lists in the order of their
// first use; what is alike in many entries costs little once the file is compressed.
#include "engine/report/site_search_index.h"

#include <unordered_map>

#include "engine/report/json_writer.h"
#include "engine/report/site_pages.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kTitleCharacters = 240;
constexpr std::size_t kDetailCharacters = 120;
constexpr std::size_t kMaxTermBytes = 300;

struct FacetName {
  const char* name;
  const char* label;
};
constexpr std::array<FacetName, kSearchFacets> kFacetNames{{{"severity", "Severity"},
                                                            {"project", "Project"},
                                                            {"area", "Area"},
                                                            {"cause", "Cause"},
                                                            {"class", "Exception"},
                                                            {"version", "Version"}}};

// Numbers for texts, by their first use.
class Numbering {
 public:
  std::int64_t number_of(const std::string& text) {
    if (text.empty()) return -1;
    const auto [place, is_new] = numbers_.try_emplace(text, std::ssize(texts_));
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

std::string joined(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms) {
    if (text.size() + term.size() >= kMaxTermBytes) break;
    if (!text.empty()) text += ' ';
    text += term;
  }
  return text;
}

void append_some(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += " · ";
  text += more;
}

}  // namespace

SearchEntry search_entry(const ErrorRecord& record) {
  SearchEntry entry;
  entry.kind = "error";
  entry.path = record_path(record);
  entry.title = record.error_message;
  entry.detail = record.error_class.value_or("");
  append_some(entry.detail, record.repo);
  entry.terms = record.tags;
  if (record.background_tag) entry.terms.push_back(*record.background_tag);
  entry.terms.push_back(record.id);
  entry[SearchFacet::severity] = record.severity;
  entry[SearchFacet::project] = record.repo;
  entry[SearchFacet::cause] = record.background_tag.value_or("");
  entry[SearchFacet::error_class] = record.error_class.value_or("");
  entry[SearchFacet::version] = record.analyzed_sha.value_or("");
  return entry;
}

SearchEntry search_entry(const Rule& rule, const RulePack& pack) {
  SearchEntry entry;
  entry.kind = "rule";
  entry.path = rule_path(rule);
  entry.title = rule.summary;
  entry.detail = rule.id;
  entry.terms = {rule.message};
  const auto area_end = rule.id.rfind('/');
  const auto area = rule.id.find('/');
  entry[SearchFacet::severity] = to_string(rule.severity);
  entry[SearchFacet::project] = pack.title;
  if (area != area_end) entry[SearchFacet::area] = rule.id.substr(area + 1, area_end - area - 1);
  entry[SearchFacet::error_class] = rule.source.raises;
  entry[SearchFacet::version] = rule.versions;
  return entry;
}

std::string write_search_index(const std::vector<SearchEntry>& entries) {
  Numbering kinds;
  std::array<Numbering, kSearchFacets> facets;
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("entries").begin_array();
  for (const SearchEntry& entry : entries) {
    json.begin_array()
        .integer(kinds.number_of(entry.kind))
        .text(entry.path)
        .text(shortened(entry.title, kTitleCharacters))
        .text(shortened(entry.detail, kDetailCharacters))
        .text(joined(entry.terms));
    for (std::size_t i = 0; i < kSearchFacets; ++i)
      json.integer(facets[i].number_of(entry.facets[i]));
    json.end_array();
  }
  json.end_array().member("kinds", kinds.texts()).key("facets").begin_array();
  for (std::size_t i = 0; i < kSearchFacets; ++i)
    json.begin_object()
        .member("name", kFacetNames[i].name)
        .member("label", kFacetNames[i].label)
        .member("values", facets[i].texts())
        .end_object();
  json.end_array().end_object();
  return "assay.register(\"search-index\", " + json.take() + ");\n";
}

}  // namespace assay
