// The page of one known error, its sections in a fixed order. Sections without content are left
// out.
#include <fmt/format.h>

#include "engine/report/site_pages.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kShortSha = 10;
constexpr std::size_t kDateLength = 10;  // of an RFC 3339 time

std::string project_of(const ErrorRecord& record) {
  return safe_file_name(record.repo.substr(record.repo.rfind('/') + 1));
}

std::string short_sha(const ErrorRecord& record) {
  return record.analyzed_sha.value_or("").substr(0, kShortSha);
}

void add_source(SitePage& page, const ErrorRecord& record) {
  if (!record.file_path) return;
  page.heading("Source");
  std::string place = *record.file_path;
  if (record.line_number) place += fmt::format(":{}", *record.line_number);
  page.paragraph({plain(record.error_class ? "Thrown at " : "At "), code_text(place)});
  if (record.source_code) page.code(*record.source_code, "python");
  if (record.github_url) {
    const std::string sha = short_sha(record);
    page.paragraph({web_link(*record.github_url, "View on GitHub"),
                    plain(sha.empty() ? "" : fmt::format(" (pinned to {})", sha))});
  }
}

void add_code(SitePage& page, std::string heading, const std::optional<std::string>& code,
              std::string label) {
  if (!code || code->empty()) return;
  page.heading(std::move(heading));
  page.code(*code, std::move(label));
}

void add_list(SitePage& page, std::string heading, const std::vector<std::string>& items,
              bool is_numbered) {
  if (items.empty()) return;
  page.heading(std::move(heading));
  std::vector<Phrase> phrases;
  for (const std::string& item : items) phrases.push_back(read_phrase(item));
  if (is_numbered) {
    page.numbers(std::move(phrases));
  } else {
    page.bullets(std::move(phrases));
  }
}

// "Trigger: ..." and "Common situations: ..." stand under one heading.
void add_occasions(SitePage& page, const ErrorRecord& record) {
  const auto add = [&](std::string label, const std::optional<std::string>& text) {
    if (!text || text->empty()) return;
    Phrase phrase{strong(std::move(label)), plain(" ")};
    for (Inline& part : read_phrase(*text)) phrase.push_back(std::move(part));
    page.paragraph(std::move(phrase));
  };
  if (record.trigger_scenarios.value_or("").empty() &&
      record.common_situations.value_or("").empty())
    return;
  page.heading("When it happens");
  add("Trigger:", record.trigger_scenarios);
  add("Common situations:", record.common_situations);
}

void add_rules(SitePage& page, const std::vector<const Rule*>& rules) {
  if (rules.empty()) return;
  page.heading("Checked before the launch by");
  std::vector<Phrase> items;
  for (const Rule* rule : rules)
    items.push_back({page_link(rule_path(*rule), rule->id), soft(" — " + rule->summary)});
  page.bullets(std::move(items));
}

void add_related(SitePage& page, const std::vector<RelatedError>& related) {
  if (related.empty()) return;
  page.heading("Related errors");
  std::vector<Phrase> items;
  for (const RelatedError& other : related) {
    Phrase item{page_link(record_path(*other.record), shortened(other.record->error_message, 120))};
    if (!other.reason.empty()) item.push_back(soft(" — " + other.reason));
    items.push_back(std::move(item));
  }
  page.bullets(std::move(items));
}

Phrase footer_of(const RecordPageInput& input) {
  const ErrorRecord& record = *input.record;
  std::string analysis = "AI-assisted analysis of " + record.repo;
  if (record.analyzed_sha) analysis += "@" + short_sha(record);
  if (!record.analyzed_at.empty())
    analysis += fmt::format(" ({})", record.analyzed_at.substr(0, kDateLength));
  Phrase footer{plain(analysis + ". Data as JSON: "),
                page_link(record_api_path(record), "/api/errors/" + record.id), plain(".")};
  if (!input.issues_url.empty()) {
    footer.push_back(plain(" Report an issue: "));
    footer.push_back(web_link(input.issues_url, "GitHub"));
    footer.push_back(plain("."));
  }
  return footer;
}

void add_status(SitePage& page, const RecordPageInput& input) {
  const ErrorRecord& record = *input.record;
  if (record.status == "retired") {
    Phrase phrase{plain("Retired: newer releases no longer raise this.")};
    const ErrorRecord* next =
        record.replaced_by ? input.dataset->find(*record.replaced_by) : nullptr;
    if (next) {
      phrase.push_back(plain(" See "));
      phrase.push_back(page_link(record_path(*next), next->error_message));
      phrase.push_back(plain("."));
    }
    page.note(std::move(phrase));
  }
  if (record.is_wrapper)
    page.note({plain("This error only carries another: look at what it quotes, and above it.")});
}

}  // namespace

std::string record_path(const ErrorRecord& record) {
  return fmt::format("errors/{}/{}", project_of(record), safe_file_name(record.slug));
}

std::string record_api_path(const ErrorRecord& record) {
  return fmt::format("api/errors/{}.json", safe_file_name(record.id));
}

SitePage record_page(const RecordPageInput& input) {
  const ErrorRecord& record = *input.record;
  SitePage page;
  page.path = record_path(record);
  page.title = record.error_message;
  page.title_is_code = true;
  page.description = shortened(record.documentation, 160);
  page.eyebrow = {record.repo, record.severity};
  if (record.error_class) page.eyebrow.push_back(*record.error_class);
  page.severity = record.severity;
  page.trail = {page_link("errors/index", "Errors")};

  add_status(page, input);
  page.heading("Error message");
  page.code(record.error_message);
  if (!record.documentation.empty()) {
    page.heading("What it means");
    page.prose(record.documentation);
  }
  add_source(page, record);
  add_list(page, "Solutions", record.solutions, true);
  add_code(page, "Example fix", record.example_fix, "");
  add_code(page, "Validation code", record.validation_code, "python");
  add_code(page, "Type guard", record.type_guard, "python");
  add_code(page, "Handling it", record.try_catch_pattern, "python");
  add_occasions(page, record);
  add_list(page, "Prevention", record.prevention_tips, false);
  add_rules(page, input.rules);
  add_related(page, input.related);
  page.footer = footer_of(input);
  return page;
}

}  // namespace assay
