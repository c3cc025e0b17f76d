#include "engine/compile/compiled_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/read/contract_reader.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

// A contract of two tensors whose rest is `clauses`.
std::string contract(const std::string& dimensions, const std::string& clauses) {
  return "kernel: scale\ntitle: Scale\nrepository: toy/engine\nsummary: Scales rows.\n"
         "source: {file: a.py, sha: 0123abcd}\n"
         "dimensions: {" +
         dimensions +
         "}\n"
         "tensors:\n"
         "  x: {dtype: float32, shape: [rows, 2 * width]}\n"
         "  mask: {optional: true, dtype: int32, shape: [rows]}\n"
         "scalars: {width: {type: int, default: 4}}\n"
         "clauses:\n" +
         clauses;
}

std::vector<std::string> faults_of(const std::string& text) {
  SourceSet sources;
  auto read = read_contract(sources, sources.add("scale.yaml", text));
  if (!read) return {"unreadable: " + read.error()[0].message};
  const auto compiled = compile_contract(std::move(*read));
  std::vector<std::string> faults;
  if (!compiled)
    for (const Diagnostic& fault : compiled.error())
      faults.push_back(std::string(sources.text(fault.span)) + ": " + std::string(fault.code.name));
  return faults;
}

TEST(CompiledContract, ReadsDimensionsScalarsPresenceAndTensorsInClausesAndMessages) {
  EXPECT_THAT(faults_of(contract("rows: rows", R"yaml(
  - {id: a, require: "rows > 0 && (!has(mask) || width % 2 == 0)", message: "{rows} {width!r} {x.shape}"}
  - {id: b, check: dtype, of: [x, mask], message: "{name} must be {expected.dtype}, got {tensor.dtype}"}
  - {id: c, values_of: mask, require: value >= 0, enforced_by: status, message: "mask {mask.device}"}
)yaml")),
              ElementsAre());
}

TEST(CompiledContract, PlacesEveryFaultInItsExpression) {
  EXPECT_THAT(faults_of(contract("rows: rows", R"yaml(
  - {id: a, require: rows > heads, message: "{colour}"}
  - {id: b, require: rows + 1, message: fine}
  - {id: c, require: has(rows), message: fine}
)yaml")),
              ElementsAre("heads: undeclared-name", "colour: undeclared-name",
                          "rows + 1: type-mismatch", "has: undeclared-name"));
}

TEST(CompiledContract, RefusesADimensionThatNoTensorBinds) {
  EXPECT_THAT(faults_of(contract("rows: rows, heads: heads", "  []\n")),
              ElementsAre("heads: invalid-value"));
}

TEST(CompiledContract, RefusesADeviceThatIsNone) {
  std::string text = contract("rows: rows", "  []\n");
  text.replace(text.find("{dtype: float32,"), 16, "{device: gpu, dtype: float32,");
  EXPECT_THAT(faults_of(text), ElementsAre("x: invalid-value"));
}

TEST(CompiledContract, RefusesMoreNamesThanACheckHolds) {
  std::string scalars;
  for (int i = 0; i < 64; ++i) scalars += "s" + std::to_string(i) + ": {type: int}, ";
  std::string text = contract("rows: rows", "  []\n");
  text.insert(text.find("width: {type"), scalars);
  EXPECT_EQ(faults_of(text).size(), 1U);
}

TEST(CompiledContract, JudgesAGroupTensorByTensor) {
  SourceSet sources;
  auto read = read_contract(sources, sources.add("scale.yaml", contract("rows: rows", R"yaml(
  - {id: a, check: rank, of: [x, mask], message: a}
  - {id: b, check: dtype, of: [x, mask], message: b}
  - for_each: [x, mask]
    clauses:
      - {id: c, check: shape, message: c}
      - {id: d, check: contiguous, message: d}
)yaml")));
  ASSERT_TRUE(read.has_value()) << read.error()[0].message;
  const auto compiled = compile_contract(std::move(*read));
  std::string order;
  for (const ContractStep& step : compiled->plan.steps)
    order += compiled->source.clauses[step.clause].id + std::to_string(step.tensor) + " ";
  EXPECT_EQ(order, "a0 a1 b0 b1 c0 d0 c1 d1 ");
}

TEST(CompiledContract, CompilesEveryContractThatIsShipped) {
  SourceSet sources;
  const DiskFileSystem files;
  auto contracts = read_contracts(sources, files, std::string(ASSAY_SOURCE_DIR) + "/rules/kernels");
  ASSERT_TRUE(contracts.has_value()) << contracts.error()[0].message;
  EXPECT_FALSE(contracts->empty());
  for (TensorContract& one : *contracts) {
    const std::string kernel = one.kernel;
    const auto compiled = compile_contract(std::move(one));
    EXPECT_TRUE(compiled.has_value()) << kernel << ": " << compiled.error()[0].message;
  }
}

}  // namespace
}  // namespace assay
