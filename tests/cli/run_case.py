#!/usr/bin/env python3
"""Runs one case of the command line; tests/README.md describes the format of a .test file.

    tests/cli/run_case.py [--write] PROGRAM CASE.test
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# A case that hangs. Sanitized programs take ten times as long, which is why their presets set this (support/sample.h).
TIMEOUT_S = 120 * max(1, int(os.environ.get("ASSAY_EVERY", "1")))
MAX_RESIDENT_KIB = 2 << 20  # no input may make the program take more


class Section:
    def __init__(self, head, line):
        self.words = head.split()
        self.line = line
        self.lines = []

    @property
    def text(self):
        return "".join(self.lines)


def parse(path):
    sections = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        if line.startswith("--- "):
            sections.append(Section(line[4:].strip(), number))
        elif sections:
            sections[-1].lines.append(line)
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: text before the first section")
    return sections


def prepare(sections, folder):
    for section in sections:
        kind = section.words[0]
        if kind == "knowledge":
            shutil.copytree(HERE / "knowledge", folder / section.words[1], dirs_exist_ok=True)
    for section in sections:
        if section.words[0] == "file":
            target = folder / section.words[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(section.text, encoding="utf-8")


def environment(program, folder):
    kept = {name: os.environ[name] for name in ("LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
            if name in os.environ}
    return kept | {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder), "ROOT": str(ROOT),
                   "LD_LIBRARY_PATH": str(program.parent.parent / "tests/fake_nvml")}


def run(script, program, folder):
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment(program, folder),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)


def value_at(document, path):
    for part in path.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def json_faults(section, text):
    try:
        document = json.loads(text)
    except ValueError as fault:
        yield f"standard output is no JSON: {fault}"
        return
    for line in section.lines:
        if not line.strip():
            continue
        path, expected = line.strip().split(" == ", 1)
        try:
            found = value_at(document, path)
        except (LookupError, ValueError, TypeError):
            yield f"{path}: there is nothing there"
            continue
        if found != json.loads(expected):
            yield f"{path}: expected {expected}, found {json.dumps(found)}"


def text_faults(section, text):
    how = section.words[1] if len(section.words) > 1 else "exact"
    wanted = [line.rstrip("\n") for line in section.lines if line.strip()]
    if how == "contains":
        yield from (f"{section.words[0]} does not contain: {line}" for line in wanted if line not in text)
    elif how == "lacks":
        yield from (f"{section.words[0]} contains: {line}" for line in wanted if line in text)
    elif how == "matches":
        yield from (f"{section.words[0]} does not match: {line}" for line in wanted if not re.search(line, text))
    elif how == "json":
        yield from json_faults(section, text)
    elif how == "exact" and section.text.rstrip("\n") != text.rstrip("\n"):
        yield "".join(difflib.unified_diff(section.text.splitlines(True), text.splitlines(True),
                                           f"expected {section.words[0]}", "found"))


def faults_of(path, sections, result):
    out = result.stdout.decode("utf-8", "replace")
    err = result.stderr.decode("utf-8", "replace")
    expected = [section for section in sections if section.words[0] == "exit"]
    status = int(expected[0].words[1]) if expected else None
    passes = path.name.startswith("pass_")
    if not passes and not path.name.startswith("fail_"):
        yield "a case is named pass_<what>.test or fail_<what>.test"
    if status is None or (status == 0) != passes:
        yield "`--- exit` must be there, 0 for pass_ and another for fail_"
    if result.returncode != status:
        yield f"expected exit status {status}, found {result.returncode}"
    if re.search(r"internal fault|Sanitizer|runtime error:", err):
        yield "the program has a fault of its own"
    resident_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if resident_kib > MAX_RESIDENT_KIB:
        yield f"the program took {resident_kib >> 10} MiB of memory"
    for section in sections:
        if section.words[0] == "stdout":
            yield from text_faults(section, out)
        elif section.words[0] == "stderr":
            yield from text_faults(section, err)


def rewrite(path, result):
    """Puts what was found into the exact sections of the case."""
    found = {"stdout": result.stdout.decode("utf-8"), "stderr": result.stderr.decode("utf-8")}
    lines, skipping = [], False
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("--- "):
            words = line[4:].split()
            skipping = words[0] in found and words[1:] in ([], ["exact"])
            lines.append(line)
            if skipping:
                lines.append(found[words[0]])
        elif not skipping:
            lines.append(line)
    path.write_text("".join(lines), encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--write", action="store_true", help="rewrite the exact expectations")
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("case", type=pathlib.Path)
    options = arguments.parse_args()
    program = options.program.resolve()
    sections = parse(options.case)
    with tempfile.TemporaryDirectory(prefix="assay-cli-") as name:
        folder = pathlib.Path(name)
        prepare(sections, folder)
        script = "".join(section.text for section in sections if section.words[0] == "command")
        before = "".join(section.text for section in sections if section.words[0] == "setup")
        if before:
            prepared = run("set -e\n" + before, program, folder)
            if prepared.returncode != 0:
                sys.exit(f"the set-up of the case failed:\n{prepared.stderr.decode()}")
        result = run(script, program, folder)
        if options.write:
            rewrite(options.case, result)
            sections = parse(options.case)
        faults = list(faults_of(options.case, sections, result))
    for fault in faults:
        print(fault)
    if faults:
        print(f"--- command\n{script}--- exit {result.returncode}\n--- stdout\n{result.stdout.decode(errors='replace')}"
              f"--- stderr\n{result.stderr.decode(errors='replace')}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
