// What every function of the C interface does at its edge: nothing is thrown beyond it, answers are
// copied into memory that assay_text_free frees.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/cancellation.h"
#include "engine/bindings/c/assay.h"
#include "engine/compile/compiled_contract.h"
#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/similar_records.h"
#include "engine/evaluate/table_facts.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

// A contract and the sources its places refer to, its own or those of the knowledge.
struct assay_contract {
  const assay::CompiledContract* contract = nullptr;
  const assay::SourceSet* sources = nullptr;
};

struct assay_cancellation {
  assay::Cancellation wish;
};

struct assay_knowledge {
  assay::SourceSet sources;
  assay::Knowledge knowledge;
  std::optional<assay::MessageMatcher> matcher;  // looks into the knowledge
  std::vector<assay_contract> contracts;         // as knowledge.contracts
  std::optional<assay::TableFacts> facts;
  assay::SimilarRecords similar{knowledge.dataset};
};

namespace assay::c {

// With an end mark; null where memory runs out.
char* copy_text(const std::string& text) noexcept;

assay_status no_answer(const std::string& why, char** message);
assay_status no_answer(const Diagnostics& faults, const SourceSet& sources, char** message);

// Null for NULL.
inline const Cancellation* wish_of(const assay_cancellation* cancellation) {
  return cancellation == nullptr ? nullptr : &cancellation->wish;
}

// Hands `text` out where somebody wants it.
assay_status answer(assay_status status, const std::string& text, char** report, char** message);

// Runs `work`; what it throws becomes ASSAY_NO_ANSWER. Both texts are NULL before.
template <class Work>
assay_status guarded(char** report, char** message, Work work) noexcept {
  if (report != nullptr) *report = nullptr;
  if (message != nullptr) *message = nullptr;
  try {
    return work();
  } catch (const std::exception& fault) {
    if (message != nullptr) *message = copy_text(fault.what());
  } catch (...) {
    if (message != nullptr) *message = copy_text("internal fault");
  }
  return ASSAY_NO_ANSWER;
}

}  // namespace assay::c
