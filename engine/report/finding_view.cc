// The wording shared by all reports, in one place, so that the same finding reads the same in a
// terminal, an annotation and a test report.
#include "engine/report/finding_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay {

std::string finding_rule_id(const Finding& finding) {
  if (finding.rule) return finding.rule->id;
  if (finding.fault) return fmt::format("arguments/{}", finding.fault->diagnostic.code.name);
  return "arguments";
}

std::string finding_summary(const Finding& finding) {
  if (finding.rule && !finding.rule->summary.empty()) return finding.rule->summary;
  if (finding.fault) return finding.fault->diagnostic.message;
  return finding.message;
}

std::string finding_message(const Finding& finding) {
  if (!finding.message.empty()) return finding.message;
  if (finding.fault && !finding.fault->message.empty()) return finding.fault->message;
  return finding_summary(finding);
}

const ErrorRecord* finding_record(const Finding& finding, const Dataset* dataset) {
  if (!dataset || !finding.rule || finding.rule->error.empty()) return nullptr;
  return dataset->find(finding.rule->error);
}

std::string finding_reason(const Finding& finding, const ErrorRecord* record) {
  if (record && !record->documentation.empty()) return record->documentation;
  if (finding.rule && !finding.rule->documentation.empty()) return finding.rule->documentation;
  const std::string message = finding_message(finding);
  const std::string summary = finding_summary(finding);
  return summary == message ? std::string() : summary;
}

std::vector<std::string> finding_solutions(const Finding& finding, const ErrorRecord* record) {
  if (record && !record->solutions.empty()) return record->solutions;
  std::vector<std::string> solutions;
  if (finding.rule)
    for (const Fix& fix : finding.rule->fixes)
      if (!fix.why.empty()) solutions.push_back(fix.why);
  if (finding.fault && !finding.fault->diagnostic.help.empty())
    solutions.push_back(finding.fault->diagnostic.help);
  return solutions;
}

std::string stop_sentence(const Finding& finding) {
  if (!finding.stops_here && !finding.stops_here_at_the_latest) return {};
  std::string sentence = finding.stops_here_at_the_latest ? "the engine stops here at the latest"
                                                          : "the engine stops here";
  if (!finding.rule) return sentence;
  const RuleSource& source = finding.rule->source;
  if (!source.raises.empty())
    sentence += source.raises == "argparse" ? ", while reading its arguments"
                                            : fmt::format(" with {}", source.raises);
  if (!source.file.empty())
    sentence += source.line == 0 ? fmt::format(" ({})", source.file)
                                 : fmt::format(" ({}:{})", source.file, source.line);
  return sentence;
}

namespace {

std::string origin_phrase(const FactUse& fact, const Rule* told) {
  switch (fact.origin) {
    case Origin::default_value:
      return "the default";
    case Origin::argument:
      return "given in the launch";
    case Origin::environment:
      return "set in the environment";
    case Origin::command_line_fact:
      return "given for this check";
    case Origin::model_config:
      return "from the model's config.json";
    case Origin::machine:
      return "found on this machine";
    case Origin::pack_default:
      return "assumed: the newest release that is known";
    case Origin::rule: {
      std::string phrase = "set";
      if (!fact.before.empty()) phrase = fmt::format("resolved from {}", fact.before);
      if (fact.rule && fact.rule == told) return phrase + " by this rule";
      if (fact.rule) phrase += fmt::format(" by {}: {}", fact.rule->id, fact.rule->summary);
      return phrase;
    }
    case Origin::computed:
      return "computed from the facts listed below it";
    case Origin::unknown:
      break;
  }
  return "nobody said";
}

}  // namespace

std::string fact_sentence(const FactUse& fact, const Finding& finding) {
  std::string value = fmt::format("is {}", fact.value);
  if (fact.candidates.size() > 1)
    value = fmt::format("is one of {}", fmt::join(fact.candidates, ", "));
  return fmt::format("`{}` {}: {}", fact.name, value, origin_phrase(fact, finding.rule));
}

std::string place_of(const SourceSet& sources, Span span) {
  if (!span.is_known()) return {};
  const Source& source = sources.get(span.source);
  const Position position = source.position(span.begin);
  return fmt::format("{}:{}:{}", source.name(), position.line, position.column);
}

std::vector<MissingFact> missing_facts(const CheckReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const Finding& finding : report.undecided)
    for (const std::string& name : finding.waits_for) ++counts[name];
  std::vector<MissingFact> facts;
  for (const auto& [name, rules] : counts) facts.push_back({name, rules});
  std::stable_sort(facts.begin(), facts.end(),
                   [](const MissingFact& a, const MissingFact& b) { return a.rules > b.rules; });
  return facts;
}

std::string how_to_decide(const std::vector<MissingFact>& facts) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> ways;
  const auto add = [&](std::string way) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(std::move(way));
  };
  for (const MissingFact& fact : facts) {
    const std::string space = fact.name.substr(0, fact.name.find('.'));
    if (space == fact.name || space == "env" || space == "raw")
      add(fmt::format("the value of {}", fact.name));
    else if (space == "gpu")
      add("--gpu NAMExCOUNT");
    else if (space == "model")
      add("--model-config FILE");
    else if (space == "version")
      add(fmt::format("--fact {}=VERSION", fact.name));
  }
  if (ways.empty()) return {};
  if (ways.size() > kShown) {
    ways.resize(kShown - 1);
    ways.emplace_back("more (--verbose)");
  }
  const std::string last = std::move(ways.back());
  ways.pop_back();
  return ways.empty() ? last : fmt::format("{} and {}", fmt::join(ways, ", "), last);
}

FindingCounts count_findings(const CheckReport& report) {
  FindingCounts counts;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::error) {
      ++counts.errors;
    } else if (finding.severity == Severity::warning) {
      ++counts.warnings;
    } else {
      ++counts.notes;
    }
  }
  return counts;
}

}  // namespace assay
