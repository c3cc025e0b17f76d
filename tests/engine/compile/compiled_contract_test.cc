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
