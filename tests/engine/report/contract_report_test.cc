// From metadata as JSON to both reports, on calls of the shipped contract.
#include "engine/report/contract_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/read/contract_reader.h"
#include "engine/read/kernel_call_reader.h"
#include "engine/text/file_system.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kCall = R"({"tensors": {
  "q": {"dtype": "float8_e4m3fn", "shape": [4, 128, 576], "strides": [73728, 576, 1], "data": "0x100000000"},
  "kv": {"dtype": "float8_e4m3fn", "shape": [64, 1, 576], "device": "cuda:0"},
  "indices": {"dtype": "int32", "shape": [4, 1, 128], "byte_offset": 16},
  "topk_length": {"dtype": "int32", "shape": [4]},
  "attn_sink": {"dtype": "float32", "shape": [128]},
  "q_scale": {"dtype": "float32", "shape": []},
  "kv_scale": {"dtype": {"code": 2, "bits": 32, "lanes": 1}, "shape": [1]},
  "out": {"dtype": "bfloat16", "shape": [4, 128, 512]},
  "max_logits": {"dtype": "float32", "shape": [4, 128]},
  "lse": null},
 "scalars": {"sm_scale": 0.04, "d_v": 512}})";

class ContractReport : public testing::Test {
 protected:
  ContractReport() {
    const std::string path =
        std::string(ASSAY_SOURCE_DIR) + "/rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml";
    const auto source = add_file(sources_, DiskFileSystem(), path, 1u << 20);
    contract_ =
        std::move(compile_contract(read_contract(sources_, source.value()).value()).value());
  }

  // The text report, a line and the JSON report; empty when the call cannot be read.
  std::string reports(const std::string& text) const {
    SourceSet sources;
    const auto document = read_json(sources, sources.add("call.json", text));
    if (!document) return {};
    const auto call = read_kernel_call(*document, contract_.source);
    if (!call) return {};
    std::vector<TensorView> views(call->tensors.size());
    std::vector<const TensorView*> pointers(call->tensors.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (!call->tensors[i]) continue;
      views[i] = call->tensors[i]->view();
      pointers[i] = &views[i];
    }
    const auto violations =
        check_contract(contract_, {pointers, call->scalars, {}}, ContractProfile::both);
    const ContractReportInput input{
        &contract_.source, violations, ContractProfile::both, {}, &sources_};
    return write_text_contract_report(input, {}) + "---\n" + write_json_contract_report(input);
  }

  SourceSet sources_;
  CompiledContract contract_;
};

TEST_F(ContractReport, ALegalCallIsSaidToBe) {
  const std::string text = reports(kCall);
  EXPECT_THAT(text, HasSubstr("nothing is wrong with the call"));
  EXPECT_THAT(text, HasSubstr("\"ok\": true"));
}

TEST_F(ContractReport, AViolationIsShownWithItsPlaceAndRecord) {
  std::string call = kCall;
  call.replace(call.find("[64, 1, 576]"), 12, "[64, 2, 576]");
  const std::string text = reports(call);
  EXPECT_THAT(text, HasSubstr("error: sparse_mla_q8kv8_prefill_fwd requires h_kv=1, got 2"));
  EXPECT_THAT(text, HasSubstr("The engine stops here with ValueError."));
  EXPECT_THAT(text, HasSubstr("\"record\": \"07e2bb6696213ddf\""));
}

// Numbers and bytes of a call changed at random: whatever can be read is judged and reported, and
// the JSON report is JSON.
TEST_F(ContractReport, MutatedCallsAreAnswered) {
  constexpr const char* kNumbers[] = {"0",
                                      "-1",
                                      "1",
                                      "576",
                                      "2147483648",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "\"0xffffffffffffffff\""};
  constexpr std::string_view kBytes = "{}[],:\"0123456789-+.eExnulltrue ";
  std::mt19937 random(11);
  std::size_t answered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = kCall;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      const std::size_t at = text.find_first_of("0123456789", random() % text.size());
      if (at != std::string::npos && random() % 4 != 0) {
        const std::size_t end = text.find_first_not_of("0123456789", at);
        text.replace(at, end - at, kNumbers[random() % std::size(kNumbers)]);
      } else {
        text[random() % text.size()] = kBytes[random() % kBytes.size()];
      }
    }
    const std::string report = reports(text);
    if (report.empty()) continue;
    ++answered;
    SourceSet sources;
    const auto json = report.substr(report.find("---\n") + 4);
    EXPECT_TRUE(read_json(sources, sources.add("report.json", json)).has_value()) << json;
  }
  EXPECT_GT(answered, 300U);
}

}  // namespace
}  // namespace assay
