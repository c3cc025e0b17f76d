#include "engine/read/given_fact_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/read/gpu_table.h"
#include "engine/read/python_text.h"
#include "tests/engine/read/launch_test_support.h"
#include "tests/support/golden.h"

namespace assay::test {
namespace {

using ::testing::HasSubstr;

RulePack fact_pack() {
  RulePack pack = small_pack();
  const auto declare = [&](std::string name, Type type) {
    FactDeclaration fact;
    fact.name = name;
    fact.type = std::move(type);
    pack.schema.by_name[name] = static_cast<FactId>(pack.schema.facts.size());
    pack.schema.facts.push_back(std::move(fact));
  };
  declare("gpu.sm", {TypeKind::integer, true, {}});
  declare("gpu.name", Type::of(TypeKind::string));
  declare("model.is_mla", Type::of(TypeKind::boolean));
  declare("model.archs", Type::list_of(Type::of(TypeKind::string)));
  declare("model.config", Type::map_of(Type::of(TypeKind::string), Type::of(TypeKind::dynamic)));
  declare("model.ratio", Type::of(TypeKind::real));
  return pack;
}

std::string fact_of(std::string_view assignment) {
  const auto fact = read_fact(fact_pack(), assignment);
  if (!fact) {
    const Diagnostic& fault = fact.error().front();
    return std::string(fault.code.name) + ": " + fault.message + " | " + fault.help;
  }
  return fact->name + "=" + python_repr(fact->value);
}

TEST(ReadFact, ConvertsToTheDeclaredType) {
  EXPECT_EQ(fact_of("gpu.sm=90"), "gpu.sm=90");
  EXPECT_EQ(fact_of("gpu.sm=null"), "gpu.sm=None");
  EXPECT_EQ(fact_of("gpu.name=a=b"), "gpu.name='a=b'");
  EXPECT_EQ(fact_of("model.is_mla=true"), "model.is_mla=True");
  EXPECT_EQ(fact_of("model.archs=A,B"), "model.archs=['A', 'B']");
  EXPECT_EQ(fact_of("model.archs=[\"A\"]"), "model.archs=['A']");
  EXPECT_EQ(fact_of("model.config={\"a\": 1}"), "model.config={'a': 1}");
  EXPECT_EQ(fact_of("model.ratio=1"), "model.ratio=1.0");
  EXPECT_EQ(fact_of("kv_cache_dtype=bf16"), "kv_cache_dtype='bf16'");
}

TEST(ReadFact, RefusesWhatDoesNotFit) {
  EXPECT_EQ(fact_of("gpu.sn=90"),
            "unknown-fact: `gpu.sn` is no fact of sglang | Did you mean `gpu.sm`?");
  EXPECT_THAT(fact_of("gpu.sm=x"), HasSubstr("invalid-value: `gpu.sm`: invalid int value: 'x'"));
  EXPECT_THAT(fact_of("model.config=1"), HasSubstr("a map is expected"));
  EXPECT_THAT(fact_of("model.config={"), HasSubstr("not JSON"));
  EXPECT_THAT(fact_of("kv_cache_dtype=x"), HasSubstr("invalid choice"));
  EXPECT_THAT(fact_of("gpu.sm"), HasSubstr("NAME=VALUE"));
}

std::string gpu_of(std::string_view text) {
  SourceSet sources;
  const SourceId table =
      sources.add("gpus.yaml", read_test_file(ASSAY_SOURCE_DIR "/rules/gpus.yaml"));
  const auto facts = read_gpu(sources, table, text);
  if (!facts) return facts.error().front().message + " | " + facts.error().front().help;
  std::string shown;
  for (const GivenFact& fact : *facts)
    shown += fact.name.substr(4) + "=" + python_repr(fact.value) + " ";
  return shown;
}

TEST(ReadGpu, TakesNamesAsPeopleWriteThem) {
  const std::string h200 =
      "vendor='nvidia' name='NVIDIA H200' sm=90 memory_mib=143771 sm_count=132 ";
  for (const char* name : {"H200", "h200", "NVIDIA H200", "nvidia-h200", "H200 141GB", "H200-141G"})
    EXPECT_EQ(gpu_of(name), h200) << name;
  EXPECT_THAT(gpu_of("RTX 4090"), HasSubstr("sm=89"));
  EXPECT_THAT(gpu_of("GeForce RTX 5090"), HasSubstr("sm=120"));
  EXPECT_THAT(gpu_of("DGX Spark"), HasSubstr("sm=121"));
  EXPECT_THAT(gpu_of("A100 80GB"), HasSubstr("memory_mib=81920"));
  EXPECT_THAT(gpu_of("H100 NVL"), HasSubstr("memory_mib=95830"));
  EXPECT_EQ(gpu_of("MI300X"),
            "vendor='amd' name='AMD Instinct MI300X' sm=None memory_mib=196608 sm_count=304 ");
}

TEST(ReadGpu, TakesACountOnEitherSide) {
  for (const char* name : {"H200x8", "8xH200", "8 x H200", "H200 x 8", "H200*8"})
    EXPECT_THAT(gpu_of(name), HasSubstr("count=8")) << name;
  EXPECT_THAT(gpu_of("RTX 4090x2"), HasSubstr("count=2"));
  EXPECT_THAT(gpu_of("MI300Xx8"), HasSubstr("count=8"));
}

TEST(ReadGpu, LeavesOpenWhatANameDoesNotSay) {
  EXPECT_EQ(gpu_of("A100"), "vendor='nvidia' sm=80 sm_count=108 ");
  EXPECT_EQ(gpu_of("H100"), "vendor='nvidia' sm=90 ");
}

TEST(ReadGpu, SuggestsACloseName) {
  EXPECT_EQ(gpu_of("H20O"), "no GPU is known as `H20O` | Did you mean `H20`?");
  EXPECT_THAT(gpu_of("Voodoo2"), HasSubstr("--fact"));
}

TEST(GpuTable, IsCompleteAndStrict) {
  SourceSet sources;
  const SourceId shipped =
      sources.add("gpus.yaml", read_test_file(ASSAY_SOURCE_DIR "/rules/gpus.yaml"));
  const auto table = read_gpu_table(sources, shipped);
  ASSERT_TRUE(table);
  EXPECT_GE(table->size(), 25u);
  for (const Gpu& gpu : *table) {
    const auto found = find_gpus(*table, gpu.key);
    ASSERT_EQ(found.size(), 1u) << gpu.key;
    EXPECT_EQ(found[0]->key, gpu.key);
    for (const std::string& name : gpu.names) {
      ASSERT_EQ(find_gpus(*table, name).size(), 1u) << name;
      EXPECT_EQ(find_gpus(*table, name)[0]->key, gpu.key) << name;
    }
  }
  const SourceId bad =
      sources.add("bad", "gpus:\n  X: {names: [x], vendor: y, sm: a, colour: b}\n");
  std::string codes;
  const auto refused = read_gpu_table(sources, bad);
  ASSERT_FALSE(refused);
  for (const Diagnostic& fault : refused.error()) codes += std::string(fault.code.name) + " ";
  EXPECT_EQ(codes, "wrong-type unknown-key missing-key missing-key ");
  EXPECT_FALSE(read_gpu_table(sources, sources.add("none", "a: 1\n")));
}

TEST(ReadModelConfig, IsOneFact) {
  SourceSet sources;
  const auto facts =
      read_model_config(sources, sources.add("config.json", "{\"model_type\": \"x\"}"));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->at(0).name, "model.config");
  EXPECT_EQ(facts->at(0).origin, Origin::model_config);
  EXPECT_EQ(python_repr(facts->at(0).value), "{'model_type': 'x'}");
  EXPECT_FALSE(read_model_config(sources, sources.add("list.json", "[1]")));
  EXPECT_FALSE(read_model_config(sources, sources.add("bad.json", "{")));
}

}  // namespace
}  // namespace assay::test
