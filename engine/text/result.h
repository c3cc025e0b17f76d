// Result<T>: a value, or the diagnostics that say why there is none (at least one of severity
// error). Warnings that came with a value are appended to a `Diagnostics&` parameter of the
// function instead.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "engine/text/diagnostic.h"

namespace assay {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Diagnostics> {
 public:
  using tl::expected<T, Diagnostics>::expected;
  Result(Diagnostic fault)
      : tl::expected<T, Diagnostics>(tl::make_unexpected(Diagnostics{std::move(fault)})) {}
  Result(Diagnostics faults)
      : tl::expected<T, Diagnostics>(tl::make_unexpected(std::move(faults))) {}
};

}  // namespace assay

// `ASSAY_TRY(auto x, f());` binds the value, or returns the diagnostics from the enclosing
// function.
#define ASSAY_TRY_JOIN_(a, b) a##b
#define ASSAY_TRY_NAME_(line) ASSAY_TRY_JOIN_(assay_try_, line)
#define ASSAY_TRY(declaration, expression)                                             \
  auto ASSAY_TRY_NAME_(__LINE__) = (expression);                                       \
  if (!ASSAY_TRY_NAME_(__LINE__)) return std::move(ASSAY_TRY_NAME_(__LINE__).error()); \
  declaration = std::move(*ASSAY_TRY_NAME_(__LINE__))
