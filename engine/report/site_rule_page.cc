// The page of one rule: what it says, its condition, what to do, and the examples that prove it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/message_marks.h"
#include "engine/report/rule_releases.h"
#include "engine/report/rule_text.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

void add_fixes(SitePage& page, const Rule& rule) {
  if (rule.fixes.empty()) return;
  page.heading("Fixes");
  std::vector<Phrase> items;
  for (const Fix& fix : rule.fixes) {
    Phrase item;
    for (const Assignment& assignment : fix.assignments) {
      if (!item.empty()) item.push_back(plain(", "));
      item.push_back(code_text(assignment_text(assignment)));
    }
    if (!fix.why.empty()) item.push_back(plain(" — "));
    for (Inline& part : read_phrase(fix.why)) item.push_back(std::move(part));
    items.push_back(std::move(item));
  }
  page.numbers(std::move(items));
}

std::string_view outcome_of(RuleExample::Kind kind) {
  switch (kind) {
    case RuleExample::Kind::violates:
      return "breaks the rule";
    case RuleExample::Kind::passes:
      return "passes";
    case RuleExample::Kind::undecided:
      return "cannot be decided";
    case RuleExample::Kind::changes:
      return "is changed";
    case RuleExample::Kind::keeps:
      break;
  }
  return "stays as it is";
}

std::string values_text(const std::vector<FactValue>& values) {
  std::vector<std::string> parts;
  for (const FactValue& value : values)
    parts.push_back(fmt::format("{}: {}", value.name, literal_text(value.value)));
  return parts.empty() ? "nothing given" : fmt::format("{}", fmt::join(parts, ", "));
}

void add_examples(SitePage& page, const Rule& rule) {
  if (rule.examples.empty()) return;
  page.heading("Examples");
  page.paragraph({plain("Proven by "), code_text("assay test"), plain(".")});
  std::vector<Phrase> items;
  for (const RuleExample& example : rule.examples) {
    Phrase item{code_text(values_text(example.facts)), plain(" "),
                strong(std::string(outcome_of(example.kind)))};
    if (!example.to.empty()) {
      item.push_back(plain(" to "));
      item.push_back(code_text(values_text(example.to)));
    }
    if (example.from_start) item.push_back(plain(" (as typed, through the whole start-up)"));
    items.push_back(std::move(item));
  }
  page.bullets(std::move(items));
}

Phrase versions_phrase(const Rule& rule, const RulePack& pack) {
  const std::vector<bool> holds = releases_of(rule, pack);
  const bool is_every = std::find(holds.begin(), holds.end(), false) == holds.end();
  Phrase phrase{plain("Versions: "), plain(is_every ? "all that are covered" : rule.versions)};
  if (is_every) return phrase;
  phrase.push_back(plain(" — "));
  bool is_first = true;
  for (std::size_t at = 0; at < holds.size(); ++at) {
    if (!holds[at]) continue;
    if (!is_first) phrase.push_back(plain(", "));
    is_first = false;
    phrase.push_back(page_link(version_path(pack, pack.versions[at]), pack.versions[at]));
  }
  return phrase;
}

void add_place(SitePage& page, const Rule& rule, const RulePack& pack, const SiteIndex& index) {
  page.heading("Where the engine does it");
  std::vector<Phrase> items;
  if (rule.step == "unplaced") {
    items.push_back({plain("At an unknown step of the start-up.")});
  } else {
    items.push_back({plain("Step "), code_text(rule.step)});
  }
  const RuleSource& source = rule.source;
  if (!source.file.empty()) {
    std::string place = source.file;
    if (source.line != 0) place += fmt::format(":{}", source.line);
    const std::string address =
        fmt::format("https://github.com/{}/blob/{}/{}{}", pack.repository,
                    source.sha.empty() ? "main" : source.sha, source.file,
                    source.line == 0 ? std::string() : fmt::format("#L{}", source.line));
    items.push_back({plain("Source "), web_link(address, place),
                     plain(source.sha.empty() ? "" : fmt::format(" (pinned to {})", source.sha))});
    if (const SiteGroup* file = index.file(pack.repository, source.file))
      items.back().insert(items.back().end(),
                          {plain("; "), page_link(file->path, "what else is raised there")});
  }
  if (!source.raises.empty()) {
    if (source.raises == "argparse") {
      items.push_back({plain("The argument parser refuses it.")});
    } else {
      items.push_back({plain("Raises "), code_text(source.raises)});
    }
  }
  items.push_back(versions_phrase(rule, pack));
  page.bullets(std::move(items));
}

void add_arguments(SitePage& page, const Rule& rule, const PackIndex& pack) {
  const auto own = pack.arguments_of_rule.find(&rule);
  if (own == pack.arguments_of_rule.end() || own->second.empty()) return;
  page.heading("Arguments");
  std::vector<Phrase> items;
  for (const FactId fact : own->second) {
    const FactDeclaration& declaration = pack.pack->schema.facts[fact];
    items.push_back({code_link(pack.arguments[fact].path, declaration.name),
                     plain(declaration.documentation.empty() ? "" : " — ")});
    append(items.back(), read_phrase(declaration.documentation));
  }
  page.bullets(std::move(items));
}

}  // namespace

std::string rule_path(const Rule& rule) { return "rules/" + safe_path(rule.id); }

std::string rule_api_path(const Rule& rule) { return "api/" + rule_path(rule) + ".json"; }

SitePage rule_page(const Rule& rule, const PackIndex& pack_index, const SiteIndex& index) {
  const RulePack& pack = *pack_index.pack;
  SitePage page;
  page.kind = "rule";
  page.path = rule_path(rule);
  page.title = rule.summary;
  page.description = rule.summary;
  page.eyebrow = {pack.title, std::string(to_string(rule.severity)),
                  rule.is_derivation() ? "derivation" : "check"};
  page.severity = std::string(to_string(rule.severity));
  page.trail = {page_link(pack_path(pack), pack.title + " rules")};
  if (const auto area = pack_index.areas.find(area_of(rule)); area != pack_index.areas.end())
    page.trail.push_back(page_link(area->second.path, std::string(area->first)));
  page.data = rule_api_path(rule);
  page.source = fmt::format("rules/{}.yaml", rule.id);

  page.paragraph({code_text(rule.id)});
  if (!rule.message.empty()) {
    page.heading("What the engine says");
    page.marked_code(marked_message(rule.message));
  }
  if (!rule.documentation.empty()) page.prose(rule.documentation);
  page.heading("Condition");
  page.code(rule_condition(rule), "cel");
  add_fixes(page, rule);
  if (!rule.ignore_when.empty()) {
    page.heading("When to ignore it");
    page.prose(rule.ignore_when);
  }
  add_examples(page, rule);
  add_arguments(page, rule, pack_index);
  add_place(page, rule, pack, index);
  if (const ErrorRecord* record = index.dataset.find(rule.error)) {
    page.heading("The error it prevents");
    page.paragraph({page_link(record_path(*record), record->error_message)});
  }
  page.footer = {plain(fmt::format("{} rules, from ", pack.title)),
                 web_link("https://github.com/" + pack.repository, pack.repository), plain(".")};
  return page;
}

}  // namespace assay
