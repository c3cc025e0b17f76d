// Written by hand into a JsonWriter, key by key: the order is part of what readers see. Their
// schemas are dataset/schema/api-*.schema.json.
#include "engine/report/site_api.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/json_writer.h"
#include "engine/report/site_pages.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kShownCauses = 30;

void write_records(JsonWriter& json, const SiteIndex& index) {
  json.key("records").begin_array();
  for (const ErrorRecord& record : index.dataset.records) {
    json.begin_object()
        .member("id", record.id)
        .member("repo", record.repo)
        .member("slug", record.slug)
        .member("errorMessage", record.error_message)
        .optional_member("errorClass", record.error_class)
        .member("severity", record.severity)
        .optional_member("backgroundTag", record.background_tag)
        .member("tags", record.tags)
        .member("status", record.status)
        .key("rules")
        .begin_array();
    for (const Rule* rule : index.rules_of(record)) json.text(rule->id);
    json.end_array()
        .member("page", record_path(record) + ".html")
        .member("data", record_api_path(record))
        .end_object();
  }
  json.end_array();
}

void write_rules(JsonWriter& json, const SiteIndex& index) {
  json.key("rules").begin_array();
  for (const PackIndex& pack : index.packs)
    for (const Rule& rule : pack.pack->rules) {
      json.begin_object()
          .member("id", rule.id)
          .member("severity", to_string(rule.severity))
          .member("summary", rule.summary);
      if (!rule.error.empty()) json.member("record", rule.error);
      json.member("page", rule_path(rule) + ".html")
          .member("data", rule_api_path(rule))
          .end_object();
    }
  json.end_array();
}

std::string page_line(std::string_view path, std::string_view title, std::string_view what) {
  std::string name(title);
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == '[' || c == ']' || c == '<'; }, ' ');
  return fmt::format("- [{}]({}.md): {}\n", name, path, what);
}

// An operation of openapi.json that answers with one file.
void write_operation(JsonWriter& json, std::string_view path, std::string_view summary,
                     std::string_view schema, std::vector<std::string_view> parameters) {
  json.key(path).begin_object().key("get").begin_object();
  json.member("summary", summary).key("parameters").begin_array();
  for (const std::string_view name : parameters)
    json.begin_object()
        .member("name", name)
        .member("in", "path")
        .key("required")
        .boolean(true)
        .key("schema")
        .begin_object()
        .member("type", "string")
        .end_object()
        .end_object();
  json.end_array().key("responses").begin_object();
  json.key("200").begin_object().member("description", "The file.");
  json.key("content").begin_object().key("application/json").begin_object();
  json.key("schema").begin_object().member("$ref", schema).end_object();
  json.end_object().end_object().end_object();
  json.key("404").begin_object().member("description", "There is none.").end_object();
  json.end_object().end_object().end_object();
}

// An operation that takes a program to answer. `method`: "get" with `parameters` in the query, or
// "post" with a text as its body as well.
void write_served_operation(JsonWriter& json, std::string_view path, std::string_view method,
                            std::string_view summary, std::string_view schema,
                            std::vector<std::string_view> parameters) {
  json.key(path).begin_object().key(method).begin_object();
  json.member("summary", summary);
  json.member("description", "Answered by `assay serve`; a web server of files has no such thing.");
  json.key("parameters").begin_array();
  for (const std::string_view name : parameters)
    json.begin_object()
        .member("name", name)
        .member("in", path.find('{') == std::string_view::npos ? "query" : "path")
        .key("required")
        .boolean(method == "get")
        .key("schema")
        .begin_object()
        .member("type", "string")
        .end_object()
        .end_object();
  json.end_array();
  if (method == "post")
    json.key("requestBody")
        .begin_object()
        .key("required")
        .boolean(true)
        .key("content")
        .begin_object()
        .key("text/plain")
        .begin_object()
        .key("schema")
        .begin_object()
        .member("type", "string")
        .end_object()
        .end_object()
        .end_object()
        .end_object();
  json.key("responses")
      .begin_object()
      .key("200")
      .begin_object()
      .member("description", "The answer.");
  json.key("content").begin_object().key("application/json").begin_object().key("schema");
  json.begin_object();
  if (schema.empty())
    json.member("type", "object");
  else
    json.member("$ref", schema);
  json.end_object().end_object().end_object().end_object();
  json.key("default").begin_object().member("description", "Why there is none.").end_object();
  json.end_object().end_object().end_object();
}

}  // namespace

std::string api_index(const SiteIndex& index, const Retirement& retirement) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object()
      .key("formatVersion")
      .integer(kSiteFormatVersion)
      .member("datasetVersion", index.dataset.version);
  write_records(json, index);
  write_rules(json, index);
  json.key("contracts").begin_array();
  for (const TensorContract* contract : index.contracts)
    json.begin_object()
        .member("kernel", contract->kernel)
        .member("title", contract->title)
        .member("page", contract_path(*contract) + ".html")
        .end_object();
  json.end_array().key("retired").begin_array();
  for (const RetiredRecord& retired : retirement.records)
    json.begin_object()
        .member("id", retired.id)
        .member("page", error_path(retired.repo, retired.slug) + ".html")
        .end_object();
  json.end_array().end_object();
  return json.take() + "\n";
}

std::string retired_json(const RetiredRecord& retired, std::string_view dataset_version) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object()
      .key("retired")
      .begin_object()
      .member("id", retired.id)
      .member("repo", retired.repo)
      .member("slug", retired.slug)
      .member("errorMessage", retired.message)
      .member("reason", retired.reason)
      .key("replacedBy");
  if (retired.to.empty())
    json.null();
  else
    json.text(retired.to);
  json.end_object().member("datasetVersion", dataset_version).end_object();
  return json.take() + "\n";
}

std::string openapi_json(std::string_view dataset_version) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("openapi", "3.1.0").key("info").begin_object();
  json.member("title", "Assay: known errors and rules of LLM serving engines")
      .member("version", std::to_string(kSiteFormatVersion))
      .member("description", fmt::format("Files that any web server can serve. Dataset version {}.",
                                         dataset_version.empty() ? "unknown" : dataset_version))
      .end_object();
  // Relative to this file: the site may be anywhere.
  json.key("servers").begin_array().begin_object().member("url", "..").end_object().end_array();
  json.key("paths").begin_object();
  write_operation(json, "/api/index.json", "Everything there is, and where it is",
                  "../schemas/api-index.schema.json", {});
  write_operation(json, "/api/errors/{id}.json",
                  "One known error by its id; of a retired one, where it went",
                  "../schemas/api-error.schema.json", {"id"});
  write_operation(json, "/api/rules/{pack}/{area}/{name}.json", "One rule by its id",
                  "../schemas/api-rule.schema.json", {"pack", "area", "name"});
  write_served_operation(json, "/api/errors/{name}", "get", "One known error by its id or its slug",
                         "../schemas/api-error.schema.json", {"name"});
  write_served_operation(json, "/api/errors", "get",
                         "Known errors by a message, words of one, or a tag", "", {"query"});
  write_served_operation(json, "/api/explain", "post", "The root cause of a log",
                         "../schemas/explain-report.schema.json", {});
  write_served_operation(json, "/api/check", "post", "What a launch command or a map breaks",
                         "../schemas/check-report.schema.json",
                         {"input", "gpu", "fact", "engine-version"});
  json.end_object().end_object();
  return json.take() + "\n";
}

std::string llms_text(const SiteIndex& index) {
  std::string text =
      "# Assay\n\n"
      "> What LLM serving engines refuse at their start and in a kernel call, the error messages "
      "they print, what these mean and how to mend them. Every page is also Markdown: replace "
      ".html by .md. One error as JSON: api/errors/<id>.json; all ids: api/index.json.\n\n"
      "## Indexes\n\n";
  text += page_line("errors/index", "Known errors", "by background cause");
  text += page_line("arguments/index", "Arguments", "type, default, choices, rules and errors");
  text += page_line("rules/index", "Rules", "by area, and kernel contracts");
  text += page_line("support/index", "Support matrices", "what goes together on which GPU");
  text += page_line("versions/index", "Releases", "what changed between them");
  text += page_line("tags/index", "Tags", "errors by what they are about");
  text += page_line("files/index", "Source files", "errors by where they are raised");
  text += "\n## Background causes\n\n";
  std::vector<const std::pair<const std::string_view, SiteGroup>*> order;
  for (const auto& entry : index.causes) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.records.size() > b->second.records.size();
  });
  for (std::size_t at = 0; at < order.size() && at < kShownCauses; ++at)
    text += page_line(order[at]->second.path, title_of_tag(order[at]->first),
                      counted_items(order[at]->second.records.size(), "error", "errors"));
  text += "\n## Areas\n\n";
  for (const PackIndex& pack : index.packs)
    for (const auto& [area, group] : pack.areas)
      text += page_line(group.path, pack.pack->title + ": " + title_of_tag(area),
                        counted_items(group.rules.size(), "rule", "rules"));
  return valid_xml_text(text);
}

std::size_t sitemap_count(std::size_t pages) {
  return std::max<std::size_t>(1, (pages + kMaxSitemapPages - 1) / kMaxSitemapPages);
}

std::string sitemap_name(std::size_t at, std::size_t count) {
  return count == 1 ? "sitemap.xml" : fmt::format("sitemap-{}.xml", at + 1);
}

// Paths are made of safe names; a base address has no character that XML would take amiss.
std::string sitemap_xml(const std::vector<std::string>& paths, std::size_t at,
                        std::string_view base_url) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
  const std::size_t end = std::min(paths.size(), (at + 1) * kMaxSitemapPages);
  for (std::size_t page = at * kMaxSitemapPages; page < end; ++page)
    text += fmt::format("<url><loc>{}{}</loc></url>\n", base_url,
                        paths[page] == "index" ? "" : paths[page] + ".html");
  return text + "</urlset>\n";
}

std::string sitemap_index_xml(std::size_t count, std::string_view base_url) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
  for (std::size_t at = 0; at < count; ++at)
    text += fmt::format("<sitemap><loc>{}{}</loc></sitemap>\n", base_url, sitemap_name(at, count));
  return text + "</sitemapindex>\n";
}

}  // namespace assay
