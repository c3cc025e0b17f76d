#!/usr/bin/env python3
"""Times SGLang's public FP8 sparse MLA prefill on the shapes that tools/gpu_check.sh times, the same way: median of many
launches between CUDA events, over input sets that together do not fit in L2. Prints JSON.

    prefill_peer.py FOLDER      the folder to import sglang from
"""
import json
import sys

SHAPES = [(4096, 8192, 128, 576, 2048), (4096, 32768, 128, 576, 2048), (4096, 65536, 128, 576, 2048),
          (4096, 8192, 64, 512, 512), (4096, 32768, 64, 512, 512)]
SETS, WARM_UP, LAUNCHES = 3, 6, 60


def main():
    sys.path.insert(0, sys.argv[1])
    import torch
    from sglang.kernels.ops.attention.sparse_mla_q8kv8_prefill_sm90 import sparse_mla_q8kv8_prefill_fwd

    def values(*shape):
        return (torch.randn(*shape, device="cuda") * 0.5).to(torch.float8_e4m3fn)

    one = torch.ones((), device="cuda")
    times = []
    for s_q, s_kv, h_q, d_qk, topk in SHAPES:
        sets = [dict(q=values(s_q, h_q, d_qk), kv=values(s_kv, 1, d_qk),
                     indices=torch.randint(0, s_kv, (s_q, 1, topk), device="cuda", dtype=torch.int32)) for _ in range(SETS)]

        def run(i):
            sparse_mla_q8kv8_prefill_fwd(**sets[i % SETS], q_scale=one, kv_scale=one, sm_scale=1 / 24)

        for i in range(WARM_UP):
            run(i)
        events = [torch.cuda.Event(enable_timing=True) for _ in range(LAUNCHES + 1)]
        events[0].record()
        for i in range(LAUNCHES):
            run(i)
            events[i + 1].record()
        torch.cuda.synchronize()
        sorted_ms = sorted(a.elapsed_time(b) for a, b in zip(events, events[1:]))
        times.append({"shape": [s_q, s_kv, h_q, d_qk, topk], "median_ms": round(sorted_ms[LAUNCHES // 2], 4)})
        del sets
    json.dump({"peer": sys.argv[1], "times": times}, sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
