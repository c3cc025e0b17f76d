#!/usr/bin/env python3
"""The sparse MLA prefill as one would write it in PyTorch: gather, matmul, softmax, matmul.

    python3 tools/bench/prefill_torch.py [--threads N] [--dtype float32|bfloat16] [--repeat 5]

Prints the GFLOP/s of the two products for the shapes of prefill_bench, counted in the same way
(2 * s_q * h_q * topk * (d_qk + 512)), for the ratio of two runs made one after the other. Decoding
the FP8 tensors is done once, outside the timed part, to PyTorch's advantage. Queries go through in
batches, because all gathered rows at once would take 0.6 GB.
"""
import argparse
import time

import torch

SHAPES = [(64, 8192, 128, 576, 2048), (64, 8192, 64, 512, 512)]  # s_q, s_kv, h_q, d_qk, topk
D_V = 512
BATCH = 8


def prefill(q, kv, indices, scale):
    outs = []
    for start in range(0, q.shape[0], BATCH):
        chosen = kv[indices[start : start + BATCH].long()]  # [batch, topk, d_qk]
        logits = torch.matmul(q[start : start + BATCH], chosen.transpose(1, 2)).float() * scale
        lse = torch.logsumexp(logits, dim=-1, keepdim=True)
        weights = torch.exp(logits - lse).to(chosen.dtype)
        outs.append((torch.matmul(weights, chosen[..., :D_V]).bfloat16(), logits.amax(-1), lse))
    return outs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    dtype = getattr(torch, options.dtype)
    for s_q, s_kv, h_q, d_qk, topk in SHAPES:
        q = torch.randn(s_q, h_q, d_qk).to(torch.float8_e4m3fn).to(dtype)
        kv = torch.randn(s_kv, d_qk).to(torch.float8_e4m3fn).to(dtype)
        indices = torch.randint(0, s_kv, (s_q, topk), dtype=torch.int32)
        best = float("inf")
        for _ in range(options.repeat):
            start = time.perf_counter()
            prefill(q, kv, indices, d_qk**-0.5)
            best = min(best, time.perf_counter() - start)
        operations = 2.0 * s_q * h_q * topk * (d_qk + D_V)
        print(f"torch {torch.__version__} {options.dtype} {options.threads} threads "
              f"{s_q}x{s_kv}x{h_q}x{d_qk}x{topk}: {best * 1e3:.0f} ms, "
              f"{operations / best * 1e-9:.1f} GFLOP/s")


if __name__ == "__main__":
    main()
