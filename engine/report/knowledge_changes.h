// What is new, different and gone between two states of the knowledge.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/model/dataset.h"
#include "engine/model/rule_pack.h"

namespace assay {

struct KnowledgeState {
  std::span<const RulePack* const> packs;
  const Dataset* dataset = nullptr;
};

template <class Item>
struct ItemChanges {
  struct Changed {
    const Item* now = nullptr;
    std::vector<std::string> fields;  // that differ, in the order of the form
  };
  std::vector<const Item*> added;
  std::vector<Changed> changed;
  std::vector<const Item*> gone;  // of the older state
};

// Looks into both states.
struct KnowledgeChanges {
  std::string since;  // datasetVersion of the older state
  std::string now;
  ItemChanges<ErrorRecord> records;
  ItemChanges<Rule> rules;

  bool empty() const {
    return records.added.empty() && records.changed.empty() && records.gone.empty() &&
           rules.added.empty() && rules.changed.empty() && rules.gone.empty();
  }
};

// Items are the same where their ids are. Where a record or rule stands in the engine's source
// (file, line, commit) and when it was analysed does not count as a difference.
KnowledgeChanges compare_knowledge(const KnowledgeState& older, const KnowledgeState& newer);

}  // namespace assay
