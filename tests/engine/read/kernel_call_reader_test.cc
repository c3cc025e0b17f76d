#include "engine/read/kernel_call_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/text/json_reader.h"

namespace assay {
namespace {

using testing::ElementsAre;

TensorContract contract() {
  TensorContract contract;
  contract.kernel = "scale";
  contract.tensors.resize(2);
  contract.tensors[0].name = "x";
  contract.tensors[0].device = "cuda";
  contract.tensors[1].name = "y";
  contract.scalars.resize(1);
  contract.scalars[0].name = "eps";
  contract.scalars[0].type = Type::of(TypeKind::real);
  return contract;
}

Result<DescribedCall> read(const std::string& text) {
  SourceSet sources;
  const auto document = read_json(sources, sources.add("call.json", text));
  if (!document) return document.error();
  return read_kernel_call(*document, contract());
}

TEST(KernelCallReader, ReadsWhatIsSaidAndPlacesTheRest) {
  const auto call = read(R"({"tensors": {
      "x": {"dtype": "torch.bfloat16", "shape": [2, 3]},
      "y": {"dtype": {"code": 1, "bits": 8, "lanes": 4}, "shape": [], "strides": null,
            "device": "cpu", "data": "0xffffffffffffffff", "byte_offset": 18446744073709551615}},
      "scalars": {"eps": 1}})");
  ASSERT_TRUE(call.has_value()) << call.error()[0].message;
  const DescribedTensor& x = *call->tensors[0];
  const DescribedTensor& y = *call->tensors[1];
  EXPECT_THAT(x.shape, ElementsAre(2, 3));
  EXPECT_EQ(x.dtype, (ElementType{4, 16, 1}));
  EXPECT_EQ(x.device, (Device{kCudaDeviceType, 0}));
  EXPECT_NE(x.address, 0U);
  EXPECT_EQ(y.dtype, (ElementType{1, 8, 4}));
  EXPECT_EQ(y.device, Device{});
  EXPECT_EQ(y.address, ~std::uint64_t{0});
  EXPECT_EQ(y.byte_offset, ~std::uint64_t{0});
  EXPECT_EQ(call->scalars[0].as_integer(), 1);
}

TEST(KernelCallReader, LeavesOutWhatIsNullOrNotNamed) {
  const auto call = read(R"({"tensors": {"x": null}, "scalars": {"eps": null}})");
  ASSERT_TRUE(call.has_value());
  EXPECT_FALSE(call->tensors[0].has_value());
  EXPECT_FALSE(call->tensors[1].has_value());
  EXPECT_TRUE(call->scalars[0].is(ValueKind::null));
}

// Bytes of a call changed at random: an answer or diagnostics, each of which says something.
TEST(KernelCallReader, MutatedTextIsReadOrRefused) {
  const std::string good =
      R"({"tensors": {"x": {"dtype": "float32", "shape": [2, 9223372036854775807, -1],)"
      R"( "strides": [1, 1, 1], "device": "cuda:0", "data": "0x10", "byte_offset": 4},)"
      R"( "y": {"dtype": {"code": 2, "bits": 32, "lanes": 1}, "shape": []}},)"
      R"( "scalars": {"eps": 0.5}})";
  constexpr std::string_view kBytes = "{}[],:\"0123456789-+.eExnulltrue \\u\x01\xff";
  std::mt19937 random(7);
  std::size_t accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, random() % 8 + 1);
      }
    }
    const auto call = read(text);
    accepted += call.has_value();
    if (!call) {
      EXPECT_FALSE(call.error().empty());
    }
  }
  EXPECT_GT(accepted, 100U);
}

}  // namespace
}  // namespace assay
