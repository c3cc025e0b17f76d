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
# Warp instructions, counted in the machine code (sm90_compile_test.py prints them and compares): of the loop of a math warp
# over pairs of blocks, of its parts, and of the loop of a loading warp over blocks.
MATH_PER_PAIR = {576: 1056, 512: 1030}
LOADING_PER_BLOCK = {576: 93, 512: 91}
RESCALE = 155             # of MATH_PER_PAIR, before the first product of a pair
FIND_MAXIMA = 146         # of MATH_PER_PAIR
AFTER_LAST_PRODUCT = 299  # of MATH_PER_PAIR: exponentials and P
STORE_OUTPUT = 614        # once a task
MATH_WARPS, LOADING_WARPS = 8, 4
MEETINGS = 200            # clocks a pair for two barriers, a fence and the first product's way, a guess

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
    instructions = MATH_WARPS * MATH_PER_PAIR[d_qk] / 2 + LOADING_WARPS * LOADING_PER_BLOCK[d_qk]
    special = HEADS * TOKENS / MUFU
    # Both math warpgroups take the same way through a pair at the same time: O^T is rescaled while nothing is multiplied, and
    # of the exponentials what the last two of the four steps of O^T do not hide.
    last_steps = 2 * HEADS * TOKENS * VALUES / TENSOR_FLOP
    exposed = exponentials() - last_steps
    chain = 2 * flop / TENSOR_FLOP + MATH_WARPS * RESCALE / ISSUE + exposed + MEETINGS
    return {
        "tensor cores": flop / TENSOR_FLOP,
        "shared memory": shared / SHARED_BYTES,
        "gather from L2": row_bytes / L2_BYTES,
        "special functions": special,
        "issue slots": instructions / ISSUE,
        "order of the work": chain / 2,
    }


def exponentials():
    """Clocks of both warpgroups for a pair."""
    return max(MATH_WARPS * AFTER_LAST_PRODUCT / ISSUE, 2 * HEADS * TOKENS / MUFU)


def ends(d_qk):
    """By resource, what a task adds to its blocks: Q and the output; and the first softmax and the output, which nothing hides."""
    output = HEADS * VALUES * 2 / L2_BYTES
    return {
        "gather from L2": HEADS * d_qk / L2_BYTES + output,
        "order of the work": MATH_WARPS * FIND_MAXIMA / ISSUE + exponentials() + MEETINGS +
                             max(output, MATH_WARPS * STORE_OUTPUT / ISSUE),
    }


def start(d_qk):
    """Clocks once a call: until Q and the first pair of an SM are there."""
    return LATENCY + 3 * HEADS * d_qk / L2_BYTES


def shape_time(s_q, s_kv, h_q, d_qk, topk):
    """Seconds by limit, for the whole call."""
    # An SM takes one task, 64 heads of a query, after the other; the SM that has most counts.
    tasks = -(-s_q * (h_q // HEADS) // SMS)
    at_ends = ends(d_qk)
    times = {name: (tasks * (count * topk / TOKENS + at_ends.get(name, 0)) + start(d_qk)) / CLOCK
             for name, count in cycles(d_qk).items()}
    # Each query fetches its rows from memory once; its other tasks find them in L2. A cache that fits in L2 is fetched once
    # altogether.
    rows = min(1.0, L2_SIZE / (s_kv * d_qk))
    missed = s_q * topk * d_qk * (1 - rows) + s_kv * d_qk
    times["memory"] = (missed + s_q * h_q * (d_qk + 2 * VALUES)) / HBM_BYTES
    return times


def tables():
    lines = ["| clocks a block of 64 tokens and 64 heads | d_qk 576 | d_qk 512 |", "|---|--:|--:|"]
    wide, narrow = cycles(576), cycles(512)
    for name in wide:
        binds = [" **binds**" if max(of.values()) == of[name] else "" for of in (wide, narrow)]
        lines.append(f"| {name} | {wide[name]:,.0f}{binds[0]} | {narrow[name]:,.0f}{binds[1]} |")
    for name in ends(576):
        lines.append(f"| {name}, more for each task | {ends(576)[name]:,.0f} | {ends(512)[name]:,.0f} |")
    shown = ("tensor cores", "shared memory", "gather from L2", "order of the work", "memory")
    lines += ["", f"| shape (s_q, s_kv, h_q, d_qk, topk) | TFLOP | {' | '.join(shown)} | predicted | of 1979 TFLOP/s | binds |",
              "|---|" + "--:|" * (len(shown) + 3) + "---|"]
    for shape in SHAPES:
        s_q, _, h_q, d_qk, topk = shape
        times = shape_time(*shape)
        flop = 2 * s_q * h_q * topk * (d_qk + VALUES)
        limit = max(times, key=times.get)
        cells = " | ".join(f"{times[name] * 1e3:.2f} ms" for name in shown)
        lines.append(f"| {shape} | {flop / 1e12:.2f} | {cells} | {times[limit] * 1e3:.2f} ms | "
                     f"{flop / times[limit] / 1979e12 * 100:.0f} % | {limit} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        readme = pathlib.Path(__file__).resolve().parent / "README.md"
        if tables() not in readme.read_text(encoding="utf-8"):
            sys.exit(f"{readme} has other tables than `performance_model.py` prints")
    else:
        print(tables(), end="")
