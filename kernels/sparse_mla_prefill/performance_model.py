#!/usr/bin/env python3
"""What limits the Hopper kernel, from data-sheet rates alone: cycles of one SM for a block of 64 tokens and 64 heads, and
the time of the timed shapes on an H200. Nothing here was measured.

    python3 kernels/sparse_mla_prefill/performance_model.py           the tables of README.md beside it
    python3 kernels/sparse_mla_prefill/performance_model.py --check   whether they stand there; exit status 1 if not
"""
import pathlib
import sys

# An H200 by its data sheet and the public descriptions of the SM.
SMS, CLOCK = 132, 1.83e9
TENSOR_FLOP = 8192     # FP8, dense, a clock and SM: 1979 TFLOP/s over all
SHARED_BYTES = 128     # a clock and SM
L2_BYTES = 24          # a clock and SM: 5.8 TB/s over all; between 24 and 32 by public readings
HBM_BYTES = 4.8e12     # a second
MUFU = 16              # a clock and SM: ex2
ISSUE = 4              # warp instructions a clock and SM
L2_SIZE = 50e6
LATENCY = 1000         # clocks from the first index asked for to the first row, a guess: two fetches one after the other

HEADS = TOKENS = 64
VALUES = 512
# Warp instructions of the math warps for a block, counted in the kernel's source. S belongs to one warpgroup, its four warps
# have 32 values a lane; O^T of both has 128 a lane and is rescaled only when a maximum has moved (not counted).
SOFTMAX_PER_VALUE = 9  # validity and scale twice, maximum, subtract, ex2, add, half a conversion
WARPS_OF_S, VALUES_OF_S = 4, 32
# O^T: 8 warps, 2 steps of 32 tokens, 4 tiles: one ldmatrix, four prmt, one wgmma, and addresses.
PER_FRAGMENT = 8
LOADING_PER_PIECE = 1.3  # cp.async and its share of indices, ballots and waits

SHAPES = [(4096, 8192, 128, 576, 2048), (4096, 32768, 128, 576, 2048), (4096, 65536, 128, 576, 2048),
          (4096, 8192, 64, 512, 512), (4096, 32768, 64, 512, 512)]


def cycles(d_qk):
    """By resource, for one block."""
    flop = 2 * HEADS * TOKENS * (d_qk + VALUES)
    row_bytes = TOKENS * d_qk
    p_bytes = TOKENS * HEADS
    shared = (row_bytes                        # the gather writes
              + row_bytes * (HEADS + TOKENS) / TOKENS  # S reads Q and K
              + TOKENS * VALUES                # ldmatrix reads V once
              + p_bytes                        # P is written,
              + p_bytes * VALUES / 64)         # and read by each m64 of O^T
    softmax = WARPS_OF_S * VALUES_OF_S * SOFTMAX_PER_VALUE
    values = 8 * 2 * 4 * PER_FRAGMENT
    loading = row_bytes / 16 / 32 * LOADING_PER_PIECE
    return {
        "tensor cores": flop / TENSOR_FLOP,
        "shared memory": shared / SHARED_BYTES,
        "gather from L2": row_bytes / L2_BYTES,
        "special functions": HEADS * TOKENS / MUFU,
        "issue slots": (softmax + values + loading) / ISSUE,
    }


def ends(d_qk):
    """Clocks of a block of threads that nothing overlaps, since an SM holds one: Q and the first rows on their way; the last
    pair's products and exponentials, and the output."""
    one = cycles(d_qk)
    return LATENCY + HEADS * d_qk / L2_BYTES + 2 * (one["tensor cores"] + one["special functions"]) + HEADS * VALUES * 2 / L2_BYTES


def shape_time(s_q, s_kv, h_q, d_qk, topk):
    """Seconds by limit, for the whole call, and of the ends."""
    blocks = s_q * h_q // HEADS
    # Waves of one block an SM: the last one counts whole.
    rounds = -(-blocks // SMS)
    per_block = {name: count * topk / TOKENS * rounds / CLOCK for name, count in cycles(d_qk).items()}
    # Each query fetches its rows from memory once; its other blocks of heads find them in L2. A cache that fits in L2 is
    # fetched once altogether.
    rows = min(1.0, L2_SIZE / (s_kv * d_qk))
    missed = s_q * topk * d_qk * (1 - rows) + s_kv * d_qk
    moved = missed + s_q * h_q * (d_qk + 2 * VALUES)
    per_block["memory"] = moved / HBM_BYTES
    return per_block, ends(d_qk) * rounds / CLOCK


def tables():
    lines = ["| clocks a block of 64 tokens and 64 heads | d_qk 576 | d_qk 512 |", "|---|--:|--:|"]
    wide, narrow = cycles(576), cycles(512)
    for name in wide:
        binds = [" **binds**" if max(of.values()) == of[name] else "" for of in (wide, narrow)]
        lines.append(f"| {name} | {wide[name]:,.0f}{binds[0]} | {narrow[name]:,.0f}{binds[1]} |")
    lines.append(f"| ends of a block of threads, once for all its tokens | {ends(576):,.0f} | {ends(512):,.0f} |")
    lines += ["", "| shape (s_q, s_kv, h_q, d_qk, topk) | TFLOP | tensor cores | shared memory | L2 | HBM | ends | predicted | of 1979 TFLOP/s | binds |",
              "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    for shape in SHAPES:
        s_q, _, h_q, d_qk, topk = shape
        times, at_ends = shape_time(*shape)
        flop = 2 * s_q * h_q * topk * (d_qk + VALUES)
        limit = max(times, key=times.get)
        total = times[limit] + at_ends
        shown = [f"{seconds * 1e3:.2f} ms" for seconds in
                 [times[name] for name in ("tensor cores", "shared memory", "gather from L2", "memory")] + [at_ends]]
        lines.append(f"| {shape} | {flop / 1e12:.2f} | " + " | ".join(shown) +
                     f" | {total * 1e3:.2f} ms | {flop / total / 1979e12 * 100:.0f} % | {limit} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        readme = pathlib.Path(__file__).resolve().parent / "README.md"
        if tables() not in readme.read_text(encoding="utf-8"):
            sys.exit(f"{readme} has other tables than `performance_model.py` prints")
    else:
        print(tables(), end="")
