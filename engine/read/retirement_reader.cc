// Both lists name addresses (repo and slug), and an address leads to one place: no two entries, and
// no entry and a record, may have the same.
#include "engine/read/retirement_reader.h"

#include <algorithm>
#include <set>

#include "engine/base/ascii.h"
#include "engine/read/document_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

bool is_record_id(std::string_view id) {
  return id.size() == 16 &&
         std::ranges::all_of(id, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

class RetirementReader {
 public:
  Retirement read(const Node& document) {
    const MappingReader reader(document, "a list of retired records", kRetirementKeys, faults);
    Retirement all;
    if (!reader.is_mapping()) return all;
    if (const Node* retired = reader.sequence("retired"))
      for (const Node& node : retired->items) all.records.push_back(read_retired(node));
    if (const Node* moved = reader.sequence("moved"))
      for (const Node& node : moved->items) all.slugs.push_back(read_moved(node));
    return all;
  }

  Diagnostics faults;

 private:
  RetiredRecord read_retired(const Node& node) {
    const MappingReader reader(node, "a retired record", kRetiredRecordKeys, faults);
    RetiredRecord retired;
    retired.span = node.span;
    if (!reader.is_mapping()) return retired;
    Span span;
    retired.id = read_id(reader, "id", span);
    retired.repo = reader.filled_text("repo").value_or("");
    retired.slug = reader.filled_text("slug").value_or("");
    retired.message = reader.filled_text("message").value_or("");
    retired.reason = reader.filled_text("reason").value_or("");
    if (reader.has("to")) retired.to = read_id(reader, "to", retired.to_span);
    if (!retired.id.empty() && !ids_.insert(retired.id).second)
      faults.push_back(
          make_error(code::duplicate_id, span, "`" + retired.id + "` is retired twice"));
    take_address(retired.repo, retired.slug, node.span);
    return retired;
  }

  MovedSlug read_moved(const Node& node) {
    const MappingReader reader(node, "a moved slug", kMovedSlugKeys, faults);
    MovedSlug moved;
    moved.span = node.span;
    if (!reader.is_mapping()) return moved;
    moved.repo = reader.filled_text("repo").value_or("");
    moved.slug = reader.filled_text("slug").value_or("");
    moved.id = read_id(reader, "id", moved.id_span);
    take_address(moved.repo, moved.slug, node.span);
    return moved;
  }

  std::string read_id(const MappingReader& reader, std::string_view key, Span& span) {
    const Node* node = reader.find(key);
    if (node == nullptr) return {};
    span = node->span;
    std::string id = reader.word(key).value_or("");
    if (!is_record_id(id))
      faults.push_back(make_error(code::invalid_value, span,
                                  "`" + id + "` is no id: 16 hexadecimal digits in lower case"));
    return id;
  }

  void take_address(const std::string& repo, const std::string& slug, Span span) {
    if (!repo.empty() && !slug.empty() && !addresses_.emplace(repo, slug).second)
      faults.push_back(
          make_error(code::duplicate_id, span, "`" + slug + "` of " + repo + " is listed twice"));
  }

  std::set<std::string> ids_;
  std::set<std::pair<std::string, std::string>> addresses_;
};

}  // namespace

Result<Retirement> read_retirement(const SourceSet& sources, SourceId source) {
  ASSAY_TRY(const Node document, read_yaml(sources, source));
  RetirementReader reader;
  Retirement retirement = reader.read(document);
  if (!reader.faults.empty()) return std::move(reader.faults);
  return retirement;
}

Diagnostics check_retirement(const Retirement& retirement, const Dataset& dataset) {
  Diagnostics faults;
  std::set<std::pair<std::string_view, std::string_view>> addresses;
  for (const ErrorRecord& record : dataset.records) addresses.emplace(record.repo, record.slug);
  const auto look_at = [&](const std::string& repo, const std::string& slug, Span span) {
    if (addresses.contains({repo, slug}))
      faults.push_back(make_error(code::duplicate_id, span,
                                  "`" + slug + "` of " + repo + " is the address of a record"));
  };
  const auto need = [&](const std::string& id, Span span) {
    if (dataset.find(id) == nullptr)
      faults.push_back(make_error(code::unknown_record, span, "no record has the id `" + id + "`"));
  };
  for (const RetiredRecord& retired : retirement.records) {
    if (dataset.find(retired.id) != nullptr)
      faults.push_back(make_error(code::duplicate_id, retired.span,
                                  "`" + retired.id + "` is retired, and a record has it",
                                  "An id is never used again."));
    else
      look_at(retired.repo, retired.slug, retired.span);
    if (!retired.to.empty()) need(retired.to, retired.to_span);
  }
  for (const MovedSlug& moved : retirement.slugs) {
    look_at(moved.repo, moved.slug, moved.span);
    need(moved.id, moved.id_span);
  }
  return faults;
}

}  // namespace assay
