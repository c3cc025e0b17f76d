// A scan for names, not a parse: expressions were compiled when the pack was loaded, so a name in
// one is a fact, a `let` name or a function, and only facts are in the schema. The longest dotted
// prefix that is declared wins, as in the language itself.
#include "engine/report/fact_mentions.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/compile/message_template.h"

namespace assay {
namespace {

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool is_name_part(char c) { return starts_name(c) || is_digit(c); }

void add_dotted(std::string_view name, const FactSchema& schema, std::vector<FactId>& facts) {
  for (const std::string_view prefix : {"raw.", "before."})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  while (!name.empty()) {
    const auto found = schema.by_name.find(name);
    if (found != schema.by_name.end()) {
      facts.push_back(found->second);
      return;
    }
    const auto dot = name.rfind('.');
    name = name.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
}

// The end of the string literal that begins at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

}  // namespace

void add_expression_facts(std::string_view text, const FactSchema& schema,
                          std::vector<FactId>& facts) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = end_of_literal(text, at);
    } else if (starts_name(text[at])) {
      std::size_t end = at;
      while (end < text.size() && (is_name_part(text[end]) || text[end] == '.')) ++end;
      add_dotted(text.substr(at, end - at), schema, facts);
      at = end;
    } else {
      ++at;
    }
  }
}

void sort_and_unite(std::vector<FactId>& facts) {
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
}

std::vector<FactId> facts_of_rule(const Rule& rule, const FactSchema& schema) {
  std::vector<FactId> facts;
  const auto read = [&](std::string_view text) { add_expression_facts(text, schema, facts); };
  const auto assign = [&](const Assignment& assignment) {
    add_dotted(assignment.target, schema, facts);
    if (assignment.kind == Assignment::Kind::compute) read(assignment.expression.text);
  };
  for (const LetBinding& let : rule.lets) read(let.expression.text);
  if (rule.when) read(rule.when->text);
  if (rule.require) read(rule.require->text);
  for (const RuleCase& row : rule.cases) read(row.when.text);
  for (const Assignment& assignment : rule.effect) assign(assignment);
  for (const Fix& fix : rule.fixes)
    for (const Assignment& assignment : fix.assignments) assign(assignment);
  std::vector<TemplateFault> faults;
  for (const TemplatePiece& piece : split_template(rule.message, faults))
    if (piece.is_expression) read(piece.text);
  sort_and_unite(facts);
  return facts;
}

void add_text_arguments(std::string_view text, const FactSchema& schema,
                        std::vector<FactId>& facts) {
  for (std::size_t at = 0; at < text.size();) {
    const bool is_inside = at > 0 && (is_name_part(text[at - 1]) || text[at - 1] == '-');
    if (is_inside || (text[at] != '-' && !starts_name(text[at]))) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_name_part(text[end]) || text[end] == '-')) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.starts_with("--")) {
      const auto found = schema.by_flag.find(word);
      if (found != schema.by_flag.end()) facts.push_back(found->second);
    } else if (word.find('_') != std::string_view::npos) {
      const auto found = schema.by_name.find(word);
      if (found != schema.by_name.end() && schema.facts[found->second].is_argument)
        facts.push_back(found->second);
    }
    at = end;
  }
}

}  // namespace assay
