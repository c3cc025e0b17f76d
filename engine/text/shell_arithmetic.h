// $((...)) of numbers and variables whose values are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay::shell {

using VariableLookup = std::function<const std::string*(const std::string& name)>;

// The value of what stands within the parentheses; nothing where a name is not known, the result
// does not fit, or another operator than + - * / % and parentheses is used.
std::optional<std::int64_t> evaluate_arithmetic(std::string_view text,
                                                const VariableLookup& variables);

}  // namespace assay::shell
