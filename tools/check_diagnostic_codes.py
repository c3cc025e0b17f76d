#!/usr/bin/env python3
"""Proves that each diagnostic code stands once in engine/text/diagnostic.h, is emitted by the product, and is named by
a test. Prints one line a fault; exit status 1 when there is one.

    tools/check_diagnostic_codes.py [ROOT]
"""
import collections
import pathlib
import re
import sys

DECLARATION = re.compile(r'inline constexpr DiagnosticCode (\w+)\{"([a-z0-9-]+)"\};')
SOURCES = {".h", ".cc", ".cu", ".cuh", ".c"}


def text_below(root, folders, suffixes, leave_out=()):
    texts = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes and path not in leave_out:
                texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(texts)


def faults_of(root):
    header = root / "engine/text/diagnostic.h"
    declared = DECLARATION.findall(header.read_text(encoding="utf-8"))
    for position in (0, 1):
        for name, count in collections.Counter(pair[position] for pair in declared).items():
            if count > 1:
                yield f"{name}: declared {count} times"
    used = set(re.findall(r"\bcode::(\w+)", text_below(root, ["engine", "kernels", "tools"], SOURCES, {header})))
    tested = text_below(root, ["tests"], SOURCES | {".test", ".txt", ".json", ".jsonl", ".py", ".yaml"})
    tested_names = set(re.findall(r"\bcode::(\w+)", tested))
    for identifier, name in declared:
        if identifier not in used:
            yield f"{name}: nothing emits code::{identifier}"
        if identifier not in tested_names and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", tested):
            yield f"{name}: no test names it"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    faults = list(faults_of(root))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
