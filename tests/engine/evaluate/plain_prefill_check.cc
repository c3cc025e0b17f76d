// Sentences are put together from text, extents are multiplied in 128 bits and byte ranges compared
// pair by pair, so that nothing is shared with the code under test.
#include "tests/engine/evaluate/plain_prefill_check.h"

#include <algorithm>

namespace assay::test {
namespace {

__extension__ using Wide = __int128;

std::string tuple(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

std::string name_of(ElementType type) {
  if (type == kInt32) return "torch.int32";
  if (type == kFloat32) return "torch.float32";
  if (type == kFloat16) return "torch.float16";
  if (type == kBfloat16) return "torch.bfloat16";
  if (type == kFloat8) return "torch.float8_e4m3fn";
  return "?";
}

std::string name_of(Device device) {
  return device.type == 1 ? "cpu" : "cuda:" + std::to_string(device.id);
}

bool contiguous(const Meta& meta) {
  if (meta.strides.empty()) return true;
  if (meta.strides.size() != meta.shape.size()) return false;
  if (std::count(meta.shape.begin(), meta.shape.end(), 0) > 0) return true;
  Wide expected = 1;
  for (std::size_t i = meta.shape.size(); i-- > 0;) {
    if (meta.shape[i] != 1 && meta.strides[i] != expected) return false;
    expected *= meta.shape[i];
    if (expected > Wide{1} << 64 || expected < -(Wide{1} << 64)) expected = Wide{1} << 64;
  }
  return true;
}

bool is_scalar(const Meta& meta) {
  return std::all_of(meta.shape.begin(), meta.shape.end(), [](auto extent) { return extent == 1; });
}

std::string scale_stops(const std::string& name, const std::optional<Meta>& scale, Device device) {
  if (!scale) return name + " must be a torch.Tensor";
  if (scale->device.type != 2) return name + " must be a CUDA tensor";
  if (scale->device != device)
    return name + " must be on q's device " + name_of(device) + ", got " + name_of(scale->device);
  if (scale->dtype != kFloat32) return name + " must be float32, got " + name_of(scale->dtype);
  if (!is_scalar(*scale))
    return name + " must be a scalar tensor, got shape " + tuple(scale->shape);
  return contiguous(*scale) ? "" : name + " must be contiguous";
}

std::string vector_stops(const std::string& name, const std::optional<Meta>& meta,
                         std::int64_t length, ElementType dtype, const std::string& dtype_name,
                         Device device) {
  if (!meta) return "";
  if (meta->shape != std::vector<std::int64_t>{length} || meta->dtype != dtype)
    return name + " must be " + dtype_name + " with shape (" + std::to_string(length) + ",), got " +
           tuple(meta->shape) + "/" + name_of(meta->dtype);
  if (meta->device.type != 2) return name + " must be a CUDA tensor";
  if (meta->device != device)
    return name + " must be on q's device " + name_of(device) + ", got " + name_of(meta->device);
  return contiguous(*meta) ? "" : name + " must be contiguous";
}

std::string output_stops(const std::string& name, const std::optional<Meta>& meta,
                         const std::vector<std::int64_t>& shape, ElementType dtype, Device device) {
  if (!meta) return "";
  if (meta->shape != shape)
    return name + " must have shape " + tuple(shape) + ", got " + tuple(meta->shape);
  if (meta->dtype != dtype)
    return name + " must have dtype " + name_of(dtype) + ", got " + name_of(meta->dtype);
  if (meta->device != device)
    return name + " must be on device " + name_of(device) + ", got " + name_of(meta->device);
  return contiguous(*meta) ? "" : name + " must be contiguous";
}

std::string inputs_stop(const Meta& q, const Meta& kv, const Meta& indices) {
  if (q.shape.size() != 3) return "q must have shape (s_q, h_q, d_qk), got " + tuple(q.shape);
  if (kv.shape.size() != 3) return "kv must have shape (s_kv, h_kv, d_qk), got " + tuple(kv.shape);
  if (indices.shape.size() != 3)
    return "indices must have shape (s_q, h_kv, topk), got " + tuple(indices.shape);
  if (q.device.type != 2) return "q must be a CUDA tensor";
  if (kv.device.type != 2) return "kv must be a CUDA tensor";
  if (indices.device.type != 2) return "indices must be a CUDA tensor";
  const std::string device = name_of(q.device);
  if (kv.device != q.device)
    return "kv must be on q's device " + device + ", got " + name_of(kv.device);
  if (indices.device != q.device)
    return "indices must be on q's device " + device + ", got " + name_of(indices.device);
  if (q.dtype != kFloat8) return "q must be torch.float8_e4m3fn, got " + name_of(q.dtype);
  if (kv.dtype != kFloat8) return "kv must be torch.float8_e4m3fn, got " + name_of(kv.dtype);
  if (!contiguous(q)) return "q must be contiguous";
  if (!contiguous(kv)) return "kv must be contiguous";
  if (!contiguous(indices)) return "indices must be contiguous";
  return "";
}

std::string dimensions_stop(const Meta& q, const Meta& kv, const Meta& indices) {
  const std::string kernel = "sparse_mla_q8kv8_prefill_fwd ";
  const std::int64_t h_q = q.shape[1];
  const std::int64_t d_qk = q.shape[2];
  const std::int64_t topk = indices.shape[2];
  if (kv.shape[2] != d_qk)
    return "kv d_qk must match q d_qk=" + std::to_string(d_qk) + ", got " +
           std::to_string(kv.shape[2]);
  if (h_q <= 0 || h_q % 64 != 0)
    return kernel + "requires h_q padded to a positive multiple of 64, got " + std::to_string(h_q);
  if (kv.shape[1] != 1) return kernel + "requires h_kv=1, got " + std::to_string(kv.shape[1]);
  if (d_qk != 512 && d_qk != 576)
    return kernel + "supports d_qk=512/576, got " + std::to_string(d_qk);
  if (indices.shape[0] != q.shape[0] || indices.shape[1] != kv.shape[1])
    return "indices must have shape (" + std::to_string(q.shape[0]) + ", " +
           std::to_string(kv.shape[1]) + ", topk), got " + tuple(indices.shape);
  if (indices.dtype != kInt32) return "indices must be int32, got " + name_of(indices.dtype);
  if (topk <= 0 || topk % 128 != 0)
    return "Q8KV8 sparse-prefill topk width must be a positive multiple of 128, got " +
           std::to_string(topk);
  return "";
}

Wide bytes_of(const Meta& meta) {
  Wide bytes = meta.dtype.bits / 8;
  for (const std::int64_t extent : meta.shape) bytes *= extent;
  return bytes;
}

bool is_block(const std::optional<Meta>& meta, const std::vector<std::int64_t>& shape,
              ElementType dtype, std::uint64_t alignment, Device device) {
  if (!meta || meta->dtype != dtype || meta->device != device || !contiguous(*meta)) return false;
  if (!shape.empty() && meta->shape != shape) return false;
  for (std::size_t i = 0; i < meta->strides.size(); ++i)
    if (meta->strides[i] < 0 && meta->shape[i] > 1) return false;
  for (const std::int64_t extent : meta->shape)
    if (extent <= 0 || extent > 2147483647) return false;
  const Wide begin = Wide{meta->address} + meta->byte_offset;
  return meta->address != 0 && begin % alignment == 0 && bytes_of(*meta) < (Wide{1} << 63) &&
         begin + bytes_of(*meta) < (Wide{1} << 64);
}

bool share_a_byte(const Meta& a, const Meta& b) {
  const Wide a_begin = Wide{a.address} + a.byte_offset;
  const Wide b_begin = Wide{b.address} + b.byte_offset;
  return a_begin < b_begin + bytes_of(b) && b_begin < a_begin + bytes_of(a);
}

}  // namespace

std::string engine_stops_with(const PrefillMetadata& call) {
  const auto& tensors = call.tensors;
  const Meta& q = *tensors.at("q");
  const Meta& kv = *tensors.at("kv");
  const Meta& indices = *tensors.at("indices");
  std::string stop = inputs_stop(q, kv, indices);
  if (stop.empty()) stop = dimensions_stop(q, kv, indices);
  if (!stop.empty()) return stop;
  const std::int64_t s_q = q.shape[0];
  const std::int64_t h_q = q.shape[1];
  const std::int64_t d_v = call.d_v.value_or(512);
  stop = vector_stops("topk_length", tensors.at("topk_length"), s_q, kInt32, "int32", q.device);
  if (!stop.empty()) return stop;
  if (d_v != 512)
    return "sparse_mla_q8kv8_prefill_fwd only supports d_v=512, got " + std::to_string(d_v);
  if (tensors.at("attn_sink") && !tensors.at("topk_length"))
    return "attn_sink requires topk_length to be provided as well";
  stop = vector_stops("attn_sink", tensors.at("attn_sink"), h_q, kFloat32, "float32", q.device);
  for (const char* name : {"q_scale", "kv_scale"})
    if (stop.empty()) stop = scale_stops(name, tensors.at(name), q.device);
  if (stop.empty())
    stop = output_stops("out", tensors.at("out"), {s_q, h_q, d_v}, kBfloat16, q.device);
  for (const char* name : {"max_logits", "lse"})
    if (stop.empty()) stop = output_stops(name, tensors.at(name), {s_q, h_q}, kFloat32, q.device);
  if (!stop.empty()) return stop;
  const char* const outputs[] = {"out", "max_logits", "lse"};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (tensors.at(outputs[i]) && tensors.at(outputs[j]) &&
          tensors.at(outputs[i])->address + tensors.at(outputs[i])->byte_offset ==
              tensors.at(outputs[j])->address + tensors.at(outputs[j])->byte_offset)
        return "out, max_logits and lse must not alias each other";
  return "";
}

bool is_memory_safe(const PrefillMetadata& call) {
  const auto& tensors = call.tensors;
  const std::optional<Meta>& q = tensors.at("q");
  const std::optional<Meta>& kv = tensors.at("kv");
  const std::optional<Meta>& indices = tensors.at("indices");
  if (!q || !kv || !indices) return false;
  if (q->shape.size() != 3 || kv->shape.size() != 3 || indices->shape.size() != 3) return false;
  const std::int64_t s_q = q->shape[0];
  const std::int64_t h_q = q->shape[1];
  const std::int64_t d_qk = q->shape[2];
  const std::int64_t topk = indices->shape[2];
  if (h_q % 64 != 0 || (d_qk != 512 && d_qk != 576) || topk % 128 != 0) return false;
  if (call.d_v.value_or(512) != 512) return false;
  const auto is_fine = [&](const char* name, const std::vector<std::int64_t>& shape,
                           ElementType dtype, std::uint64_t alignment, bool is_optional) {
    const std::optional<Meta>& meta = tensors.at(name);
    return (is_optional && !meta) || is_block(meta, shape, dtype, alignment, q->device);
  };
  if (!is_fine("q", {s_q, h_q, d_qk}, kFloat8, 16, false) ||
      !is_fine("kv", {kv->shape[0], 1, d_qk}, kFloat8, 16, false) ||
      !is_fine("indices", {s_q, 1, topk}, kInt32, 16, false) ||
      !is_fine("topk_length", {s_q}, kInt32, 4, true) ||
      !is_fine("attn_sink", {h_q}, kFloat32, 4, true) ||
      !is_fine("q_scale", {}, kFloat32, 4, false) || !is_fine("kv_scale", {}, kFloat32, 4, false) ||
      !is_fine("out", {s_q, h_q, 512}, kBfloat16, 16, true) ||
      !is_fine("max_logits", {s_q, h_q}, kFloat32, 4, true) ||
      !is_fine("lse", {s_q, h_q}, kFloat32, 4, true))
    return false;
  if (!is_scalar(*tensors.at("q_scale")) || !is_scalar(*tensors.at("kv_scale"))) return false;
  for (const char* output : {"out", "max_logits", "lse"})
    for (const char* other : kPrefillTensors)
      if (std::string(output) != other && tensors.at(output) && tensors.at(other) &&
          share_a_byte(*tensors.at(output), *tensors.at(other)))
        return false;
  return true;
}

}  // namespace assay::test
