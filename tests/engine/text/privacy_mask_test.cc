#include "engine/text/privacy_mask.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

TEST(PrivacyMask, TakesOutWhatNamesPeopleAndMachines) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"/home/alice/models/x", "/home/<user>/models/x"},
      {"/Users/bob.smith/x", "/Users/<user>/x"},
      {"C:\\Users\\carol\\x", "C:\\Users\\<user>\\x"},
      {"token hf_abcdefghijklmnopqrstuv used", "token <token> used"},
      {"Authorization: Bearer abcdef123456", "Authorization: Bearer <token>"},
      {"--api-key s3cret-value --port 1", "--api-key <token> --port 1"},
      {"api_key='abcdef'", "api_key='<token>'"},
      {"HF_TOKEN=abcdefgh python", "HF_TOKEN=<token> python"},
      {"{\"password\": \"x1y2\"}", "{\"password\": \"<token>\"}"},
      {"https://user:pw@git.example.org/x", "https://<token>@<host>/x"},
      {"https://git.example.org:8080/x", "https://<host>:8080/x"},
      {"https://huggingface.co/meta/x", "https://huggingface.co/meta/x"},
      {"tcp://10.0.0.2:40043", "tcp://<address>:40043"},
      {"peer [10.0.0.2]:50000", "peer [<address>]:50000"},
      {"on fe80::1ff:fe23:4567:890a now", "on <address> now"},
      {"alice@gpu-node-7 $", "<user>@<host> $"},
      {"sglang-0:100:1012 [1] NCCL INFO x", "<host>:100:1012 [1] NCCL INFO x"},
      {"--dist-init-addr node7:5000 --nnodes 2", "--dist-init-addr <host>:5000 --nnodes 2"},
      {"host=worker-3, port=1", "host=<host>, port=1"},
      {"at ip-10-0-3-4.ec2.internal now", "at <host> now"},
  };
  for (const auto& [text, masked] : cases) EXPECT_EQ(mask_private(text), masked);
}

TEST(PrivacyMask, LeavesTheRestAsItIs) {
  for (const std::string text :
       {"[2026-01-02 03:04:05 TP0] max_total_num_tokens: 17", "cutlass::Status::kSuccess",
        "c10d::ProcessGroupNCCL::WorkNCCL", "127.0.0.1:5000", "0.0.0.0:30000", "--host 0.0.0.0",
        "version 9.1.0.70", "num_tokens=4096, token=7", "shape [2, 84738, 16]", "@staticmethod",
        "torch.ops._C.f(a, b)", "token: None", ""})
    EXPECT_EQ(mask_private(text), text);
}

TEST(PrivacyMask, HostileTextsEnd) {
  for (const std::string part :
       {"/home/", "1.", "a:", "@", "//", "=", "hf_", "\xff", "host=", "::"}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += part;
    EXPECT_FALSE(mask_private(text).empty());
  }
}

}  // namespace
}  // namespace assay
