// One argument of a call as DLPack sees it, borrowed for the time of the call, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include "engine/bindings/c/assay.h"

namespace assay::python {

class BorrowedTensor {
 public:
  BorrowedTensor() = default;
  BorrowedTensor(const BorrowedTensor&) = delete;
  BorrowedTensor& operator=(const BorrowedTensor&) = delete;
  ~BorrowedTensor();

  // `object` is None (not given), something with __dlpack__, or a DLPack capsule; `name` is the
  // argument's, for messages. A capsule is lent, not consumed: until this ends it has the name of a
  // used one, so that nobody else takes it, and then its own name again. Holds the interpreter
  // lock. Raises TypeError or ValueError.
  void borrow(nanobind::handle object, const char* name);

  const DLTensor* get() const { return tensor_; }  // null: not given
  bool is_read_only() const { return is_read_only_; }

 private:
  void look_into(nanobind::object capsule, const char* name);
  bool reinterpret(nanobind::handle object, const char* name);

  nanobind::object capsule_;
  const char* lent_name_ = nullptr;
  const DLTensor* tensor_ = nullptr;
  bool is_read_only_ = false;
  DLTensor retyped_{};
};

}  // namespace assay::python
