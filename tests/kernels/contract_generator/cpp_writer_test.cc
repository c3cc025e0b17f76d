#include "kernels/contract_generator/cpp_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/read/contract_reader.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Written {
  std::string header;
  std::string source;
  std::vector<std::string> faults;
};

Written write(const std::string& tensors, const std::string& clauses = "  []\n") {
  const std::string yaml =
      "kernel: k\ntitle: t\nrepository: a/b\nsummary: s\n"
      "source: {file: a.py, sha: 0123abcd}\ndimensions: {n: n}\n"
      "scalars: {w: {type: int}}\ntensors:\n" +
      tensors + "clauses:\n" + clauses;
  SourceSet sources;
  auto read = read_contract(sources, sources.add("k.yaml", yaml));
  const auto compiled = compile_contract(std::move(read.value()));
  const auto code = write_contract_cpp(compiled.value(), yaml);
  if (code) return {code->header, code->source, {}};
  Written written;
  for (const Diagnostic& fault : code.error()) written.faults.push_back(fault.message);
  return written;
}

TEST(CppWriter, WritesTheTableAndTheSafetyClausesAndCarriesTheText) {
  const auto [header, source, faults] = write(
      "  x: {dtype: [float16, bfloat16], shape: [n, 8, w], alignment: 32}\n"
      "  y: {optional: true, output: true, dtype: int32, shape: [{at_least: n}]}\n",
      "  - {id: a, profile: safety, require: n > 4, message: m}\n"
      "  - {id: b, profile: engine, require: n > 5, message: m}\n");
  EXPECT_THAT(
      header,
      HasSubstr("Access::dtype(*x) != ElementType{2, 16, 1}.number() && Access::dtype(*x) != "));
  EXPECT_THAT(header, HasSubstr("const std::int64_t n_ = Access::shape(*x)[0];"));
  EXPECT_THAT(header, HasSubstr("if (Access::shape(*x)[1] != 8) [[unlikely]] return false;"));
  EXPECT_THAT(header, HasSubstr("Access::shape(*x)[2] != w)"));
  EXPECT_THAT(header, HasSubstr("x_begin % 32 != 0"));
  EXPECT_THAT(header, HasSubstr("if (y != nullptr) {"));
  EXPECT_THAT(header, HasSubstr("if (!(n_ > 4)) [[unlikely]] return false;"));
  EXPECT_THAT(header, testing::Not(HasSubstr("n_ > 5)")));
  EXPECT_THAT(header, HasSubstr("y_begin < x_end && x_begin < y_end"));
  EXPECT_THAT(source, HasSubstr("kernel: k\ntitle: t\n"));
}

TEST(CppWriter, RefusesWhatCppWouldComputeDifferently) {
  EXPECT_THAT(write("  x: {dtype: int8, shape: [n, 2 * w]}\n").faults,
              ElementsAre("an extent that is computed is not written as C++"));
  EXPECT_THAT(write("  x: {dtype: int8, shape: [n, 4], strides: [any, 1]}\n").faults,
              ElementsAre("strides are not written as C++"));
  EXPECT_THAT(write("  x: {dtype: int8, shape: [n]}\n",
                    "  - {id: a, profile: both, require: n + w > 0, message: m}\n")
                  .faults,
              ElementsAre("a clause needs more CEL than is written as C++"));
}

}  // namespace
}  // namespace assay
