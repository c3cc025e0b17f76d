// What the reports say about a finding, apart from how they lay it out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/check_report.h"
#include "engine/model/dataset.h"
#include "engine/text/source.h"

namespace assay {

// The rule's id; for a fault of the argument parser "arguments/<code>".
std::string finding_rule_id(const Finding& finding);
// One sentence on what the rule is about.
std::string finding_summary(const Finding& finding);
// As the engine words it; where it says nothing, the fault's or the rule's own sentence.
std::string finding_message(const Finding& finding);
// The record that the rule joins, or null.
const ErrorRecord* finding_record(const Finding& finding, const Dataset* dataset);
// Why this is wrong: the record's explanation, else the rule's. May be empty.
std::string finding_reason(const Finding& finding, const ErrorRecord* record);
// What to do: the record's solutions, else the rule's fixes in words, else the fault's help.
std::vector<std::string> finding_solutions(const Finding& finding, const ErrorRecord* record);
// "the engine stops here with ValueError (python/x.py:2507)"; empty when it does not.
std::string stop_sentence(const Finding& finding);

// "`kv_cache_dtype` is 'bf16': resolved from 'auto' by sglang/..."
// A value that the finding's own rule wrote is "set by this rule".
std::string fact_sentence(const FactUse& fact, const Finding& finding);

// "run.sh:3:12"; empty for an unknown place.
std::string place_of(const SourceSet& sources, Span span);

// The facts that undecided rules wait for, most wanted first.
struct MissingFact {
  std::string name;
  std::size_t rules = 0;
};
std::vector<MissingFact> missing_facts(const CheckReport& report);
// What a user can say to have more decided: "--gpu NAMExCOUNT and --model-config FILE". Empty where
// only the running engine can know it.
std::string how_to_decide(const std::vector<MissingFact>& facts);

struct FindingCounts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};
FindingCounts count_findings(const CheckReport& report);

}  // namespace assay
