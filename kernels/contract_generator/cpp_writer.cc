// One function, straight from the first tensor to the last: a tensor's own demands, with each
// dimension a local variable from where it is bound; then clauses over dimensions, then byte ranges
// pair by pair. It asks what is_plainly_legal asks (engine/evaluate/kernel_call.h), with the
// table's numbers as literals: true is final, false sends the call to check_contract. A template
// over how a tensor is read (engine/model/tensor_access.h).
#include "kernels/contract_generator/cpp_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

using Kind = PlannedExtent::Kind;

class CppWriter {
 public:
  explicit CppWriter(const CompiledContract& contract)
      : source_(contract.source), plan_(contract.plan) {
    for (const ContractDimension& dimension : source_.dimensions)
      slots_.push_back(dimension.name + "_");
    for (const ContractScalar& scalar : source_.scalars) slots_.push_back(scalar.name);
    for (const ContractTensor& tensor : source_.tensors)
      slots_.push_back(fmt::format("({} != nullptr)", tensor.name));
    is_bound_.assign(source_.dimensions.size(), false);
  }

  Result<GeneratedCode> write(std::string_view yaml) {
    for (std::size_t i = 0; i < source_.tensors.size(); ++i) write_tensor(i);
    for (const auto& [tensor, axis] : computed_) write_computed(tensor, axis);
    for (const ContractStep& step : plan_.steps) write_clause(step.clause);
    write_overlaps();
    if (has_errors(faults_)) return std::move(faults_);
    const std::string place = fmt::format("rules/kernels/{}.yaml", source_.kernel);
    GeneratedCode code;
    code.header = fmt::format(
        "// Made from {0} by kernels/contract_generator: the safety profile of the contract.\n"
        "#pragma once\n\n"
        "#include <algorithm>\n#include <cstdint>\n#include <string_view>\n\n"
        "#include \"engine/model/tensor_access.h\"\n"
        "#include \"engine/model/tensor_geometry.h\"\n\n"
        "namespace assay::contracts::{1} {{\n\n"
        "// True: the call breaks nothing of the safety profile. False: ask check_contract. Null: "
        "not given.\n{2} {{\n"
        "  // Where a tensor begins that is not given: behind everything.\n"
        "  [[maybe_unused]] constexpr std::uintptr_t kNowhere = ~std::uintptr_t{{0}};\n"
        "{3}  return true;\n}}\n\n"
        "// {0}, as it was when this was built.\nstd::string_view yaml();\n\n"
        "}}  // namespace assay::contracts::{1}\n",
        place, source_.kernel, signature(), body_);
    code.source = fmt::format(
        "// Made from {0} by kernels/contract_generator.\n"
        "#include \"{1}_contract.h\"\n\n"
        "namespace assay::contracts::{1} {{\n\n"
        "std::string_view yaml() {{\n  return {2};\n}}\n\n"
        "}}  // namespace assay::contracts::{1}\n",
        place, source_.kernel, literal(yaml));
    return code;
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    body_ += std::string(indent_, ' ');
    fmt::format_to(std::back_inserter(body_), format, std::forward<Parts>(parts)...);
    body_ += '\n';
  }
  // Out of the way of a legal call, whose path then has no branch that is taken.
  void refuse_if(const std::string& condition) {
    line("if ({}) [[unlikely]] return false;", condition);
  }
  void fault(Span span, std::string message) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message)));
  }

  std::string signature() const {
    std::vector<std::string> parameters;
    for (const ContractTensor& tensor : source_.tensors)
      parameters.push_back("const typename Access::Tensor* " + tensor.name);
    for (const ContractScalar& scalar : source_.scalars) {
      const bool is_read = scalar.type.kind != TypeKind::real;
      parameters.push_back(fmt::format("{}{}", is_read ? "std::int64_t " : "double ",
                                       is_read ? scalar.name : fmt::format("/*{}*/", scalar.name)));
    }
    return fmt::format("template <class Access>\nbool is_plainly_safe({}) noexcept",
                       fmt::join(parameters, ", "));
  }

  // Pieces, since a compiler need not take a literal beyond 64 KiB.
  static std::string literal(std::string_view text) {
    constexpr std::size_t kPiece = 8192;
    std::string code;
    for (std::size_t i = 0; i < text.size(); i += kPiece)
      code += fmt::format("\n      R\"~yaml~({})~yaml~\"", text.substr(i, kPiece));
    return code.empty() ? "\"\"" : code;
  }

  void write_tensor(std::size_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    const std::string& name = tensor.name;
    line("// {}", name);
    if (tensor.is_optional) {
      line("std::uintptr_t {0}_begin = kNowhere, {0}_end = 0;", name);
      line("if ({} != nullptr) {{", name);
      indent_ += 2;
    } else {
      refuse_if(name + " == nullptr");
    }
    write_type(index);
    if (tensor.elements)
      write_elements(index);
    else
      write_shape(index);
    if (tensor.is_optional) {
      indent_ -= 2;
      line("}}");
    }
  }

  void write_type(std::size_t index) {
    const std::string& name = source_.tensors[index].name;
    std::vector<std::string> types;
    for (const ElementType& type : plan_.tensors[index].dtypes)
      types.push_back(fmt::format("Access::dtype(*{}) != ElementType{{{}, {}, {}}}.number()", name,
                                  type.code, type.bits, type.lanes));
    if (!types.empty()) refuse_if(fmt::format("{}", fmt::join(types, " && ")));
    const std::string& first = source_.tensors[0].name;
    if (index != 0 && source_.tensors[0].is_optional)
      refuse_if(fmt::format("{0} != nullptr && Access::device(*{1}) != Access::device(*{0})", first,
                            name));
    else if (index != 0)
      refuse_if(fmt::format("Access::device(*{}) != Access::device(*{})", name, first));
    if (!source_.tensors[index].is_contiguous)
      fault(source_.tensors[index].span, "strides are not written as C++");
  }

  void write_elements(std::size_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    if (*tensor.elements == 1) {
      line(
          "if (!Access::has_shape(*{0}, 1) || Access::shape(*{0})[0] != 1 || "
          "!(Access::has_strides(*{0}, 1) || Access::has_no_strides(*{0}))) [[unlikely]]",
          tensor.name);
      line(
          "  if (!Access::is_readable(*{0}) || !holds_one_element(Access::view(*{0}))) return "
          "false;",
          tensor.name);
    } else {
      refuse_if(fmt::format("!Access::is_readable(*{})", tensor.name));
      refuse_if(fmt::format("element_count(Access::view(*{}).shape) != {}", tensor.name,
                            *tensor.elements));
      refuse_if(fmt::format("!is_contiguous(Access::view(*{}))", tensor.name));
    }
    write_range(index, std::to_string(*tensor.elements));
  }

  void write_shape(std::size_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    const std::string& name = tensor.name;
    const std::vector<PlannedExtent>& extents = plan_.tensors[index].extents;
    refuse_if(fmt::format("!Access::has_shape(*{}, {})", name, extents.size()));
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::string found = shape_text(index, axis);
      const PlannedExtent& extent = extents[axis];
      if (extent.kind == Kind::dimension && !is_bound_[extent.slot]) {
        if (tensor.is_optional)
          fault(tensor.span, "a dimension that an optional tensor binds is not written as C++");
        is_bound_[extent.slot] = true;
        line("const std::int64_t {} = {};", slots_[extent.slot], found);
        refuse_extent(slots_[extent.slot]);
      } else if (extent.kind == Kind::dimension) {
        refuse_if(fmt::format("{} != {}", found, slots_[extent.slot]));
      } else if (extent.kind == Kind::constant) {
        refuse_if(fmt::format("{} {} {}", found, extent.is_at_least ? "<" : "!=", extent.value));
        if (extent.is_at_least || extent.value < 1 || extent.value > kMaxExtent)
          refuse_extent(found);
      } else {
        refuse_extent(found);
        computed_.emplace_back(index, axis);
      }
    }
    write_strides(index);
    write_range(index, name + "_elements");
  }

  // Outside [1, 2^31): an empty tensor is left to check_contract.
  void refuse_extent(const std::string& extent) {
    refuse_if(fmt::format("{0} < 1 || {0} > kMaxExtent", extent));
  }

  // From the last extent to the first, the stride asked for is the product so far. Two extents
  // below 2^31 cannot overflow it. The stride of an extent of 1 may be any.
  void write_strides(std::size_t index) {
    const std::string& name = source_.tensors[index].name;
    const std::size_t rank = plan_.tensors[index].extents.size();
    std::vector<std::string> strides{"1"};
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::string extent = extent_name(index, axis);
      const std::string next = axis == 0 ? name + "_elements" : fmt::format("{}_{}", name, axis);
      if (axis == rank - 1) {
        line("const std::int64_t {} = {};", next, extent);
      } else if (rank - axis == 2) {
        line("const std::int64_t {} = {} * {};", next, strides.back(), extent);
      } else {
        line("std::int64_t {} = 0;", next);
        refuse_if(fmt::format("__builtin_mul_overflow({}, {}, &{})", strides.back(), extent, next));
      }
      strides.push_back(next);
    }
    if (rank == 0) line("const std::int64_t {}_elements = 1;", name);
    line("if (Access::has_strides(*{}, {})) [[likely]] {{", name, rank);
    for (std::size_t axis = rank; axis-- > 0;)
      line("  if (Access::strides(*{})[{}] != {}) [[unlikely]] if ({} != 1) return false;", name,
           axis, strides[rank - 1 - axis], extent_name(index, axis));
    line("}} else if (!Access::has_no_strides(*{})) {{", name);
    line("  return false;");
    line("}}");
  }

  std::string shape_text(std::size_t index, std::size_t axis) const {
    return fmt::format("Access::shape(*{})[{}]", source_.tensors[index].name, axis);
  }

  // A local where there is one, so that equal products are computed once.
  std::string extent_name(std::size_t index, std::size_t axis) const {
    const PlannedExtent& extent = plan_.tensors[index].extents[axis];
    if (extent.kind == Kind::dimension) return slots_[extent.slot];
    if (extent.kind == Kind::constant && !extent.is_at_least)
      return fmt::format("std::int64_t{{{}}}", extent.value);
    return shape_text(index, axis);
  }

  void write_range(std::size_t index, const std::string& elements) {
    const ContractTensor& tensor = source_.tensors[index];
    const std::string& name = tensor.name;
    line("std::int64_t {}_size = 0;", name);
    refuse_if(fmt::format("__builtin_mul_overflow(std::int64_t{{{}}}, {}, &{}_size)", elements,
                          element_bytes(index), name));
    refuse_if(fmt::format("Access::data(*{}) == nullptr", name));
    if (!tensor.is_optional) line("std::uintptr_t {0}_begin = 0, {0}_end = 0;", name);
    refuse_if(
        fmt::format("__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(Access::data(*{0})), "
                    "Access::byte_offset(*{0}), &{0}_begin)",
                    name));
    refuse_if(fmt::format("{}_begin % {} != 0", name, alignment(index)));
    refuse_if(
        fmt::format("__builtin_add_overflow({0}_begin, "
                    "static_cast<std::uintptr_t>({0}_size), &{0}_end)",
                    name));
  }

  // A literal where the table fixes it.
  std::string element_bytes(std::size_t index) const {
    const std::vector<ElementType>& types = plan_.tensors[index].dtypes;
    if (types.size() == 1) return std::to_string(types[0].size_bytes());
    return fmt::format("Access::view(*{}).dtype.size_bytes()", source_.tensors[index].name);
  }

  std::string alignment(std::size_t index) const {
    const std::vector<ElementType>& types = plan_.tensors[index].dtypes;
    std::int64_t bytes = source_.tensors[index].alignment_bytes;
    for (const ElementType& type : types) bytes = std::max(bytes, type.size_bytes());
    if (!types.empty()) return std::to_string(bytes);
    return fmt::format("std::max<std::uintptr_t>({}, 16)", bytes);
  }

  void write_computed(std::size_t tensor, std::size_t axis) {
    const PlannedExtent& extent = plan_.tensors[tensor].extents[axis];
    const ContractTensor& law = source_.tensors[tensor];
    const auto expected = extent.expression ? extent.expression->to_cpp(slots_) : std::nullopt;
    if (!expected) return fault(law.span, "an extent that is computed is not written as C++");
    refuse_if(fmt::format("{} != nullptr && {} {} {}", law.name, shape_text(tensor, axis),
                          extent.is_at_least ? "<" : "!=", *expected));
  }

  void write_clause(std::uint32_t index) {
    const ContractClause& clause = source_.clauses[index];
    const bool is_safety = (static_cast<unsigned>(clause.profile) &
                            static_cast<unsigned>(ContractProfile::safety)) != 0;
    if (!clause.require || !is_safety) return;
    const auto& require = plan_.requires_[index];
    const auto condition = require ? require->to_cpp(slots_) : std::nullopt;
    if (!condition) return fault(clause.span, "a clause needs more CEL than is written as C++");
    line("// {}", clause.id);
    refuse_if("!" + *condition);
  }

  // What is written mostly lies together: everything else is held against the range from its first
  // byte to its last one, and against each of it only where it lies between.
  void write_overlaps() {
    std::vector<std::string> written;
    std::vector<std::string> others;
    for (const ContractTensor& tensor : source_.tensors)
      (tensor.is_output ? written : others).push_back(tensor.name);
    if (written.empty()) return;
    line("// what is written shares no byte with anything");
    for (std::size_t i = 0; i < written.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) refuse_if(meet(written[i], written[j]));
    if (others.empty()) return;
    line("const std::uintptr_t written_begin = std::min({{{}_begin}});",
         fmt::join(written, "_begin, "));
    line("const std::uintptr_t written_end = std::max({{{}_end}});", fmt::join(written, "_end, "));
    std::vector<std::string> between;
    for (const std::string& other : others) between.push_back(meet("written", other));
    line("if ({}) [[unlikely]] {{", fmt::join(between, " || "));
    indent_ += 2;
    for (const std::string& one : written)
      for (const std::string& other : others) refuse_if(meet(one, other));
    indent_ -= 2;
    line("}}");
  }

  static std::string meet(const std::string& a, const std::string& b) {
    return fmt::format("({0}_begin < {1}_end && {1}_begin < {0}_end)", a, b);
  }

  const TensorContract& source_;
  const ContractPlan& plan_;
  std::vector<std::string> slots_;  // C++ names of IntegerExpression's slots
  std::vector<bool> is_bound_;
  std::vector<std::pair<std::size_t, std::size_t>> computed_;
  std::size_t indent_ = 2;
  std::string body_;
  Diagnostics faults_;
};

}  // namespace

Result<GeneratedCode> write_contract_cpp(const CompiledContract& contract, std::string_view yaml) {
  return CppWriter(contract).write(yaml);
}

}  // namespace assay
