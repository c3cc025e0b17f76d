// Metadata of a call of sparse_mla_q8kv8_prefill_fwd. Addresses are numbers: whoever checks
// metadata reads no data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/kernel_call.h"

namespace assay::test {

struct Meta {
  std::uint64_t address = 0;
  ElementType dtype{};
  Device device{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t byte_offset = 0;
};

inline constexpr ElementType kInt32{0, 32, 1};
inline constexpr ElementType kFloat32{2, 32, 1};
inline constexpr ElementType kFloat16{2, 16, 1};
inline constexpr ElementType kBfloat16{4, 16, 1};
inline constexpr ElementType kFloat8{10, 8, 1};

// In the order of the contract's table.
inline constexpr std::array<const char*, 10> kPrefillTensors = {
    "q",       "kv",       "indices", "topk_length", "attn_sink",
    "q_scale", "kv_scale", "out",     "max_logits",  "lse"};

struct PrefillMetadata {
  std::map<std::string, std::optional<Meta>> tensors;
  std::optional<std::int64_t> d_v;

  static PrefillMetadata legal(std::int64_t s_q = 4, std::int64_t h_q = 128,
                               std::int64_t d_qk = 576, std::int64_t s_kv = 64,
                               std::int64_t topk = 128) {
    PrefillMetadata call;
    auto add = [&, at = std::uint64_t{1} << 32](const char* name, ElementType dtype,
                                                std::vector<std::int64_t> shape) mutable {
      call.tensors[name] = Meta{at, dtype, {kCudaDeviceType, 0}, std::move(shape), {}, 0};
      at += std::uint64_t{1} << 32;
    };
    add("q", kFloat8, {s_q, h_q, d_qk});
    add("kv", kFloat8, {s_kv, 1, d_qk});
    add("indices", kInt32, {s_q, 1, topk});
    add("topk_length", kInt32, {s_q});
    add("attn_sink", kFloat32, {h_q});
    add("q_scale", kFloat32, {});
    add("kv_scale", kFloat32, {1});
    add("out", kBfloat16, {s_q, h_q, 512});
    add("max_logits", kFloat32, {s_q, h_q});
    add("lse", kFloat32, {s_q, h_q});
    return call;
  }

  Meta& operator[](const std::string& name) { return *tensors[name]; }
};

// The call as the library sees it; good as long as the metadata.
struct BoundCall {
  explicit BoundCall(const PrefillMetadata& metadata) {
    for (std::size_t i = 0; i < kPrefillTensors.size(); ++i) {
      const std::optional<Meta>& meta = metadata.tensors.at(kPrefillTensors[i]);
      if (!meta) continue;
      views[i] = {reinterpret_cast<const void*>(meta->address),
                  meta->dtype,
                  meta->device,
                  meta->shape,
                  meta->strides,
                  meta->byte_offset};
      pointers[i] = &views[i];
    }
    scalars[0] = Value::real(0.04);
    if (metadata.d_v) scalars[1] = Value::integer(*metadata.d_v);
  }
  KernelCall call() const { return {pointers, scalars, {}}; }

  std::array<TensorView, 10> views;
  std::array<const TensorView*, 10> pointers{};
  std::array<Value, 2> scalars;
};

}  // namespace assay::test
