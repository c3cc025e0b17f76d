// Compiles the tensor table, then the clauses, against one set of names. A dimension is bound where
// it stands alone as an extent; one that never does could not be known when a call is checked, and
// is refused here.
#include "engine/compile/compiled_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/compile/contract_planner.h"
#include "engine/model/tensor_text.h"

namespace assay {
namespace {

class ContractCompiler {
 public:
  explicit ContractCompiler(TensorContract contract) { compiled_.source = std::move(contract); }

  Result<CompiledContract> compile() {
    check_table();
    if (has_errors(faults_)) return std::move(faults_);
    declare_names();
    for (const ContractTensor& tensor : compiled_.source.tensors)
      compiled_.tensors.push_back(compile_tensor(tensor));
    check_dimensions_are_bound();
    for (const ContractClause& clause : compiled_.source.clauses)
      compiled_.clauses.push_back(compile_clause(clause));
    if (has_errors(faults_)) return std::move(faults_);
    compiled_.plan = plan_contract(compiled_);
    return std::move(compiled_);
  }

 private:
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  void check_table() {
    const TensorContract& source = compiled_.source;
    const std::size_t names = source.dimensions.size() + source.scalars.size();
    if (names > kMaxContractNames)
      refuse(source.span, fmt::format("{} dimensions and scalars, more than the {} a check holds",
                                      names, kMaxContractNames));
    if (source.tensors.size() > kMaxContractTensors)
      refuse(source.span, fmt::format("{} tensors, more than the {} a check holds",
                                      source.tensors.size(), kMaxContractTensors));
    for (const ContractTensor& tensor : source.tensors)
      if (!tensor.device.empty() && !parse_device(tensor.device))
        refuse(tensor.span, fmt::format("`{}` is not a device", tensor.device),
               "`cuda` and `cpu` are, and DLPack's other names");
  }

  void declare_tensor(const std::string& name) {
    compiled_.names.declare(name + ".shape", Type::list_of(Type::of(TypeKind::integer)));
    compiled_.names.declare(name + ".dtype", Type::of(TypeKind::string));
    compiled_.names.declare(name + ".device", Type::of(TypeKind::string));
  }

  void declare_names() {
    for (const ContractDimension& dimension : compiled_.source.dimensions)
      compiled_.names.declare(dimension.name, Type::of(TypeKind::integer));
    for (const ContractScalar& scalar : compiled_.source.scalars)
      compiled_.names.declare(scalar.name, scalar.type);
    for (const ContractTensor& tensor : compiled_.source.tensors) {
      const std::uint32_t slot = compiled_.names.declare(tensor.name, Type{});
      compiled_.names.variable(slot).presence_slot = slot;
      declare_tensor(tensor.name);
    }
    compiled_.names.declare("name", Type::of(TypeKind::string));
    declare_tensor("tensor");
    compiled_.names.declare("expected.shape", Type::of(TypeKind::string));
    compiled_.names.declare("expected.dtype", Type::of(TypeKind::string));
    compiled_.names.declare("value", Type{});
  }

  std::optional<Predicate> compile(const ExpressionText& expression, TypeKind kind) {
    Result<Predicate> predicate = compile_expression(expression, compiled_.names, Type::of(kind));
    if (predicate) return std::move(*predicate);
    faults_.insert(faults_.end(), std::make_move_iterator(predicate.error().begin()),
                   std::make_move_iterator(predicate.error().end()));
    return std::nullopt;
  }

  CompiledTensor compile_tensor(const ContractTensor& tensor) {
    CompiledTensor compiled;
    for (const Extent& extent : tensor.shape)
      if (auto predicate = compile(extent.expression, TypeKind::integer))
        compiled.extents.push_back(std::move(*predicate));
    for (const ExpressionText& stride : tensor.strides) {
      if (stride.text.empty()) continue;
      if (auto predicate = compile(stride, TypeKind::integer))
        compiled.strides.push_back(std::move(*predicate));
    }
    return compiled;
  }

  void check_dimensions_are_bound() {
    for (const ContractDimension& dimension : compiled_.source.dimensions) {
      const auto binds = [&](const Extent& extent) {
        return !extent.is_at_least && extent.expression.text == dimension.name;
      };
      const bool is_bound =
          std::any_of(compiled_.source.tensors.begin(), compiled_.source.tensors.end(),
                      [&](const auto& tensor) {
                        return !tensor.is_optional &&
                               std::any_of(tensor.shape.begin(), tensor.shape.end(), binds);
                      });
      if (!is_bound)
        refuse(dimension.span, fmt::format("no tensor binds the dimension `{}`", dimension.name),
               "a dimension stands alone as an extent of at least one tensor that is not optional");
    }
  }

  CompiledClause compile_clause(const ContractClause& clause) {
    CompiledClause compiled;
    if (clause.require) compiled.require = compile(*clause.require, TypeKind::boolean);
    compiled.message =
        compile_message({clause.message, clause.message_span, clause.message_is_verbatim},
                        compiled_.names, faults_);
    return compiled;
  }

  CompiledContract compiled_;
  Diagnostics faults_;
};

}  // namespace

Result<CompiledContract> compile_contract(TensorContract contract) {
  return ContractCompiler(std::move(contract)).compile();
}

}  // namespace assay
