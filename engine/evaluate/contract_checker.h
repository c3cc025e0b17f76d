// Holds a call against a kernel's contract and says everything that is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "engine/evaluate/kernel_call.h"
#include "engine/text/span.h"

namespace assay {

struct ContractViolation {
  const ContractClause* clause = nullptr;  // null: the tensor table says it, and no clause words it
  std::string id;                          // the clause's, or "table/<what>"
  std::string argument;  // the tensor, the tensors that share memory, or what `require` reads
  std::string expected;
  std::string found;
  std::string message;  // the engine's words where `is_worded`, else ours
  bool is_worded = false;
  ContractProfile profile = ContractProfile::both;  // which profiles refuse the call for it
  bool is_first_in_engine = false;                  // the engine's wrapper would stop here
  std::string error;                                // id of the record, may be empty
  std::string raises;                               // exception class of the engine; may be empty
  Span span;                                        // of the clause, or of the tensor in the table
};

// All violations of `profile` (safety, engine or both): first the clauses in the engine's order,
// then what the tensor table demands beyond them. A demand that a clause words is reported once, by
// that clause. What reads a dimension that is not known, because its tensor has the wrong rank, is
// not judged: the rank is a violation itself. `call` has as many tensors and scalars as the
// contract. Allocates nothing when `is_plainly_legal` holds. Never reads a tensor's data.
std::vector<ContractViolation> check_contract(const CompiledContract& contract,
                                              const KernelCall& call, ContractProfile profile);

// One of the contract's tensors, by name; kNoTensor of ContractStep when there is none.
std::uint32_t find_tensor(const TensorContract& contract, std::string_view name);

}  // namespace assay
