#!/usr/bin/env python3
"""Scores `assay explain` on reports of real failures: is the root cause, or "not in this excerpt", right?

    tests/cases/score_cases.py PROGRAM

The reports are not part of this repository (../shared/cases or ../../shared/cases, else skipped with
status 77). Each is explained twice: its log alone, and as a person reports it, the command in front.
expected.json says by hand, from the thread's own findings, what the answer has to be:
`record:<slug>`, `rule:<part of its id>` or `not-in-text`; "report" is as "log" where it is not given.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def find_cases():
    for folder in (ROOT.parent / "shared/cases", ROOT.parent.parent / "shared/cases"):
        if folder.is_dir():
            return folder
    return None


def section(text, heading, language):
    found = re.search(rf"^## {heading}.*?^```{language}\n(.*?)^```", text, re.S | re.M)
    return found.group(1) if found else ""


def answer(program, text):
    done = subprocess.run([program, "explain", "--knowledge", str(ROOT), "--format", "json", "-"],
                          input=text.encode(), capture_output=True, timeout=120, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{program} failed: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)["texts"][0]


def verdict(found):
    if found["cause"] == "known":
        return "record:" + found["errors"][0]["slug"]
    if found["cause"] == "launch":
        return "rule:" + found["launches"][0]["findings"][0]["rule"]
    if found["cause"] == "unknown":
        return "unknown:" + found["errors"][0]["message"][:60]
    return found["cause"]


def is_right(got, wanted):
    kind, _, part = wanted.partition(":")
    return got == wanted if kind != "rule" else got.startswith("rule:") and part in got


def main():
    folder = find_cases()
    if folder is None:
        print("skipped: shared/cases is not there")
        return 77
    expected = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
    right = total = 0
    for path in sorted(folder.glob("[0-9]*.md")):
        wanted = expected.get(path.name[:3])
        if wanted is None:
            continue
        text = path.read_text(encoding="utf-8")
        log = section(text, "Log", "text")
        command = section(text, "Command or configuration", "bash")
        for kind, given in (("log", log), ("report", command + "\n" + log)):
            want = wanted.get(kind, wanted["log"])
            got = verdict(answer(sys.argv[1], given))
            total += 1
            right += is_right(got, want)
            mark = "right" if is_right(got, want) else f"WRONG, wanted {want}"
            print(f"{path.name[:3]} {kind:6} {got}: {mark}")
    print(f"{right} of {total} right")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
