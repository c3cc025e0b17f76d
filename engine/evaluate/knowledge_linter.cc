// Each rule is held against its own examples, its versions, its record. A template and a record are
// compared as shapes (compile/message_shape.h); a pattern that has no shape is proven by the
// messages of the rule's violating examples alone.
#include "engine/evaluate/knowledge_linter.h"

#include <algorithm>
#include <utility>

#include "engine/compile/literal_tables.h"
#include "engine/compile/message_shape.h"
#include "engine/compile/pattern_search.h"
#include "engine/evaluate/example_runner.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/rule_fixes.h"

namespace assay {
namespace {

// A pattern with less literal text than this is found in lines that say something else.
constexpr std::size_t kMinLiteralBytes = 8;

Diagnostic make_warning(DiagnosticCode code, Span span, std::string message, std::string help) {
  return {Severity::warning, code, span, std::move(message), std::move(help), {}};
}

// A message of ours and the record that it names.
struct MessageJoin {
  const std::string& owner;  // id of the rule or clause, for messages
  const std::string& message;
  Span message_span;
  const std::string& record_id;
  Span record_id_span;
  const std::string& raises;
};

Diagnostic message_mismatch(Span span, std::string message, const ErrorRecord& record, Span other) {
  Diagnostic fault = make_error(code::message_does_not_match, span, std::move(message));
  fault.related.push_back({other, "the record `" + record.slug + "` says this"});
  return fault;
}

void compare_shapes(const MessageJoin& join, const ErrorRecord& record, Diagnostics& faults) {
  const auto shape = shape_of_template(join.message);
  if (!shape) return;
  const MessageShape message = shape_of_record_message(record.error_message);
  if (!covers(message, *shape))
    faults.push_back(message_mismatch(join.message_span,
                                      "the message is \"" + to_string(*shape) +
                                          "\", and its record's errorMessage \"" +
                                          to_string(message) + "\"",
                                      record, record.message_span));
  const auto pattern = shape_of_pattern(record.message_pattern);
  if (pattern && !covers_part(*pattern, *shape))
    faults.push_back(message_mismatch(join.message_span,
                                      "the message is \"" + to_string(*shape) +
                                          "\", and its record's messagePattern finds \"" +
                                          to_string(*pattern) + "\"",
                                      record, record.pattern_span));
}

// The record, or null when none is named or there is none (reported).
const ErrorRecord* lint_join(const MessageJoin& join, const Dataset& dataset, Diagnostics& faults) {
  if (join.record_id.empty()) return nullptr;
  const ErrorRecord* record = dataset.find(join.record_id);
  if (record == nullptr) {
    faults.push_back(make_error(code::unknown_record, join.record_id_span,
                                "no record has the id `" + join.record_id + "`"));
    return nullptr;
  }
  if (record->error_class && !join.raises.empty() && join.raises != "argparse" &&
      *record->error_class != join.raises)
    faults.push_back(make_warning(code::record_differs, join.record_id_span,
                                  "`" + join.owner + "` raises " + join.raises +
                                      ", and its record `" + record->slug + "` is about " +
                                      *record->error_class,
                                  "Correct the one that is wrong."));
  if (!join.message.empty()) compare_shapes(join, *record, faults);
  return record;
}

class RuleLinter {
 public:
  RuleLinter(const CompiledPack& pack, const Dataset& dataset, Diagnostics& faults)
      : pack_(pack), dataset_(dataset), faults_(faults) {}

  void lint(std::uint32_t position) {
    rule_ = pack_.rules()[position].source;
    position_ = position;
    lint_versions();
    lint_examples();
    lint_source();
    lint_record();
    lint_fixes(pack_, position, faults_);
  }

 private:
  void lint_versions() {
    const auto& versions = pack_.source().versions;
    const bool is_reached = std::any_of(versions.begin(), versions.end(), [&](const auto& text) {
      const auto version = parse_version(text);
      return !version || pack_.rules()[position_].versions.contains(*version);
    });
    if (!is_reached && !versions.empty())
      faults_.push_back(make_warning(code::unreachable_rule, rule_->versions_span,
                                     "`" + rule_->versions + "` names no version of the pack (" +
                                         versions.front() + " to " + versions.back() + ")",
                                     "Widen the range, or remove the rule."));
  }

  bool has_example(RuleExample::Kind kind) const {
    return std::any_of(rule_->examples.begin(), rule_->examples.end(),
                       [&](const RuleExample& example) { return example.kind == kind; });
  }

  void lint_examples() {
    using Kind = RuleExample::Kind;
    const bool is_derivation = rule_->is_derivation();
    const Kind acts = is_derivation ? Kind::changes : Kind::violates;
    const Kind rests = is_derivation ? Kind::keeps : Kind::passes;
    const auto warn = [&](std::string_view kind) {
      faults_.push_back(
          make_warning(code::no_example, rule_->id_span,
                       "`" + rule_->id + "` has no example that says `" + std::string(kind) + "`",
                       "Add one: it proves that the rule does what it says."));
    };
    if (!has_example(acts)) warn(is_derivation ? "changes" : "violates");
    if (!has_example(rests)) warn(is_derivation ? "keeps" : "passes");
    for (const RuleExample& example : rule_->examples) {
      Diagnostics ignored;  // the runner of the examples reports them
      const ExampleResult result = run_example(pack_, position_, example, ignored);
      if (!result.evaluation_error.empty()) report_failure(example.span, result.evaluation_error);
    }
  }

  void report_failure(Span span, const std::string& error) {
    faults_.push_back(make_error(
        code::evaluation_failed, span, "the condition of `" + rule_->id + "` fails here: " + error,
        "Guard it: test for null, or use has(), before the value is used."));
  }

  void lint_source() {
    const RuleSource& source = rule_->source;
    const auto warn = [&](const std::string& what) {
      faults_.push_back(make_warning(code::missing_key, rule_->id_span,
                                     "the source of `" + rule_->id + "` does not say " + what,
                                     "Name the place in the engine that the rule restates."));
    };
    if (source.file.empty()) return warn("which file makes the check");
    if (source.sha.empty()) warn("of which commit it speaks");
    if (rule_->severity == Severity::error && !rule_->is_derivation() && source.raises.empty())
      warn("which exception is raised");
  }

  void lint_record() {
    const ErrorRecord* record = lint_join({rule_->id, rule_->message, rule_->message_span,
                                           rule_->error, rule_->error_span, rule_->source.raises},
                                          dataset_, faults_);
    if (record != nullptr && !rule_->message.empty()) match_examples(*record);
  }

  void match_examples(const ErrorRecord& record) {
    const auto pattern = PatternSearch::compile(record.message_pattern, record.pattern_span);
    if (!pattern) return;  // lint_records reports it
    for (const RuleExample& example : rule_->examples) {
      if (example.kind != RuleExample::Kind::violates) continue;
      Diagnostics ignored;
      const ExampleResult result = run_example(pack_, position_, example, ignored);
      if (result.verdict != Verdict::violated || pattern->matches(result.message)) continue;
      faults_.push_back(message_mismatch(example.span,
                                         "this example's message, \"" + result.message +
                                             "\", is not found by the pattern of its record",
                                         record, record.pattern_span));
    }
  }

  const CompiledPack& pack_;
  const Dataset& dataset_;
  Diagnostics& faults_;
  const Rule* rule_ = nullptr;
  std::uint32_t position_ = 0;
};

}  // namespace

Diagnostics lint_rules(const CompiledPack& pack, const Dataset& dataset) {
  Diagnostics faults;
  RuleLinter linter(pack, dataset, faults);
  for (std::uint32_t at = 0; at < pack.rules().size(); ++at) linter.lint(at);
  const Launch nothing;
  const CheckReport report = check_launch(pack, nothing, {});
  for (const Finding& finding : report.undecided)
    if (!finding.evaluation_error.empty())
      faults.push_back(
          make_error(code::evaluation_failed, finding.rule->id_span,
                     "the condition of `" + finding.rule->id +
                         "` fails on the default values: " + finding.evaluation_error,
                     "Guard it: test for null, or use has(), before the value is used."));
  return faults;
}

Diagnostics lint_contract(const CompiledContract& contract, const Dataset& dataset) {
  Diagnostics faults;
  for (const ContractClause& clause : contract.source.clauses) {
    const std::string& raises =
        clause.raises.empty() ? contract.source.source.raises : clause.raises;
    lint_join(
        {clause.id, clause.message, clause.message_span, clause.error, clause.error_span, raises},
        dataset, faults);
  }
  return faults;
}

namespace {

bool can_be_scanned_for(const PatternSearch& pattern) {
  return std::any_of(pattern.literals().begin(), pattern.literals().end(),
                     [](const std::string& l) { return l.size() >= kFastLiteralBytes; });
}

// Of a pattern that the scan cannot find by itself. False: a fault was added.
bool lint_context(const ErrorRecord& record, Diagnostics& faults) {
  const std::string needed = std::to_string(kFastLiteralBytes) + " bytes of literal text in a row";
  if (!record.context) {
    faults.push_back(make_error(
        code::weak_pattern, record.pattern_span,
        "the pattern of `" + record.slug + "` has no " + needed + ", and the record no context",
        "Add more of the message, or a `context`: the exception class, logger or level that makes "
        "a line worth looking at."));
    return false;
  }
  const auto context = PatternSearch::compile(*record.context, record.span);
  if (!context) {
    faults.insert(faults.end(), context.error().begin(), context.error().end());
    return false;
  }
  if (can_be_scanned_for(*context)) return true;
  faults.push_back(
      make_error(code::weak_pattern, record.pattern_span,
                 "neither the pattern nor the context of `" + record.slug + "` has " + needed,
                 "Write more of the exception class, logger or level into the context."));
  return false;
}

}  // namespace

Diagnostics lint_records(const Dataset& dataset) {
  Diagnostics faults;
  for (const ErrorRecord& record : dataset.records) {
    const auto pattern = PatternSearch::compile(record.message_pattern, record.pattern_span);
    if (!pattern) {
      faults.insert(faults.end(), pattern.error().begin(), pattern.error().end());
      continue;
    }
    if (!can_be_scanned_for(*pattern) && !lint_context(record, faults)) continue;
    if (pattern->literal_bytes() >= kMinLiteralBytes || record.context) continue;
    faults.push_back(make_warning(code::weak_pattern, record.pattern_span,
                                  "the pattern of `" + record.slug + "` fixes only " +
                                      std::to_string(pattern->literal_bytes()) +
                                      " bytes of a line, so it finds other errors",
                                  "Add more of the message, or a `context`."));
  }
  return faults;
}

}  // namespace assay
