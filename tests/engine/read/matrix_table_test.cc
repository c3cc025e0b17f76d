#include "engine/read/matrix_table.h"

#include <gtest/gtest.h>

#include "engine/text/diagnostic.h"

namespace assay {
namespace {

Result<std::vector<MatrixDeclaration>> read_matrices(std::string text) {
  SourceSet sources;
  return read_matrix_table(sources, sources.add("matrices.yaml", std::move(text)));
}

TEST(MatrixTable, ReadsMatricesInTheirOrder) {
  const auto table = read_matrices(R"(matrices:
  backend-by-cache:
    pack: toy
    title: Backend by cache
    rows: backend
    columns: cache_dtype
    gpus: [H200, A100]
    models: [{model: toy/large, gpu_count: 8, arguments: {tp_size: 8}}, {model: toy/small}]
  another: {pack: toy, title: Other, rows: a, columns: b, gpus: [H200], models: [{model: toy/small}]}
)");
  ASSERT_TRUE(table.has_value()) << table.error()[0].message;
  ASSERT_EQ(table->size(), 2u);
  const MatrixDeclaration& matrix = (*table)[0];
  EXPECT_EQ(matrix.name, "backend-by-cache");
  EXPECT_EQ(matrix.columns, "cache_dtype");
  ASSERT_EQ(matrix.gpus.size(), 2u);
  EXPECT_EQ(matrix.gpus[1].name, "A100");
  ASSERT_EQ(matrix.models.size(), 2u);
  EXPECT_EQ(matrix.models[0].gpu_count, 8);
  EXPECT_EQ(matrix.models[0].arguments[0].key, "tp_size");
  EXPECT_EQ(matrix.models[1].gpu_count, 1);
}

TEST(MatrixTable, RefusesWhatIsNotOfTheForm) {
  const auto refused = read_matrices(R"(matrices:
  Bad Name: {pack: toy, title: T, rows: a, columns: b, gpus: [], models: [{gpu_count: 0}, x]}
  other: {rowz: a}
  third: []
)");
  ASSERT_FALSE(refused.has_value());
  std::string codes;
  for (const Diagnostic& fault : refused.error()) codes += std::string(fault.code.name) + " ";
  EXPECT_EQ(codes,
            "invalid-value invalid-value missing-key invalid-value wrong-type unknown-key "
            "missing-key missing-key missing-key missing-key missing-key missing-key wrong-type ");
}

}  // namespace
}  // namespace assay
