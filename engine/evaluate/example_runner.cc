// An example without `from` is put straight into the table of facts and only its rule is judged;
// with `from: start` the whole pipeline runs and the rule's outcome is noted when the walk passes
// it. A rule that the walk never comes to does not apply.
#include "engine/evaluate/example_runner.h"

#include <utility>

#include "engine/compile/literal.h"
#include "engine/compile/pattern_search.h"
#include "engine/evaluate/check_workspace.h"
#include "engine/evaluate/example_facts.h"
#include "engine/evaluate/fact_path.h"
#include "engine/evaluate/finding_builder.h"
#include "engine/evaluate/pipeline.h"
#include "engine/evaluate/value_text.h"

namespace assay {
namespace {

using ExampleKind = RuleExample::Kind;

// Notes the outcome of one rule.
class ExampleVisit {
 public:
  ExampleVisit(FactTable& table, std::uint32_t rule, const RuleExample& example,
               ExampleResult& result)
      : table_(table), rule_(rule), example_(example), result_(result) {}

  void enter(std::uint32_t /*position*/) {}
  void skip(std::uint32_t /*begin*/, std::uint32_t /*end*/) {}

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    if (position != rule_) return;
    const bool is_derivation = table_.pack().rules()[position].is_derivation();
    Finding finding = make_finding(position, outcome, table_);
    const Verdict verdict = outcome.judgement.verdict;
    const bool speaks =
        verdict == Verdict::violated || (is_derivation && verdict == Verdict::satisfied);
    result_.verdict = verdict;
    if (speaks) result_.message = std::move(finding.message);
    result_.label = std::move(finding.label);
    result_.waits_for = std::move(finding.waits_for);
    result_.evaluation_error = std::move(finding.evaluation_error);
    result_.facts = std::move(finding.facts);
    for (const FactValue& expected : example_.to) compare(expected);
  }

 private:
  void compare(const FactValue& expected) {
    const FactSchema& schema = table_.pack().schema();
    const FactPath target = find_fact_path(schema, expected.name);
    if (!target.is_known) {
      result_.wrong_values.push_back("no fact is called `" + expected.name + "`");
      return;
    }
    const Type type = target.path.empty() ? schema.facts[target.fact].type : Type{};
    const auto wanted = literal_value(expected.value, table_.memory(), type);
    const auto found = value_at(table_.value(target.fact), target.path);
    if (wanted && found && is_same_value(*wanted, *found)) return;
    const std::string is = !found                          ? "absent"
                           : target.path.empty()           ? fact_text(table_, target.fact)
                           : found->is(ValueKind::unknown) ? "unknown"
                                                           : python_repr(*found);
    result_.wrong_values.push_back("`" + expected.name + "` is " + is + ", not " +
                                   (wanted ? python_repr(*wanted) : "a value it can have"));
  }

  FactTable& table_;
  const std::uint32_t rule_;
  const RuleExample& example_;
  ExampleResult& result_;
};

std::string_view kind_name(ExampleKind kind) {
  switch (kind) {
    case ExampleKind::violates:
      return "violates";
    case ExampleKind::passes:
      return "passes";
    case ExampleKind::undecided:
      return "undecided";
    case ExampleKind::changes:
      return "changes";
    case ExampleKind::keeps:
      break;
  }
  return "keeps";
}

bool is_as_expected(ExampleKind kind, const ExampleResult& result) {
  switch (kind) {
    case ExampleKind::violates:
      return result.verdict == Verdict::violated;
    case ExampleKind::passes:
      return result.verdict == Verdict::satisfied || result.verdict == Verdict::not_applicable;
    case ExampleKind::undecided:
      return result.verdict == Verdict::undecided && !result.waits_for.empty();
    case ExampleKind::changes:
      return result.verdict == Verdict::satisfied && result.wrong_values.empty();
    case ExampleKind::keeps:
      break;
  }
  return result.verdict == Verdict::not_applicable;
}

std::string what_came_out(const ExampleResult& result, bool is_derivation) {
  std::string text;
  if (is_derivation)
    text = result.verdict == Verdict::satisfied        ? "the derivation applies"
           : result.verdict == Verdict::not_applicable ? "the derivation does not apply"
                                                       : "the derivation is undecided";
  else
    text = "the rule is " + std::string(to_string(result.verdict));
  if (!result.label.empty()) text += " (" + result.label + ")";
  for (std::size_t i = 0; i < result.waits_for.size(); ++i)
    text += (i == 0 ? ", waiting for `" : ", `") + result.waits_for[i] + "`";
  if (!result.evaluation_error.empty()) text += ": " + result.evaluation_error;
  for (const std::string& wrong : result.wrong_values) text += "; " + wrong;
  return text;
}

Diagnostic failure(const RuleExample& example, const ExampleResult& result, bool is_derivation) {
  std::string values;
  for (const FactUse& use : result.facts)
    values += (values.empty() ? "" : ", ") + use.name + " = " + use.value;
  return make_error(code::example_fails, example.span,
                    "this example says `" + std::string(kind_name(example.kind)) + "`, but " +
                        what_came_out(result, is_derivation),
                    values.empty() ? std::string() : "The rule read " + values + ".");
}

void run_message(const PatternSearch& pattern, const ErrorRecord& record,
                 const std::string& message, bool must_match, Diagnostics& faults,
                 ExampleCounts& counts) {
  ++counts.run;
  if (pattern.matches(message) == must_match) return;
  ++counts.failed;
  faults.push_back(make_error(code::example_fails, record.pattern_span,
                              must_match ? "the pattern of `" + record.slug +
                                               "` does not match its example \"" + message + "\""
                                         : "the pattern of `" + record.slug + "` matches \"" +
                                               message + "\", which is listed as a near miss"));
}

}  // namespace

ExampleResult run_example(const CompiledPack& pack, std::uint32_t rule, const RuleExample& example,
                          Diagnostics& faults) {
  CheckWorkspace::State state(pack);
  ExampleResult result;
  load_example(example, state.table, faults);
  ExampleVisit visit(state.table, rule, example, result);
  if (example.from_start) {
    std::vector<bool> is_enabled;
    prepare_walk(state, LaunchStage::raw, {.use_index = false}, is_enabled);
    is_enabled[rule] = true;  // an example of a rule for other versions need not name one
    Pipeline(state.table, is_enabled, nullptr, state.outcome).run(visit);
    return result;
  }
  DerivationOutcome outcome;
  if (pack.rules()[rule].is_derivation())
    apply_derivation(rule, state.table, nullptr, outcome);
  else
    judge_check(pack.rules()[rule], state.table, outcome.judgement);
  visit.leave(rule, outcome);
  return result;
}

Diagnostics run_rule_examples(const CompiledPack& pack, ExampleCounts& counts) {
  Diagnostics faults;
  for (std::uint32_t at = 0; at < pack.rules().size(); ++at) {
    const CompiledRule& rule = pack.rules()[at];
    for (const RuleExample& example : rule.source->examples) {
      ++counts.run;
      Diagnostics wrong_values;
      const ExampleResult result = run_example(pack, at, example, wrong_values);
      const bool is_failed = !wrong_values.empty() || !is_as_expected(example.kind, result);
      if (is_failed) ++counts.failed;
      if (is_failed && wrong_values.empty())
        faults.push_back(failure(example, result, rule.is_derivation()));
      faults.insert(faults.end(), wrong_values.begin(), wrong_values.end());
    }
  }
  return faults;
}

Diagnostics run_record_examples(const Dataset& dataset, ExampleCounts& counts) {
  Diagnostics faults;
  for (const ErrorRecord& record : dataset.records) {
    const auto pattern = PatternSearch::compile(record.message_pattern, record.pattern_span);
    if (!pattern) {
      faults.insert(faults.end(), pattern.error().begin(), pattern.error().end());
      continue;
    }
    for (const RecordExample& example : record.examples)
      run_message(*pattern, record, example.message, true, faults, counts);
    for (const std::string& near_miss : record.near_misses)
      run_message(*pattern, record, near_miss, false, faults, counts);
  }
  return faults;
}

}  // namespace assay
