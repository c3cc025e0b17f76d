// What the rules of the first walk wrote (wake_set.h), put into the table only when something comes
// to be run that reads it: a launch reads few of the hundreds of facts that resolution fills in.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/evaluate/derivation.h"

namespace assay {

class LateWrites {
 public:
  struct Write {
    std::uint32_t position = 0;  // of the rule
    const FactChange* change = nullptr;
  };

  // `writes`: by fact, in the order of the rules; the changes must outlive this.
  void assign(const std::vector<std::vector<Write>>& writes) {
    writes_ = GroupedList<Write>(writes);
    next_.assign(writes.size(), 0);
  }
  bool is_empty() const { return next_.empty(); }

  // Nothing is written yet.
  void begin() {
    for (const FactId fact : moved_) next_[fact] = 0;
    moved_.clear();
  }
  // Gives `fact` the value that rules before `position` left in it. What a rule wrote counts unless
  // `is_run(its position)`: then it was run itself, and the table has what it wrote.
  template <class IsRun>
  void catch_up(FactTable& table, FactId fact, std::uint32_t position, IsRun&& is_run) {
    const auto writes = writes_[fact];
    std::uint32_t at = next_[fact];
    if (at == writes.size() || writes[at].position >= position) return;
    if (at == 0) moved_.push_back(fact);
    const FactChange* last = nullptr;
    for (; at < writes.size() && writes[at].position < position; ++at)
      if (!is_run(writes[at].position)) last = writes[at].change;
    next_[fact] = at;
    if (last != nullptr) repeat_changes({last, 1}, table);
  }
  // What is still to be written to `fact`.
  std::span<const Write> open(FactId fact) const { return writes_[fact].subspan(next_[fact]); }

 private:
  GroupedList<Write> writes_;        // by fact
  std::vector<std::uint32_t> next_;  // by fact: the first that is neither written nor overwritten
  std::vector<FactId> moved_;
};

}  // namespace assay
