#!/usr/bin/env python3
"""What a contract check costs from Python, beside the same demands written as a chain of `if` statements over the same
attributes: those of the engine's wrapper (python/sglang/kernels/ops/attention/sparse_mla_q8kv8_prefill_sm90.py), with
devices taken as they are. The chain compares base addresses; only the contract compares byte ranges, and looks at
alignment and at extents that overflow.

    PYTHONPATH=build/release/python build/python-env/bin/python tools/bench/python_calls.py
"""
import pathlib
import statistics
import sys
import time
import timeit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/python"))

import ml_dtypes
import numpy as np

import assay
import dlpack
from prefill_case import aligned, arguments

FP8 = np.dtype(ml_dtypes.float8_e4m3fn)
BF16 = np.dtype(ml_dtypes.bfloat16)


def address(array):
    return array.__array_interface__["data"][0]


def chain(q, kv, indices, q_scale, kv_scale, sm_scale, topk_length=None, attn_sink=None, out=None, max_logits=None,
          lse=None, d_v=512):
    if q.ndim != 3:
        raise ValueError(f"q must have shape (s_q, h_q, d_qk), got {q.shape}")
    if kv.ndim != 3:
        raise ValueError(f"kv must have shape (s_kv, h_kv, d_qk), got {kv.shape}")
    if indices.ndim != 3:
        raise ValueError(f"indices must have shape (s_q, h_kv, topk), got {indices.shape}")
    device = q.device
    if kv.device != device:
        raise ValueError(f"kv must be on q's device {device}, got {kv.device}")
    if indices.device != device:
        raise ValueError(f"indices must be on q's device {device}, got {indices.device}")
    if q.dtype != FP8:
        raise ValueError(f"q must be float8_e4m3fn, got {q.dtype}")
    if kv.dtype != FP8:
        raise ValueError(f"kv must be float8_e4m3fn, got {kv.dtype}")
    if not q.flags.c_contiguous:
        raise ValueError("q must be contiguous")
    if not kv.flags.c_contiguous:
        raise ValueError("kv must be contiguous")
    if not indices.flags.c_contiguous:
        raise ValueError("indices must be contiguous")
    s_q, h_q, d_qk = q.shape
    _, h_kv, d_qk_kv = kv.shape
    if d_qk_kv != d_qk:
        raise ValueError(f"kv d_qk must match q d_qk={d_qk}, got {d_qk_kv}")
    if h_q <= 0 or h_q % 64 != 0:
        raise ValueError(f"requires h_q padded to a positive multiple of 64, got {h_q}")
    if h_kv != 1:
        raise ValueError(f"requires h_kv=1, got {h_kv}")
    if d_qk not in (512, 576):
        raise ValueError(f"supports d_qk=512/576, got {d_qk}")
    topk = indices.shape[2]
    if indices.shape != (s_q, h_kv, topk):
        raise ValueError(f"indices must have shape ({s_q}, {h_kv}, topk), got {indices.shape}")
    if indices.dtype != np.int32:
        raise ValueError(f"indices must be int32, got {indices.dtype}")
    if topk <= 0 or topk % 128 != 0:
        raise ValueError(f"topk width must be a positive multiple of 128, got {topk}")
    if topk_length is not None:
        if topk_length.shape != (s_q,) or topk_length.dtype != np.int32:
            raise ValueError("topk_length must be int32 with shape (s_q,)")
        if topk_length.device != device:
            raise ValueError("topk_length must be on q's device")
        if not topk_length.flags.c_contiguous:
            raise ValueError("topk_length must be contiguous")
    if d_v != 512:
        raise ValueError(f"only supports d_v=512, got {d_v}")
    if attn_sink is not None:
        if topk_length is None:
            raise ValueError("attn_sink requires topk_length to be provided as well")
        if attn_sink.shape != (h_q,) or attn_sink.dtype != np.float32:
            raise ValueError("attn_sink must be float32 with shape (h_q,)")
        if attn_sink.device != device:
            raise ValueError("attn_sink must be on q's device")
        if not attn_sink.flags.c_contiguous:
            raise ValueError("attn_sink must be contiguous")
    for name, scale in (("q_scale", q_scale), ("kv_scale", kv_scale)):
        if scale.device != device:
            raise ValueError(f"{name} must be on q's device")
        if scale.dtype != np.float32:
            raise ValueError(f"{name} must be float32, got {scale.dtype}")
        if scale.size != 1:
            raise ValueError(f"{name} must be a scalar tensor, got shape {scale.shape}")
        if not scale.flags.c_contiguous:
            raise ValueError(f"{name} must be contiguous")
    starts = []
    for name, output, shape, dtype in (("out", out, (s_q, h_q, d_v), BF16),
                                       ("max_logits", max_logits, (s_q, h_q), np.float32),
                                       ("lse", lse, (s_q, h_q), np.float32)):
        if output is None:
            continue
        if output.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {output.shape}")
        if output.dtype != dtype:
            raise ValueError(f"{name} must have dtype {dtype}, got {output.dtype}")
        if output.device != device:
            raise ValueError(f"{name} must be on device {device}, got {output.device}")
        if not output.flags.c_contiguous:
            raise ValueError(f"{name} must be contiguous")
        starts.append(address(output))
    if len(set(starts)) != len(starts):
        raise ValueError("out, max_logits and lse must not alias each other")


def microseconds(work):
    """Processor time: median and spread of nine runs of 10,000 calls."""
    seen = [one / 10_000 * 1e6 for one in timeit.repeat(work, number=10_000, repeat=9, timer=time.process_time)]
    return statistics.median(seen), (max(seen) - min(seen)) / statistics.median(seen)


def main():
    arrays = arguments()
    s_q, h_q = arrays["q"].shape[:2]
    arrays |= {"topk_length": aligned((s_q,), np.int32), "attn_sink": aligned((h_q,), np.float32),
               "out": aligned((s_q, h_q, 512), BF16), "max_logits": aligned((s_q, h_q), np.float32),
               "lse": aligned((s_q, h_q), np.float32)}
    types = {"q": dlpack.FLOAT8_E4M3FN, "kv": dlpack.FLOAT8_E4M3FN, "indices": dlpack.INT32,
             "topk_length": dlpack.INT32, "out": dlpack.BFLOAT16}
    capsules = {name: value if name == "sm_scale" else
                dlpack.capsule(value.ctypes.data, types.get(name, dlpack.FLOAT32), value.shape)
                for name, value in arrays.items()}
    short = {name: arrays[name] for name in ("indices", "topk_length", "attn_sink", "q_scale", "kv_scale",
                                             "max_logits", "lse")}
    root = pathlib.Path(__file__).resolve().parents[2]
    contract = assay.Contract((root / "rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml").read_text())
    for label, work in (
            ("chain of if statements, 10 NumPy arrays", lambda: chain(**arrays)),
            ("check_sparse_mla_prefill, 10 capsules", lambda: assay.check_sparse_mla_prefill(**capsules)),
            ("check_sparse_mla_prefill, 10 NumPy arrays, 3 of ml_dtypes",
             lambda: assay.check_sparse_mla_prefill(**arrays)),
            ("check_sparse_mla_prefill, 7 NumPy arrays and 3 capsules",
             lambda: assay.check_sparse_mla_prefill(**{**capsules, **short})),
            ("Contract.check of a loaded contract, 10 capsules",
             lambda: contract.check(profile="safety", **capsules)),
            ("of it: NumPy's __dlpack__ of 7 arrays", lambda: [one.__dlpack__() for one in short.values()])):
        assert not (work() if "__dlpack__" not in label else None)
        median, spread = microseconds(work)
        print(f"{label:60} {median:6.2f} us  (spread {spread:.0%})")


if __name__ == "__main__":
    main()
