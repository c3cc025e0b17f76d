// What a rule's outcome means for the verdict on a launch: a few bytes in place of the rule.
#pragma once

#include <cstdint>

#include "engine/evaluate/derivation.h"

namespace assay {

struct RuleEvent {
  const Rule* rule = nullptr;
  std::uint32_t position = kUnplaced;
  Verdict verdict = Verdict::not_applicable;
  Severity severity = Severity::error;
  bool is_placed = false;
  bool is_finding = false;    // violated, or a derivation worth a warning that changed something
  bool is_undecided = false;  // and worth a word
};

bool is_any_change(const DerivationOutcome& outcome);
// An undecided derivation that would only fill in a value is not worth a word.
bool is_quiet(const CompiledRule& rule);
RuleEvent event_of(const CompiledRule& rule, const DerivationOutcome& outcome);

}  // namespace assay
