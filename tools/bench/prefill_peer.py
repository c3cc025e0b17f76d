#!/usr/bin/env python3
"""Times SGLang's public FP8 sparse MLA prefill on the shapes that tools/gpu_check.sh times, the same way: median of many
launches between CUDA events, over input sets that together do not fit in L2, outputs supplied. Prints JSON, where something
is missing {"peer": FOLDER, "not_timed": why}.

    prefill_peer.py FOLDER      the folder to import sglang from
"""
import contextlib
import json
import sys

SHAPES = [(4096, 8192, 128, 576, 2048), (4096, 32768, 128, 576, 2048), (4096, 65536, 128, 576, 2048),
          (4096, 8192, 64, 512, 512), (4096, 32768, 64, 512, 512)]
SETS, WARM_UP, LAUNCHES = 3, 6, 60


def times_of_peer():
    import torch
    from sglang.kernels.ops.attention.sparse_mla_q8kv8_prefill_sm90 import sparse_mla_q8kv8_prefill_fwd

    def values(*shape):
        return (torch.randn(*shape, device="cuda") * 0.5).to(torch.float8_e4m3fn)

    one = torch.ones((), device="cuda")
    times = []
    for s_q, s_kv, h_q, d_qk, topk in SHAPES:
        sets = [dict(q=values(s_q, h_q, d_qk), kv=values(s_kv, 1, d_qk),
                     indices=torch.randint(0, s_kv, (s_q, 1, topk), device="cuda", dtype=torch.int32),
                     out=torch.empty(s_q, h_q, 512, device="cuda", dtype=torch.bfloat16),
                     max_logits=torch.empty(s_q, h_q, device="cuda"), lse=torch.empty(s_q, h_q, device="cuda"))
                for _ in range(SETS)]

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
    return times


def main():
    folder = sys.argv[1]
    sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            result = {"peer": folder, "times": times_of_peer()}
    except Exception as error:  # whatever somebody else's packages raise: theirs is not what is checked
        result = {"peer": folder, "not_timed": f"{type(error).__name__}: {error}"[:2000]}
        print(f"prefill_peer.py: the peer is not timed: {result['not_timed']}", file=sys.stderr)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
