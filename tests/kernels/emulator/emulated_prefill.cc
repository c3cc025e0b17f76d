#include "tests/kernels/emulator/emulated_prefill.h"

#include <string>

#include "kernels/sparse_mla_prefill/kernel.cuh"

namespace assay::sparse_mla_prefill {
namespace {

using emulator::LaunchConfig;
using emulator::LaunchResult;

cuda::DeviceParams params_of(PrefillCase& prefill, cuda::DeviceStatus& status) {
  const CaseOptions& o = prefill.options;
  cuda::DeviceParams params;
  params.q = prefill.q.data();
  params.kv = prefill.kv.data();
  params.indices = prefill.indices.data();
  params.q_scale = &prefill.q_scale;
  params.kv_scale = &prefill.kv_scale;
  params.topk_length = o.has_lengths ? prefill.lengths.data() : nullptr;
  params.attn_sink = o.has_sink ? prefill.sink.data() : nullptr;
  params.out = prefill.out.data();
  params.max_logits = prefill.max_logits.data();
  params.lse = prefill.lse.data();
  params.status = &status;
  params.s_kv = o.s_kv;
  params.h_q = static_cast<std::uint32_t>(o.h_q);
  params.topk = static_cast<std::uint32_t>(o.topk);
  params.s_q = static_cast<std::uint32_t>(o.s_q);
  params.sm_scale = o.sm_scale;
  return params;
}

template <class Config>
LaunchConfig launch_of(PrefillCase& prefill, const cuda::DeviceParams& params,
                       cuda::DeviceStatus& status) {
  const auto buffer = [](const char* name, auto& values, bool is_writable) {
    return emulator::GlobalBuffer{name, values.data(), values.size() * sizeof(values[0]),
                                  is_writable};
  };
  LaunchConfig config;
  config.threads = Config::kThreads;
  // Two tasks for most of them, so that what one leaves behind meets the next.
  config.blocks = static_cast<std::uint32_t>((cuda::count_tasks(params) + 1) / 2);
  config.shared_bytes = Config::kSharedBytes;
  config.globals = {buffer("q", prefill.q, false),
                    buffer("kv", prefill.kv, false),
                    buffer("indices", prefill.indices, false),
                    {"q_scale", &prefill.q_scale, sizeof(float), false},
                    {"kv_scale", &prefill.kv_scale, sizeof(float), false},
                    buffer("topk_length", prefill.lengths, false),
                    buffer("attn_sink", prefill.sink, false),
                    buffer("out", prefill.out, true),
                    buffer("max_logits", prefill.max_logits, true),
                    buffer("lse", prefill.lse, true),
                    {"status", &status, sizeof(status), true}};
  config.shared_names = {{Config::kQuery, Config::kTiles * Config::kTileBytes, "Q"},
                         {Config::kMaxima, 512, "maxima"},
                         {Config::kFactors, 512, "factors"},
                         {Config::kSums, 512, "sums"},
                         {Config::kValid, Config::kSlots * 32, "ballots"},
                         {Config::kFull, Config::kSlots * 8, "full"},
                         {Config::kEmpty, Config::kSlots * 8, "empty"},
                         {Config::kQueryFull, 8, "Q full"},
                         {Config::kQueryEmpty, 8, "Q empty"}};
  for (std::uint32_t slot = 0; slot < Config::kSlots; ++slot) {
    config.shared_names.push_back({Config::kRing + slot * Config::kSlotBytes, Config::kSlotBytes,
                                   "slot " + std::to_string(slot)});
  }
  return config;
}

}  // namespace

LaunchResult run_emulated(PrefillCase& prefill, emulator::Emulator& emulator, std::uint64_t seed,
                          cuda::DeviceStatus& status, const Interference& interfere,
                          const Adjustment& adjust) {
  emulator::RandomSchedule schedule(seed);
  cuda::DeviceParams params = params_of(prefill, status);
  const auto run = [&]<class Config>(Config) {
    LaunchConfig config = launch_of<Config>(prefill, params, status);
    config.interfere = interfere;
    if (adjust) adjust(params, config);
    cuda::share_out(params, config.blocks);
    return emulator.run(
        config, [&] { cuda::prefill_block<Config>(params); }, schedule);
  };
  return prefill.options.d_qk == 576 ? run(cuda::TileConfig<576>{}) : run(cuda::TileConfig<512>{});
}

}  // namespace assay::sparse_mla_prefill
