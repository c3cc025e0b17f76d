// Releases of an engine, and changes of the dataset. What a release changed is read off the ranges
// of versions that the rules have, so it needs no older copy of anything; what changed in the
// dataset needs one (knowledge_changes.h).
#include <fmt/format.h>

#include "engine/report/rule_releases.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

struct ReleaseRules {
  std::vector<const Rule*> added;
  std::vector<const Rule*> gone;
  std::size_t in_force = 0;
};

ReleaseRules rules_of_release(const RulePack& pack, std::size_t release) {
  ReleaseRules found;
  for (const Rule& rule : pack.rules) {
    const std::vector<bool> holds = releases_of(rule, pack);
    if (holds[release]) ++found.in_force;
    if (release == 0) continue;
    if (holds[release] && !holds[release - 1]) found.added.push_back(&rule);
    if (!holds[release] && holds[release - 1]) found.gone.push_back(&rule);
  }
  return found;
}

void add_group(SitePage& page, const std::vector<const Rule*>& rules, std::string heading) {
  if (rules.empty()) return;
  page.heading(std::move(heading));
  add_rules(page, rules);
}

template <class Item>
void add_changed(SitePage& page, const std::vector<typename ItemChanges<Item>::Changed>& changed,
                 std::string heading) {
  if (changed.empty()) return;
  page.heading(std::move(heading));
  std::vector<Phrase> items;
  for (const auto& change : changed) {
    if constexpr (std::is_same_v<Item, Rule>)
      items.push_back(rule_item(*change.now));
    else
      items.push_back(record_item(*change.now));
    items.back().push_back(soft(fmt::format(": {}", fmt::join(change.fields, ", "))));
  }
  page.bullets(std::move(items));
}

}  // namespace

std::string version_path(const RulePack& pack, std::string_view version) {
  return fmt::format("versions/{}/{}", safe_file_name(pack.name), safe_file_name(version));
}

SitePage version_page(const RulePack& pack, std::size_t release) {
  const std::string& version = pack.versions[release];
  const ReleaseRules rules = rules_of_release(pack, release);
  SitePage page;
  page.kind = "version";
  page.path = version_path(pack, version);
  page.title = pack.title + " " + version;
  page.description =
      fmt::format("What {} {} checks at its start, and what it changed.", pack.title, version);
  page.eyebrow = {pack.repository, "release"};
  page.trail = {page_link("versions/index", "Releases")};
  page.paragraph(
      {plain(fmt::format("{} in force.", counted_items(rules.in_force, "rule is", "rules are")))});
  Phrase others;
  if (release > 0)
    append(others, {plain("Before it: "), page_link(version_path(pack, pack.versions[release - 1]),
                                                    pack.versions[release - 1])});
  if (release + 1 < pack.versions.size())
    append(others,
           {plain(others.empty() ? "After it: " : ". After it: "),
            page_link(version_path(pack, pack.versions[release + 1]), pack.versions[release + 1])});
  if (!others.empty()) page.paragraph(std::move(others));
  if (release == 0) {
    page.paragraph(
        {plain("It is the oldest release that is covered, so what it changed is not "
               "known here.")});
    return page;
  }
  const std::string& before = pack.versions[release - 1];
  add_group(page, rules.added, fmt::format("New since {}", before));
  add_group(page, rules.gone, fmt::format("No longer since {}", before));
  if (rules.added.empty() && rules.gone.empty())
    page.paragraph({plain(fmt::format("No rule differs from {}.", before))});
  return page;
}

SitePage versions_page(const SiteIndex& index) {
  SitePage page;
  page.kind = "versions";
  page.path = "versions/index";
  page.title = "Releases";
  page.description = "The releases of each engine that are covered, and what changed between them.";
  for (const PackIndex& pack_index : index.packs) {
    const RulePack& pack = *pack_index.pack;
    page.heading(pack.title);
    std::vector<TableRow> rows{{{{plain("Release")}},
                                {{plain("Rules in force")}},
                                {{plain("New")}},
                                {{plain("No longer")}}}};
    for (std::size_t at = pack.versions.size(); at-- > 0;) {
      const ReleaseRules rules = rules_of_release(pack, at);
      const auto count = [&](std::size_t number) {
        return TableCell{{plain(at == 0 ? "not known" : std::to_string(number))}};
      };
      rows.push_back({{{page_link(version_path(pack, pack.versions[at]), pack.versions[at])}},
                      {{plain(std::to_string(rules.in_force))}},
                      count(rules.added.size()),
                      count(rules.gone.size())});
    }
    page.table(std::move(rows), "versions");
  }
  return page;
}

SitePage changes_page(const KnowledgeChanges& changes) {
  SitePage page;
  page.kind = "changes";
  page.path = "changes";
  page.title = "What changed";
  page.description = "Errors and rules that are new, different or gone in this dataset.";
  page.paragraph({plain(fmt::format("Between the dataset of {} and that of {}.",
                                    changes.since.empty() ? "no date" : changes.since,
                                    changes.now.empty() ? "no date" : changes.now))});
  if (changes.empty()) page.paragraph({plain("Nothing differs.")});
  if (!changes.records.added.empty()) {
    page.heading("New errors");
    add_records(page, changes.records.added);
  }
  add_changed<ErrorRecord>(page, changes.records.changed, "Changed errors");
  if (!changes.records.gone.empty()) {
    page.heading("Errors that are gone");
    std::vector<Phrase> items;
    for (const ErrorRecord* record : changes.records.gone)
      items.push_back({code_text(record->id), plain(" " + record->error_message)});
    page.bullets(std::move(items));
  }
  add_group(page, changes.rules.added, "New rules");
  add_changed<Rule>(page, changes.rules.changed, "Changed rules");
  if (!changes.rules.gone.empty()) {
    page.heading("Rules that are gone");
    std::vector<Phrase> items;
    for (const Rule* rule : changes.rules.gone)
      items.push_back({code_text(rule->id), plain(" " + rule->summary)});
    page.bullets(std::move(items));
  }
  return page;
}

SitePage retired_page(const RetiredRecord& retired, const Dataset& dataset) {
  SitePage page;
  page.kind = "retired";
  page.path = error_path(retired.repo, retired.slug);
  page.title = retired.message;
  page.title_is_code = true;
  page.description = "This error is no longer in the dataset: " + retired.reason;
  page.eyebrow = {retired.repo, "retired", retired.id};
  page.trail = {page_link("errors/index", "Errors")};
  page.data = fmt::format("api/errors/{}.json", safe_file_name(retired.id));
  Phrase note{plain("Retired: ")};
  append(note, read_phrase(retired.reason));
  if (const ErrorRecord* to = retired.to.empty() ? nullptr : dataset.find(retired.to)) {
    note.push_back(plain(" Read in its place: "));
    note.push_back(page_link(record_path(*to), to->error_message));
  }
  page.note(std::move(note));
  return page;
}

SitePage moved_page(const MovedSlug& moved, const ErrorRecord& to) {
  SitePage page;
  page.kind = "moved";
  page.path = error_path(moved.repo, moved.slug);
  page.title = to.error_message;
  page.title_is_code = true;
  page.description = "This page has moved.";
  page.moved_to = record_path(to);
  page.trail = {page_link("errors/index", "Errors")};
  page.note({plain("This page has moved: "), page_link(page.moved_to, to.error_message)});
  return page;
}

}  // namespace assay
