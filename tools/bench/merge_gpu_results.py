#!/usr/bin/env python3
"""Puts what the parts of tools/gpu_check.sh left in a folder into one JSON file, and prints the table of times with their
share of the ceilings measured in the same run. Parts that were not run keep what the file had.

    merge_gpu_results.py FOLDER FILE --gpu NAME --parts LIST --seconds N
"""
import argparse
import json
import pathlib
import subprocess
import sys

# Bytes from L2 for a block of 64 heads and 64 tokens: the gather (performance_model.py).
BLOCK = 64


def said_by(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def read(folder, name):
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def with_shares(times, ceilings):
    """Each time with its share of what this GPU reached."""
    for one in times or []:
        s_q, _, h_q, d_qk, topk = one["shape"]
        seconds = one["median_ms"] / 1e3
        one["share_of_data_sheet"] = round(one["tflops"] / 1979, 4)
        if ceilings:
            gathered = s_q * (h_q // BLOCK) * topk * d_qk
            moved = s_q * h_q * (d_qk + 1024)
            one["share_of_wgmma"] = round(one["tflops"] / ceilings["wgmma_m64n64k32_tflops"], 4)
            one["share_of_l2"] = round(gathered / seconds / 1e12 / ceilings["l2_read_tb_s"], 4)
            one["share_of_hbm"] = round(moved / seconds / 1e12 / ceilings["hbm_read_tb_s"], 4)
    return times


def against_peer(times, peer):
    by_shape = {tuple(one["shape"]): one["median_ms"] for one in peer.get("times", [])}
    for one in times or []:
        theirs = by_shape.get(tuple(one["shape"]))
        if theirs:
            one["times_as_fast_as_peer"] = round(theirs / one["median_ms"], 3)


def sanitizers(folder):
    found = {}
    for tool in ("memcheck", "racecheck", "synccheck"):
        path = folder / f"{tool}.txt"
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        found[tool] = [line for line in lines if "SUMMARY" in line or line.startswith(("not run", "exit status"))] or ["not run"]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--parts", required=True)
    parser.add_argument("--seconds", required=True, type=int)
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    result = read(arguments.file.parent, arguments.file.name) or {"format": 1}
    result["gpu"] = arguments.gpu
    result["driver"] = said_by("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    result["compiler"] = (said_by("nvcc", "--version") or "").splitlines()[-1:]
    result["commit"] = said_by("git", "rev-parse", "HEAD")
    result["last_run"] = {"parts": parts, "seconds": arguments.seconds}
    for part in ("cases", "ceilings", "time", "peer"):
        if part in parts and (part != "peer" or (arguments.folder / "peer.json").exists()):
            result[part] = read(arguments.folder, f"{part}.json")
    if "sanitize" in parts:
        result["sanitize"] = sanitizers(arguments.folder)
    times = with_shares(result.get("time"), result.get("ceilings"))
    if result.get("peer"):
        against_peer(times, result["peer"])
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    arguments.file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if result.get("cases") is not None:
        wrong = [one["name"] for one in result["cases"] if not one["right"]]
        print(f"cases: {len(result['cases'])}, wrong: {', '.join(wrong) or 'none'}")
    for one in times or []:
        print(f"{one['shape']}: {one['median_ms']} ms, {one['tflops']} TFLOP/s, " +
              ", ".join(f"{name} {one[name]}" for name in one if name.startswith(("share", "times"))))
    print(f"results: {arguments.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
