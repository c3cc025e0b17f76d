// A change takes a value near the border of what is legal.
#include "tests/engine/evaluate/random_prefill_call.h"

#include <limits>
#include <type_traits>

namespace assay::test {
namespace {

template <class... Options>
auto pick_one(std::mt19937_64& random, Options... options) {
  const std::common_type_t<Options...> all[] = {options...};
  return all[random() % std::size(all)];
}

void change(std::mt19937_64& random, PrefillMetadata& call, std::optional<Meta>& slot) {
  Meta& meta = *slot;
  const auto pick = [&](auto... options) { return pick_one(random, options...); };
  switch (random() % 10) {
    case 0:
      meta.dtype = pick(kInt32, kFloat32, kFloat16, kBfloat16, kFloat8);
      break;
    case 1:
      meta.device = pick(Device{1, 0}, Device{2, 0}, Device{2, 1});
      break;
    case 2:
      meta.shape.push_back(pick(1, 2));
      break;
    case 3:
      if (!meta.shape.empty()) meta.shape.pop_back();
      break;
    case 4:
      if (!meta.shape.empty())
        meta.shape[random() % meta.shape.size()] =
            pick(std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2},
                 std::int64_t{128}, std::int64_t{1} << 31, std::int64_t{1} << 33,
                 std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::min());
      break;
    case 5:
      meta.strides.assign(meta.shape.size(), 1);
      for (std::size_t i = meta.shape.size(); i-- > 1;)
        if (__builtin_mul_overflow(meta.strides[i], meta.shape[i], &meta.strides[i - 1]))
          meta.strides[i - 1] = 7;
      if (!meta.strides.empty() && random() % 2 == 0)
        meta.strides[random() % meta.strides.size()] = pick(-1, 0, 1, 576);
      break;
    case 6:
      meta.address += pick(1, 2, 4, 8, 16, 32);
      break;
    case 7:
      meta.address = pick(std::uint64_t{0}, std::uint64_t{64}, ~std::uint64_t{0} - 63);
      break;
    case 8: {
      const auto& other = call.tensors[kPrefillTensors[random() % 10]];
      if (other) meta.address = other->address + pick(0, 0, 64, 4096);
      break;
    }
    default:
      if (pick(true, false))
        call.d_v = pick(512, 256, 0);
      else if (meta.shape.size() < 2)
        slot.reset();
  }
}

}  // namespace

PrefillMetadata random_prefill_call(std::mt19937_64& random) {
  const auto pick = [&](auto... options) { return pick_one(random, options...); };
  PrefillMetadata call = PrefillMetadata::legal(pick(1, 4, 1000), pick(64, 128), pick(512, 576),
                                                pick(1, 64, 1 << 20), pick(128, 2048));
  for (const char* name : {"topk_length", "attn_sink", "out", "max_logits", "lse"})
    if (random() % 4 == 0) call.tensors[name].reset();
  if (random() % 2 == 0) return call;
  for (auto changes = random() % 3 + 1; changes > 0; --changes) {
    std::optional<Meta>& slot = call.tensors[kPrefillTensors[random() % 10]];
    if (!slot) continue;
    change(random, call, slot);
  }
  for (const char* name : {"q", "kv", "indices"})  // the wrapper has no words for these
    if (!call.tensors[name]) call.tensors[name] = PrefillMetadata::legal()[name];
  return call;
}

}  // namespace assay::test
