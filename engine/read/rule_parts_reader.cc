// What an effect or a fix may change is what a launch can say: arguments and environment variables.
// A machine or a model cannot be assigned to.
#include "engine/read/rule_parts_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "engine/read/expression_text.h"
#include "engine/read/fact_names.h"

namespace assay {
namespace {

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// A commit or a tag.
bool is_revision(std::string_view text) {
  return !text.empty() &&
         has_only(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-/");
}

}  // namespace

bool is_record_id(std::string_view text) {
  return text.size() == 16 && has_only(text, "0123456789abcdef");
}

void RulePartsReader::check_fact(std::string_view name, Span span) {
  if (schema_ != nullptr && find_fact(*schema_, name) == nullptr)
    faults_.push_back(unknown_fact_fault(*schema_, name, span, faults_.size()));
}

std::optional<ExpressionText> RulePartsReader::read_condition(const Node& node,
                                                              std::string_view what) {
  const auto check_name = [&](std::string_view name, Span span) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
    constexpr std::string_view kRaw = "raw.";
    if (name.starts_with(kRaw)) name.remove_prefix(kRaw.size());
    check_fact(name, span);
  };
  return assay::read_condition(sources_, node, what, check_name, faults_);
}

void RulePartsReader::check_target(std::string_view name, Span span) {
  if (schema_ == nullptr) return;
  const FactDeclaration* fact = find_fact(*schema_, name);
  if (fact == nullptr)
    faults_.push_back(unknown_fact_fault(*schema_, name, span, faults_.size()));
  else if (!fact->is_argument && !fact->name.starts_with("env."))
    refuse(span, fmt::format("`{}` cannot be changed by a launch", name),
           "arguments and environment variables can");
}

std::vector<Assignment> RulePartsReader::read_assignments(const MappingReader& keys,
                                                          std::string_view what) {
  std::vector<Assignment> assignments;
  const std::size_t faults_before = faults_.size();
  const auto add = [&](Assignment::Kind kind, std::string target, Span span) -> Assignment& {
    check_target(target, span);
    Assignment& assignment = assignments.emplace_back();
    assignment.kind = kind;
    assignment.target = std::move(target);
    assignment.target_span = span;
    return assignment;
  };
  if (const Node* set = keys.mapping("set"))
    for (const Entry& entry : set->entries)
      add(Assignment::Kind::set, entry.key, entry.key_span).literal = entry.value;
  if (const Node* compute = keys.mapping("compute"))
    for (const Entry& entry : compute->entries) {
      auto expression =
          read_expression(sources_, entry.value, fmt::format("`{}`", entry.key), faults_);
      Assignment& assignment = add(Assignment::Kind::compute, entry.key, entry.key_span);
      if (expression) assignment.expression = std::move(*expression);
    }
  if (const Node* unset = keys.sequence("unset"))
    for (const Node& item : unset->items) {
      if (item.is_string())
        add(Assignment::Kind::unset, item.text, item.span);
      else
        faults_.push_back(wrong_type("an item of `unset`", "a string", item));
    }
  if (assignments.empty() && keys.is_mapping() && faults_.size() == faults_before)
    faults_.push_back(
        make_error(code::missing_key, keys.span(),
                   fmt::format("{} needs something to `set`, `compute` or `unset`", what)));
  std::map<std::string_view, Span> first;
  for (const Assignment& assignment : assignments) {
    const auto [known, is_new] = first.try_emplace(assignment.target, assignment.target_span);
    if (is_new) continue;
    faults_.push_back(
        make_error(code::duplicate_key, assignment.target_span,
                   fmt::format("`{}` is assigned twice in {}", assignment.target, what)));
    faults_.back().related.push_back({known->second, "first assigned here"});
  }
  return assignments;
}

std::vector<Assignment> RulePartsReader::read_effect(const Node& node) {
  return read_assignments(MappingReader(node, "an effect", kEffectKeys, faults_), "an effect");
}

Fix RulePartsReader::read_fix(const Node& node) {
  const MappingReader keys(node, "a fix", kFixKeys, faults_);
  Fix fix;
  fix.assignments = read_assignments(keys, "a fix");
  fix.why = keys.filled_text("why").value_or("");
  fix.span = node.span;
  return fix;
}

std::vector<FactValue> RulePartsReader::read_facts(const MappingReader& keys,
                                                   std::string_view key) {
  std::vector<FactValue> facts;
  const Node* mapping = keys.mapping(key);
  if (mapping == nullptr) return facts;
  for (const Entry& entry : mapping->entries) {
    check_fact(entry.key, entry.key_span);
    facts.push_back({entry.key, entry.key_span, entry.value});
  }
  return facts;
}

RuleExample RulePartsReader::read_example(const Node& node, bool is_derivation) {
  using Kind = RuleExample::Kind;
  struct Form {
    std::string_view key;
    Kind kind;
    bool is_of_derivation;
  };
  static constexpr std::array<Form, 5> kForms = {{{"violates", Kind::violates, false},
                                                  {"passes", Kind::passes, false},
                                                  {"undecided", Kind::undecided, false},
                                                  {"changes", Kind::changes, true},
                                                  {"keeps", Kind::keeps, true}}};
  const MappingReader keys(node, "an example", kExampleKeys, faults_);
  RuleExample example;
  example.span = node.span;
  std::size_t forms = 0;
  for (const Form& form : kForms) {
    if (!keys.has(form.key)) continue;
    ++forms;
    example.kind = form.kind;
    example.facts = read_facts(keys, form.key);
    if (form.is_of_derivation != is_derivation)
      refuse(
          keys.find_entry(form.key)->key_span,
          fmt::format("`{}` is for {}", form.key, form.is_of_derivation ? "derivations" : "checks"),
          is_derivation ? "a derivation `changes` or `keeps`"
                        : "a check `violates`, `passes` or is `undecided`");
  }
  if (forms == 0 && node.kind == NodeKind::mapping)
    faults_.push_back(make_error(
        code::missing_key, node.span,
        fmt::format("an example needs {}", is_derivation ? "`changes` or `keeps`"
                                                         : "`violates`, `passes` or `undecided`")));
  if (forms > 1) refuse(node.span, "an example shows one thing", "make two examples of it");
  const bool needs_to = keys.has("changes");
  if (needs_to && !keys.has("to"))
    faults_.push_back(
        make_error(code::missing_key, node.span, "an example with `changes` lacks the key `to`"));
  if (!needs_to && keys.has("to"))
    refuse(keys.find_entry("to")->key_span, "`to` belongs to `changes`");
  example.to = read_facts(keys, "to");
  example.from_start = keys.choice("from", {"start"}).has_value();
  return example;
}

RuleSource RulePartsReader::read_source(const Node& node) {
  const MappingReader keys(node, "a source", kRuleSourceKeys, faults_);
  RuleSource source;
  source.file = keys.filled_text("file").value_or("");
  source.sha = keys.word("sha").value_or("");
  if (!source.sha.empty() && !is_revision(source.sha))
    refuse(keys.find("sha")->span, fmt::format("`{}` is neither a commit nor a tag", source.sha));
  if (const auto line = keys.integer("line")) {
    if (*line < 1 || *line > std::numeric_limits<std::uint32_t>::max())
      refuse(keys.find("line")->span, "lines count from 1");
    else
      source.line = static_cast<std::uint32_t>(*line);
  }
  source.raises = keys.filled_text("raises").value_or("");
  return source;
}

}  // namespace assay
