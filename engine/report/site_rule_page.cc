// The page of one rule: what it says, its condition, what to do, and the examples that prove it.
#include <fmt/format.h>

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

void add_place(SitePage& page, const Rule& rule, const RulePack& pack) {
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
  }
  if (!source.raises.empty()) {
    if (source.raises == "argparse") {
      items.push_back({plain("The argument parser refuses it.")});
    } else {
      items.push_back({plain("Raises "), code_text(source.raises)});
    }
  }
  const bool is_every_version = rule.versions.empty() || rule.versions == "any";
  items.push_back(
      {plain("Versions: "), plain(is_every_version ? "all that are covered" : rule.versions)});
  page.bullets(std::move(items));
}

}  // namespace

std::string rule_path(const Rule& rule) {
  std::string path = "rules";
  std::string_view rest = rule.id;
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    path += '/' + safe_file_name(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return path;
}

SitePage rule_page(const RulePageInput& input) {
  const Rule& rule = *input.rule;
  SitePage page;
  page.path = rule_path(rule);
  page.title = rule.summary;
  page.description = rule.summary;
  page.eyebrow = {input.pack->title, std::string(to_string(rule.severity)),
                  rule.is_derivation() ? "derivation" : "check"};
  page.severity = std::string(to_string(rule.severity));
  page.trail = {page_link(pack_path(*input.pack), input.pack->title + " rules")};

  page.paragraph({code_text(rule.id)});
  if (!rule.message.empty()) {
    page.heading("What the engine says");
    page.code(rule.message);
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
  add_place(page, rule, *input.pack);
  if (input.record) {
    page.heading("The error it prevents");
    page.paragraph({page_link(record_path(*input.record), input.record->error_message)});
  }
  page.footer = {plain(fmt::format("{} rules, from ", input.pack->title)),
                 web_link("https://github.com/" + input.pack->repository, input.pack->repository),
                 plain(".")};
  return page;
}

}  // namespace assay
