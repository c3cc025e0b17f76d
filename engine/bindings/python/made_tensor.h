// A tensor that a call made: owns its memory, and lends it out by DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "engine/bindings/c/assay.h"

namespace assay::python {

class MadeTensor {
 public:
  explicit MadeTensor(DLManagedTensor* tensor) : tensor_(tensor) {}
  MadeTensor(const MadeTensor&) = delete;
  MadeTensor& operator=(const MadeTensor&) = delete;
  ~MadeTensor() { tensor_->deleter(tensor_); }

  nanobind::tuple shape() const;
  nanobind::tuple device() const;  // DLPack's two numbers
  std::string dtype() const;
  std::string repr() const;

  // A capsule that keeps `self` alive. `is_unsigned`: its elements as unsigned integers of the same
  // size, for libraries without bfloat16.
  static nanobind::object export_capsule(nanobind::handle self, bool is_unsigned);

 private:
  DLManagedTensor* tensor_;
};

// Adds the class `Tensor`.
void add_made_tensor(nanobind::module_& module);

}  // namespace assay::python
