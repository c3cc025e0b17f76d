#!/usr/bin/env python3
"""Proves that #include lines follow the layers: a file includes its own layer or a lower one, and a third-party
library's headers stay in the files that are its seam. Prints one line a fault; exit status 1 when there is one.

    tools/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

# Lowest first. `engine/bindings` and `tools` stand side by side on top.
ORDER = ["engine/base", "engine/text", "engine/model", "engine/read", "engine/compile", "engine/evaluate",
         "engine/report"]
TOP = ["engine/bindings", "kernels", "tools"]

# A header, and the only files that may include it.
SEAMS = [
    (r"yaml\.h$", r"engine/text/yaml_[a-z_]*\.cc$"),
    (r"nlohmann/", r"engine/text/json_[a-z_]*\.cc$|tools/bench/"),
    (r"re2/", r"engine/compile/pattern_[a-z_]*\.cc$|tools/bench/"),
    (r"(zlib|zstd)\.h$", r"engine/text/decompressed_stream\.cc$|tools/serve/served_file\.cc$"),
    (r"xxhash\.h$", r"engine/base/checksum\.cc$"),
    (r"hs/", r"tools/bench/"),
    (r"CLI/", r"tools/cli/"),
    (r"httplib\.h$", r"tools/serve/"),
    (r"hwy/", r"kernels/|engine/text/(byte_scan|log_places)\.cc$|engine/evaluate/literal_scan\.cc$"),
    (r"nanobind/", r"engine/bindings/python/"),
    (r"cuda_runtime", r"kernels/sparse_mla_prefill/cuda_runtime_static\.cc$|tools/bench/"),
    (r"dlfcn\.h$", r"tools/cli/machine_facts\.cc$"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    for layer in ORDER + TOP:
        if path == layer or path.startswith(layer + "/"):
            return layer
    return None


def may_include(user, used):
    if user == used:
        return True
    if user in TOP:
        return used in ORDER or (user == "tools" and used in TOP) or (user == "engine/bindings" and used == "kernels")
    return used in ORDER and ORDER.index(used) < ORDER.index(user)


def faults_of(root):
    for folder in ("engine", "kernels", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc", ".cuh", ".cu", ".c"):
                continue
            name = path.relative_to(root).as_posix()
            user = layer_of(name)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                header = match.group(2)
                place = f"{name}:{number}"
                is_third_party = any(re.match(pattern, header) for pattern, _ in SEAMS)
                if match.group(1) == '"' and not is_third_party:
                    used = layer_of(header)
                    if used is None:
                        yield f"{place}: \"{header}\" is not written as a path from the top of the tree"
                    elif "/generated/" not in header and not (root / header).is_file():
                        yield f"{place}: there is no {header}"
                    elif user is None or not may_include(user, used):
                        yield f"{place}: {user or name} is below {used} and may not include {header}"
                for pattern, allowed in SEAMS:
                    if re.match(pattern, header) and not re.match(allowed, name):
                        yield f"{place}: <{header}> is kept to files that match {allowed}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    faults = list(faults_of(root))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
