// Writes the safety profile of a contract as C++.
#pragma once

#include <string>
#include <string_view>

#include "engine/compile/compiled_contract.h"
#include "engine/text/result.h"

namespace assay {

struct GeneratedCode {
  std::string header;
  std::string source;
};

// `yaml` is the contract's text, which the code carries for its words. Errors: invalid_value for
// what cannot be written as C++ that never overflows: computed extents with arithmetic, strides
// other than contiguous, clauses that need more of CEL than IntegerExpression.
Result<GeneratedCode> write_contract_cpp(const CompiledContract& contract, std::string_view yaml);

}  // namespace assay
