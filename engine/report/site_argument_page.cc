// The page of one argument of an engine: how it is written, what it may be, and everything that is
// known to go wrong with it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/rule_text.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

constexpr std::size_t kMaxShownDefault = 200;

// " (<0.5.22)": where only some releases have it.
std::string in_releases(const std::string& versions) {
  return versions.empty() ? std::string() : " (" + versions + ")";
}

Phrase flags_phrase(const FactDeclaration& fact, bool is_deprecated) {
  Phrase phrase;
  for (const Flag& flag : fact.flags) {
    if (flag.is_deprecated != is_deprecated) continue;
    if (!phrase.empty()) phrase.push_back(plain(", "));
    phrase.push_back(code_text(flag.spelling));
    if (flag.stores && flag.stores->kind != NodeKind::boolean)
      phrase.push_back(plain(" stores " + literal_text(*flag.stores)));
    for (const Entry& word : flag.word_values) {
      phrase.push_back(plain(" "));
      phrase.push_back(code_text(word.key));
    }
    const std::string releases = in_releases(flag.versions) + in_releases(flag.deprecated_versions);
    if (!releases.empty()) phrase.push_back(plain(releases));
  }
  return phrase;
}

Phrase choices_phrase(const FactDeclaration& fact) {
  Phrase phrase;
  for (std::size_t i = 0; i < fact.choices.size(); ++i) {
    const Node& choice = fact.choices[i];
    if (!phrase.empty()) phrase.push_back(plain(" "));
    phrase.push_back(code_text(choice.is_string() ? choice.text : literal_text(choice)));
    if (i < fact.choice_versions.size() && !fact.choice_versions[i].empty())
      phrase.push_back(plain(in_releases(fact.choice_versions[i])));
  }
  if (fact.has_open_choices) phrase.push_back(plain(" and what plugins add"));
  return phrase;
}

std::string default_text(const Node& value) {
  const std::string text = value.is_string() ? value.text : literal_text(value);
  if (text.empty()) return "\"\"";
  return text.size() > kMaxShownDefault ? text.substr(0, kMaxShownDefault) + "…" : text;
}

std::string default_text(const FactDeclaration& fact) {
  return fact.default_value ? default_text(*fact.default_value) : "unknown";
}

Phrase default_phrase(const FactDeclaration& fact) {
  Phrase phrase{code_text(default_text(fact))};
  for (const DatedDefault& dated : fact.dated_defaults) {
    phrase.push_back(plain(", also "));
    phrase.push_back(code_text(default_text(dated.value)));
    phrase.push_back(plain(in_releases(dated.versions)));
  }
  return phrase;
}

void add_facts(SitePage& page, const FactDeclaration& fact) {
  std::vector<Phrase> facts;
  const auto add = [&](const char* name, Phrase value) {
    if (value.empty()) return;
    facts.push_back({plain(name)});
    facts.push_back(std::move(value));
  };
  if (!fact.versions.empty()) add("Releases", {code_text(fact.versions)});
  add("Flags", flags_phrase(fact, false));
  add("Deprecated", flags_phrase(fact, true));
  add("Type",
      {code_text(to_string(fact.type)), plain(fact.is_json      ? ", written as JSON"
                                              : fact.takes_list ? ", several words behind the flag"
                                                                : "")});
  add("Default", default_phrase(fact));
  add("Choices", choices_phrase(fact));
  if (!fact.unit.empty()) add("Unit", {plain(fact.unit)});
  if (!fact.environment.empty()) add("Environment", {code_text(fact.environment)});
  page.facts(std::move(facts));
}

// Checks before what the engine changes by itself, each in the pack's order.
void add_rule_groups(SitePage& page, const std::vector<const Rule*>& rules) {
  std::vector<const Rule*> checks;
  std::vector<const Rule*> derivations;
  for (const Rule* rule : rules) (rule->is_derivation() ? derivations : checks).push_back(rule);
  if (!checks.empty()) {
    page.heading("Rules that check it");
    add_rules(page, checks);
  }
  if (!derivations.empty()) {
    page.heading("Rules that set it or change others by it");
    add_rules(page, derivations);
  }
}

}  // namespace

SitePage argument_page(const ArgumentRef& argument, const SiteIndex& index) {
  const PackIndex& pack = index.packs[argument.pack];
  const FactDeclaration& fact = pack.pack->schema.facts[argument.fact];
  const ArgumentPage& found = pack.arguments[argument.fact];
  SitePage page;
  page.kind = "argument";
  page.path = found.path;
  page.title = fact.flags.empty() ? fact.name : fact.flags.front().spelling;
  page.title_is_code = true;
  page.description = fact.documentation.empty()
                         ? fmt::format("An argument of {}.", pack.pack->title)
                         : fact.documentation;
  page.eyebrow = {pack.pack->title, "argument", fact.name};
  page.trail = {page_link("arguments/index", "Arguments")};
  page.source = fmt::format("rules/{}/arguments.yaml", pack.pack->name);
  page.prose(fact.documentation);
  add_facts(page, fact);
  add_rule_groups(page, found.rules);
  if (!found.rules_by_derived.empty()) {
    page.heading("Rules that read it through a derived value");
    add_rules(page, found.rules_by_derived);
  }
  if (!found.records.empty()) {
    page.heading("Errors that mention it");
    add_records(page, found.records);
  }
  if (found.rules.empty() && found.rules_by_derived.empty() && found.records.empty())
    page.paragraph({plain("No rule and no known error mentions it.")});
  return page;
}

SitePage arguments_page(const SiteIndex& index) {
  SitePage page;
  page.kind = "arguments";
  page.path = "arguments/index";
  page.title = "Arguments";
  page.description = "The arguments of each engine: type, default, and what is checked of them.";
  for (const PackIndex& pack : index.packs) {
    std::vector<FactId> order;
    for (FactId fact = 0; fact < pack.arguments.size(); ++fact)
      if (!pack.arguments[fact].path.empty()) order.push_back(fact);
    const LazyList<FactDeclaration>& facts = pack.pack->schema.facts;
    std::stable_sort(order.begin(), order.end(),
                     [&](FactId a, FactId b) { return facts[a].name < facts[b].name; });
    page.heading(pack.pack->title);
    std::vector<TableRow> rows{{{{plain("Argument")}},
                                {{plain("Type")}},
                                {{plain("Default")}},
                                {{plain("Rules")}},
                                {{plain("Errors")}},
                                {{plain("What it is")}}}};
    for (const FactId fact : order) {
      const ArgumentPage& found = pack.arguments[fact];
      rows.push_back({{{code_link(found.path, facts[fact].name)}},
                      {{plain(to_string(facts[fact].type))}},
                      {{code_text(default_text(facts[fact]))}},
                      {{plain(std::to_string(found.rules.size()))}},
                      {{plain(std::to_string(found.records.size()))}},
                      {read_phrase(facts[fact].documentation)}});
    }
    page.table(std::move(rows), "arguments");
  }
  return page;
}

}  // namespace assay
