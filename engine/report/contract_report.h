// What is wrong with a kernel call, for a person and for a program
// (dataset/schema/contract-report.schema.json).
#pragma once

#include <span>
#include <string>

#include "engine/evaluate/contract_checker.h"
#include "engine/report/text_report.h"
#include "engine/text/source.h"

namespace assay {

// Everything is borrowed for the time of the call.
struct ContractReportInput {
  const TensorContract* contract = nullptr;
  std::span<const ContractViolation> violations;
  ContractProfile profile = ContractProfile::both;  // that was asked for
  std::string_view back_end;
  const SourceSet* sources = nullptr;
};

std::string_view to_string(ContractProfile profile);  // "safety", "engine", "both"

std::string write_text_contract_report(const ContractReportInput& input,
                                       const TextOptions& options);
std::string write_json_contract_report(const ContractReportInput& input);

}  // namespace assay
