// A compiled expression: flat data, printable, immutable after compilation, safe to share between
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/type.h"
#include "engine/model/value.h"

namespace assay {

inline constexpr std::uint32_t kNoSlot = 0xffffffffu;

// (The language's owner fills this in; users need only what is here.)
class Predicate {
 public:
  const Type& type() const { return type_; }
  // Slots the expression reads, sorted, unique; presence and given slots included.
  const std::vector<std::uint32_t>& slots() const { return slots_; }

 private:
  Type type_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace assay
