#!/usr/bin/env python3
"""Proves that a shared library exports what its header declares and nothing else, each symbol with a version.

    tests/capi/check_exported_symbols.py LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys


def main(library, header):
    declared = set(re.findall(r"ASSAY_API[^;(]*?\b(assay_\w+)\(", pathlib.Path(header).read_text(encoding="utf-8")))
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", "--with-symbol-versions", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {}
    for line in listing.splitlines():
        _, kind, symbol = line.split()
        name, _, version = symbol.partition("@@")
        if kind != "A":  # the versions themselves
            exported[name] = version
    faults = [f"{name} is declared and not exported" for name in sorted(declared - exported.keys())]
    faults += [f"{name} is exported and not declared" for name in sorted(exported.keys() - declared)]
    faults += [f"{name} has no version" for name, version in sorted(exported.items()) if not version]
    if not declared:
        faults.append(f"{header} declares nothing")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
