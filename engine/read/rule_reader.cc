// Key by key, in the format's order. Everything that can be read is, so that one run shows all
// faults of a file. Fixes, effects and examples are in rule_parts_reader.cc.
#include "engine/read/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/version.h"
#include "engine/read/document_reader.h"
#include "engine/read/expression_text.h"
#include "engine/read/fact_names.h"
#include "engine/read/rule_parts_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

class RuleReader {
 public:
  RuleReader(const SourceSet& sources, const RuleReading& reading, const Node& document,
             Diagnostics& faults)
      : sources_(sources),
        reading_(reading),
        faults_(faults),
        parts_(sources, reading.schema, faults),
        keys_(document, "a rule", kRuleKeys, faults) {}

  Rule read() {
    if (!keys_.is_mapping()) return std::move(rule_);
    read_identity();
    read_place();
    read_lets();
    read_conditions();
    if (const Node* effect = keys_.find("effect")) rule_.effect = parts_.read_effect(*effect);
    read_message();
    if (const Node* fixes = keys_.sequence("fix"))
      for (const Node& fix : fixes->items) rule_.fixes.push_back(parts_.read_fix(fix));
    read_versions();
    if (const Node* source = keys_.find("source")) rule_.source = parts_.read_source(*source);
    rule_.ignore_when = keys_.filled_text("ignore_when").value_or("");
    rule_.documentation = keys_.filled_text("documentation").value_or("");
    if (const Node* examples = keys_.sequence("examples"))
      for (const Node& example : examples->items)
        rule_.examples.push_back(parts_.read_example(example, keys_.has("effect")));
    return std::move(rule_);
  }

 private:
  void read_identity();
  void read_place();
  void read_lets();
  void read_conditions();
  void read_message();
  void read_versions();
  void check_kind();
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }
  Span span_of(std::string_view key) const {
    const Node* node = keys_.find(key);
    return node == nullptr ? Span() : node->span;
  }

  const SourceSet& sources_;
  const RuleReading& reading_;
  Diagnostics& faults_;
  RulePartsReader parts_;
  MappingReader keys_;
  Rule rule_;
};

void RuleReader::read_identity() {
  rule_.id = keys_.filled_text("id").value_or("");
  rule_.id_span = span_of("id");
  if (!reading_.id.empty() && !rule_.id.empty() && rule_.id != reading_.id)
    faults_.push_back(
        make_error(code::id_differs_from_path, rule_.id_span,
                   fmt::format("the id is `{}`, the file's path says `{}`", rule_.id, reading_.id),
                   "move the file or change the id"));
  constexpr std::array<Severity, 3> kSeverities = {Severity::error, Severity::warning,
                                                   Severity::note};
  if (const auto severity = keys_.choice("severity", {"error", "warning", "note"}))
    rule_.severity = kSeverities[*severity];
  rule_.summary = keys_.filled_text("summary").value_or("");
}

void RuleReader::read_place() {
  rule_.step = keys_.filled_text("step").value_or("");
  rule_.step_span = span_of("step");
  rule_.place = keys_.integer("place").value_or(0);
  if (rule_.step.empty() || rule_.step == "unplaced" || reading_.steps == nullptr ||
      reading_.steps->contains(rule_.step))
    return;
  std::vector<std::string_view> names = {"unplaced"};
  names.insert(names.end(), reading_.steps->begin(), reading_.steps->end());
  std::string help = did_you_mean(rule_.step, names);
  if (help.empty()) help = "write a step of pack.yaml, or `unplaced`";
  faults_.push_back(make_error(code::unknown_step, rule_.step_span,
                               fmt::format("`{}` is no step of the pack", rule_.step),
                               std::move(help)));
}

void RuleReader::read_lets() {
  const Node* lets = keys_.mapping("let");
  if (lets == nullptr) return;
  constexpr std::array<std::string_view, 4> kReserved = {"label", "before", "raw", "given"};
  for (const Entry& entry : lets->entries) {
    const bool is_reserved =
        std::find(kReserved.begin(), kReserved.end(), entry.key) != kReserved.end();
    const bool is_fact = reading_.schema != nullptr && reading_.schema->find(entry.key) != nullptr;
    if (!is_identifier(entry.key) || is_reserved)
      refuse(entry.key_span, fmt::format("`{}` cannot be the name of a value", entry.key),
             "names are letters, digits and underscores; label, before, raw and given are taken");
    if (is_fact) refuse(entry.key_span, fmt::format("`{}` is a fact of the pack", entry.key));
    auto expression =
        read_expression(sources_, entry.value, fmt::format("`{}`", entry.key), faults_);
    if (expression) rule_.lets.push_back({entry.key, std::move(*expression)});
    parts_.add_name(entry.key);
  }
}

void RuleReader::read_conditions() {
  if (const Node* when = keys_.find("when")) rule_.when = parts_.read_condition(*when, "`when`");
  if (const Node* require = keys_.find("require"))
    rule_.require = parts_.read_condition(*require, "`require`");
  if (const Node* cases = keys_.sequence("cases")) {
    if (cases->items.empty()) refuse(cases->span, "`cases` has at least one row");
    for (const Node& row : cases->items) {
      const MappingReader keys(row, "a case", kCaseKeys, faults_);
      RuleCase read;
      read.label = keys.filled_text("label").value_or("");
      if (const Node* when = keys.find("when"))
        if (auto condition = parts_.read_condition(*when, "`when`"))
          read.when = std::move(*condition);
      rule_.cases.push_back(std::move(read));
    }
  }
  check_kind();
}

void RuleReader::check_kind() {
  const bool is_check = keys_.has("require") || keys_.has("cases");
  const bool is_derivation = keys_.has("effect");
  if (is_check && is_derivation)
    refuse(keys_.find_entry("effect")->key_span,
           "a rule either checks (`require`, `cases`) or derives (`effect`)",
           "make two rules of it");
  const Span place = rule_.id_span.is_known() ? rule_.id_span : keys_.span();
  if (!is_check && !is_derivation)
    faults_.push_back(
        make_error(code::missing_key, place, "a rule needs `require`, `cases` or `effect`"));
  if (is_check && !is_derivation && !keys_.has("message"))
    faults_.push_back(make_error(code::missing_key, place, "a check lacks the key `message`"));
}

void RuleReader::read_message() {
  rule_.message = keys_.filled_text("message").value_or("");
  if (!rule_.message.empty()) {
    const TextPlace place = place_of_text(sources_, *keys_.find("message"), rule_.message);
    rule_.message_span = place.span;
    rule_.message_is_verbatim = place.is_verbatim;
  }
  rule_.error = keys_.word("error").value_or("");
  rule_.error_span = span_of("error");
  if (!rule_.error.empty() && !is_record_id(rule_.error))
    refuse(rule_.error_span, fmt::format("`{}` is not the id of a record", rule_.error),
           "ids are 16 hexadecimal digits, letters in lower case");
}

void RuleReader::read_versions() {
  rule_.versions = keys_.filled_text("versions").value_or("");
  if (rule_.versions.empty()) return;
  const TextPlace place = place_of_text(sources_, *keys_.find("versions"), rule_.versions);
  rule_.versions_span = place.span;
  const auto range = parse_version_range(rule_.versions);
  if (range) return;
  Span span = place.span;
  if (place.is_verbatim) {
    span.end = span.begin + static_cast<std::uint32_t>(range.error().end);
    span.begin += static_cast<std::uint32_t>(range.error().begin);
  }
  refuse(span, range.error().message);
}

}  // namespace

Result<Rule> read_rule(const SourceSet& sources, SourceId source, const RuleReading& reading) {
  DocumentLimits limits;
  limits.max_bytes = kMaxRuleBytes;
  ASSAY_TRY(const Node document, read_yaml(sources, source, limits));
  Diagnostics faults;
  Rule rule = RuleReader(sources, reading, document, faults).read();
  rule.path = sources.get(source).name();
  if (!faults.empty()) return faults;
  return rule;
}

}  // namespace assay
