#include "engine/model/tensor_contract.h"

#include "engine/base/check.h"

namespace assay {

std::string_view to_string(DType dtype) { return kDTypeNames[static_cast<std::size_t>(dtype)]; }

std::string_view to_string(TensorProperty property) {
  return kTensorPropertyNames[static_cast<std::size_t>(property)];
}

}  // namespace assay
