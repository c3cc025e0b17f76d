// The page of one known error, its sections in a fixed order. Sections without content are left
// out.
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/fix_example.h"
#include "engine/report/message_marks.h"
#include "engine/report/rule_releases.h"
#include "engine/report/site_log_patterns.h"
#include "engine/report/site_pages.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kShortSha = 10;
constexpr std::size_t kDateLength = 10;  // of an RFC 3339 time
constexpr std::size_t kExamplesOfARecord = 3;

std::string short_sha(const ErrorRecord& record) {
  return record.analyzed_sha.value_or("").substr(0, kShortSha);
}

class RecordPage {
 public:
  explicit RecordPage(const RecordPageInput& input)
      : input_(input),
        record_(*input.record),
        rules_(input.index->rules_of(*input.key)),
        arguments_(input.index->arguments_of(*input.key)) {}

  SitePage build() {
    add_head();
    add_status();
    add_message();
    if (!record_.documentation.empty()) {
      page_.heading("What it means");
      page_.prose(record_.documentation);
    }
    add_source();
    add_list("Solutions", record_.solutions, true);
    add_fix();
    add_exceptions();
    add_code("Validation code", record_.validation_code);
    add_code("Type guard", record_.type_guard);
    add_code("Handling it", record_.try_catch_pattern);
    add_occasions();
    add_list("Prevention", record_.prevention_tips, false);
    if (!rules_.empty()) {
      page_.heading("Checked before the launch by");
      add_rules(page_, rules_);
    }
    add_connections();
    add_related();
    add_footer();
    return std::move(page_);
  }

 private:
  void add_head() {
    page_.kind = "error";
    page_.path = record_path(record_);
    page_.title = record_.error_message;
    page_.title_parts = marked_message(record_.error_message);
    page_.title_is_code = true;
    page_.description = shortened(record_.documentation, 160);
    page_.eyebrow = {record_.repo, record_.severity};
    if (record_.error_class) page_.eyebrow.push_back(*record_.error_class);
    page_.severity = record_.severity;
    page_.trail = {page_link("errors/index", "Errors")};
    if (const SiteGroup* cause = input_.index->cause_of(*input_.key))
      page_.trail.push_back(page_link(cause->path, title_of_tag(*record_.background_tag)));
    page_.data = record_api_path(record_);
    page_.source =
        record_.path.substr(std::min(record_.path.rfind("dataset/"), record_.path.size()));
    page_.id = record_.id;
    page_.pattern = browser_pattern_of(record_);
  }

  void add_status() {
    if (record_.status == "retired") {
      Phrase phrase{plain("Retired: newer releases no longer raise this.")};
      const ErrorRecord* next =
          record_.replaced_by ? input_.index->dataset.find(*record_.replaced_by) : nullptr;
      if (next != nullptr) {
        phrase.push_back(plain(" See "));
        phrase.push_back(page_link(record_path(*next), next->error_message));
        phrase.push_back(plain("."));
      }
      page_.note(std::move(phrase));
    }
    if (record_.is_wrapper)
      page_.note({plain("This error only carries another: look at what it quotes, and above it.")});
  }

  void add_message() {
    page_.heading("Error message");
    page_.marked_code(marked_message(record_.error_message));
    if (record_.examples.empty()) return;
    page_.paragraph({plain("As engines print it, with what varies marked:")});
    for (std::size_t at = 0; at < record_.examples.size() && at < kExamplesOfARecord; ++at) {
      const RecordExample& example = record_.examples[at];
      page_.marked_code(marked_example(example.message, record_.error_message), {}, "example");
    }
  }

  void add_source() {
    if (!record_.file_path) return;
    page_.heading("Source");
    std::string place = *record_.file_path;
    if (record_.line_number) place += fmt::format(":{}", *record_.line_number);
    const SiteGroup* file = input_.index->file(record_.repo, *record_.file_path);
    page_.paragraph({plain(record_.error_class ? "Thrown at " : "At "),
                     file == nullptr ? code_text(place) : code_link(file->path, place)});
    if (record_.source_code) page_.code(*record_.source_code, "python");
    if (record_.github_url) {
      const std::string sha = short_sha(record_);
      page_.paragraph({web_link(*record_.github_url, "View on GitHub"),
                       plain(sha.empty() ? "" : fmt::format(" (pinned to {})", sha))});
    }
  }

  void add_list(std::string heading, const std::vector<std::string>& items, bool is_numbered) {
    if (items.empty()) return;
    page_.heading(std::move(heading));
    std::vector<Phrase> phrases;
    for (const std::string& item : items) phrases.push_back(read_phrase(item));
    if (is_numbered) {
      page_.numbers(std::move(phrases));
    } else {
      page_.bullets(std::move(phrases));
    }
  }

  void add_code(std::string heading, const std::optional<std::string>& code) {
    if (!code || code->empty()) return;
    page_.heading(std::move(heading));
    page_.code(*code, "python");
  }

  void add_fix() {
    if (record_.example_fix.value_or("").empty()) return;
    page_.heading("Example fix");
    const std::vector<FixPart> parts = read_fix_example(*record_.example_fix);
    for (std::size_t at = 0; at < parts.size(); ++at) {
      const FixPart& part = parts[at];
      const bool is_pair = part.kind == FixPart::Kind::before && at + 1 < parts.size() &&
                           parts[at + 1].kind == FixPart::Kind::after;
      if (is_pair) {
        MarkedPair pair = mark_changes(part.text, parts[at + 1].text);
        add_fix_part("Before", part, std::move(pair.before), "before");
        add_fix_part("After", parts[++at], std::move(pair.after), "after");
      } else if (part.kind == FixPart::Kind::other) {
        page_.code(part.text);
      } else {
        const bool is_before = part.kind == FixPart::Kind::before;
        add_fix_part(is_before ? "Before" : "After", part, {plain(part.text)},
                     is_before ? "before" : "after");
      }
    }
  }

  void add_fix_part(std::string name, const FixPart& part, Phrase text, const char* role) {
    Phrase head{strong(std::move(name))};
    if (!part.note.empty()) head.push_back(soft(" (" + part.note + ")"));
    page_.paragraph(std::move(head));
    page_.marked_code(std::move(text), {}, role);
  }

  // Of the rules that join it: they say when what they refuse is wanted after all.
  void add_exceptions() {
    bool is_first = true;
    std::vector<std::string_view> shown;
    for (const Rule* rule : rules_) {
      if (rule->ignore_when.empty() ||
          std::find(shown.begin(), shown.end(), rule->ignore_when) != shown.end())
        continue;
      if (is_first) page_.heading("When not to follow it");
      is_first = false;
      shown.push_back(rule->ignore_when);
      page_.prose(rule->ignore_when);
    }
  }

  // "Trigger: ..." and "Common situations: ..." stand under one heading.
  void add_occasions() {
    const auto add = [&](std::string label, const std::optional<std::string>& text) {
      if (!text || text->empty()) return;
      Phrase phrase{strong(std::move(label)), plain(" ")};
      append(phrase, read_phrase(*text));
      page_.paragraph(std::move(phrase));
    };
    if (record_.trigger_scenarios.value_or("").empty() &&
        record_.common_situations.value_or("").empty())
      return;
    page_.heading("When it happens");
    add("Trigger:", record_.trigger_scenarios);
    add("Common situations:", record_.common_situations);
  }

  // The releases in which one of its rules is law.
  void add_releases(std::vector<Phrase>& facts) const {
    for (const PackIndex& pack : input_.index->packs) {
      std::vector<bool> holds(pack.pack->versions.size(), false);
      bool is_known = false;
      for (const Rule* rule : rules_) {
        if (!pack.arguments_of_rule.contains(rule)) continue;
        is_known = true;
        const std::vector<bool> of_rule = releases_of(*rule, *pack.pack);
        for (std::size_t at = 0; at < holds.size(); ++at) holds[at] = holds[at] || of_rule[at];
      }
      if (!is_known) continue;
      Phrase releases;
      for (std::size_t at = 0; at < holds.size(); ++at) {
        if (!holds[at]) continue;
        if (!releases.empty()) releases.push_back(plain(", "));
        const std::string& version = pack.pack->versions[at];
        releases.push_back(page_link(version_path(*pack.pack, version), version));
      }
      if (releases.empty()) continue;
      facts.push_back({plain("Releases")});
      facts.push_back(std::move(releases));
    }
  }

  void add_connections() {
    std::vector<Phrase> facts;
    add_releases(facts);
    Phrase arguments;
    for (const ArgumentRef& argument : arguments_) {
      if (!arguments.empty()) arguments.push_back(plain(" "));
      const FactDeclaration& fact =
          input_.index->packs[argument.pack].pack->schema.facts[argument.fact];
      arguments.push_back(code_link(input_.index->path_of(argument), fact.name));
    }
    if (!arguments.empty()) {
      facts.push_back({plain("Arguments")});
      facts.push_back(std::move(arguments));
    }
    if (const SiteGroup* cause = input_.index->cause_of(*input_.key)) {
      facts.push_back({plain("Background")});
      facts.push_back({page_link(cause->path, title_of_tag(*record_.background_tag))});
    }
    Phrase tags;
    for (const std::string& tag : record_.tags) {
      const SiteGroup* group = input_.index->tag(tag);
      if (group == nullptr) continue;
      if (!tags.empty()) tags.push_back(plain(" "));
      tags.push_back(page_link(group->path, tag));
    }
    if (!tags.empty()) {
      facts.push_back({plain("Tags")});
      facts.push_back(std::move(tags));
    }
    if (facts.empty()) return;
    page_.heading("Where it belongs");
    page_.facts(std::move(facts));
  }

  void add_related() {
    if (input_.related.empty()) return;
    page_.heading("Related errors");
    std::vector<Phrase> items;
    for (const RelatedError& other : input_.related) {
      Phrase item{
          page_link(record_path(*other.record), shortened(other.record->error_message, 120))};
      if (!other.reason.empty()) item.push_back(soft(" — " + other.reason));
      items.push_back(std::move(item));
    }
    page_.bullets(std::move(items));
  }

  void add_footer() {
    std::string analysis = "AI-assisted analysis of " + record_.repo;
    if (record_.analyzed_sha) analysis += "@" + short_sha(record_);
    if (!record_.analyzed_at.empty())
      analysis += fmt::format(" ({})", record_.analyzed_at.substr(0, kDateLength));
    page_.footer = {plain(analysis + ". Data as JSON: "),
                    file_link(record_api_path(record_), "/api/errors/" + record_.id), plain(".")};
  }

  const RecordPageInput& input_;
  const ErrorRecord& record_;
  std::span<const Rule* const> rules_;
  std::span<const ArgumentRef> arguments_;
  SitePage page_;
};

}  // namespace

std::string error_path(std::string_view repo, std::string_view slug) {
  const std::string_view project = repo.substr(repo.rfind('/') + 1);
  return fmt::format("errors/{}/{}", safe_file_name(project), safe_file_name(slug));
}

std::string record_path(const ErrorRecord& record) { return error_path(record.repo, record.slug); }

std::string record_api_path(const ErrorRecord& record) {
  return fmt::format("api/errors/{}.json", safe_file_name(record.id));
}

SitePage record_page(const RecordPageInput& input) { return RecordPage(input).build(); }

}  // namespace assay
