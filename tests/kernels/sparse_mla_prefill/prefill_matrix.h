// The cases that every back end is held against the reference with: on processors
// (back_end_test.cc), on the emulated GPU (tests/kernels/emulator/), on a GPU (tools/bench/).
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {

struct MatrixCase {
  std::string name;  // letters, digits and underscores
  std::function<PrefillCase()> make;
  double logit_size = 1;  // bounds on lse and max_logits are for logits of a few units
};

inline void PrintTo(const MatrixCase& one, std::ostream* out) { *out << one.name; }

const std::vector<MatrixCase>& prefill_matrix();
PrefillCase matrix_case(std::string_view name);

}  // namespace assay::sparse_mla_prefill
