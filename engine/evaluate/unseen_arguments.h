// What a launch with unseen arguments ("$@", a config file that is not read) leaves open.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/evaluate/facts.h"
#include "engine/model/launch.h"

namespace assay {

// The walk takes every argument that the launch does not show for one that nobody gives, so that
// what is seen is checked as far as it goes. Where a check is violated then, this says whether that
// is sure.
class UnseenArguments {
 public:
  explicit UnseenArguments(const Launch& launch) : has_some_(launch.has_unseen_arguments) {}

  // Whether the check, violated on the facts as they stand, might be satisfied by an argument that
  // is not shown; `waits_for` then becomes the slots of those. The facts stay as they are.
  bool may_mend(const CompiledRule& rule, FactTable& table,
                std::vector<std::uint32_t>& waits_for) const;

 private:
  bool has_some_;
};

}  // namespace assay
