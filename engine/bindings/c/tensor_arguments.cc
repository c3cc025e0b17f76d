// A `shape` that cannot be one is refused before anything looks at it; everything else that is
// wrong with a tensor is for its contract to say.
#include "engine/bindings/c/tensor_arguments.h"

#include <fmt/format.h>

namespace assay::c {

assay_status unreadable(std::string_view name, const DLTensor& tensor, char** message) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank)
    return no_answer(fmt::format("`{}` has {} dimensions, which is not between 0 and {}", name,
                                 tensor.ndim, kMaxRank),
                     message);
  return no_answer(fmt::format("`{}` has {} dimensions and no `shape`", name, tensor.ndim),
                   message);
}

assay_status refusal(const ContractReportInput& input, char** report, char** message) {
  if (report == nullptr) return ASSAY_FINDINGS;
  return answer(ASSAY_FINDINGS, write_json_contract_report(input), report, message);
}

}  // namespace assay::c
