#!/usr/bin/env python3
"""What the real engine says to launch commands, on a CPU: resolution and check, never a server.

How: engine_stubs.py fakes what is not installed; the engine's argument parser, `resolve_once` and
`check_server_args` are the real ones. Each command runs in a forked child, because resolution writes
environment variables and caches. Reads JSON lines from standard input, writes one JSON line each:

    {"id": 7, "words": ["--model-path", "…"], "environment": {"SGLANG_X": "1"}}
    {"id": 7, "refused": true, "raises": "ValueError", "message": "…", "place": "sglang/…py:12", "logged": ["…"]}

Use:  PYTHON engine_verdicts.py --source TREE --machine H200 < commands > verdicts
PYTHON is one that has the engine's pure-Python dependencies (README.md says which).
"""

import argparse
import contextlib
import functools
import gc
import io
import json
import logging
import os
import resource
import select
import signal
import sys
import time
import traceback
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import engine_stubs

SECONDS = 60          # for one command; a slower one is reported as such
MEMORY = 8 << 30      # of one child


class Logged(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.lines = []

    def emit(self, record):
        with contextlib.suppress(Exception):
            self.lines.append([record.levelname.lower(), record.getMessage()])


def place_of(fault):
    """(innermost place in the engine, whether a fake raised it)."""
    frames = traceback.extract_tb(fault.__traceback__)
    inside = [f for f in frames if "/sglang/" in f.filename]
    place = ""
    if inside:
        path = inside[-1].filename
        place = f"sglang/{path.split('/sglang/', 1)[1]}:{inside[-1].lineno}"
    return place, bool(frames) and frames[-1].filename == engine_stubs.__file__


def judge(server_args, words):
    """The verdict on one command, in this process."""
    logged, errors = Logged(), io.StringIO()
    verdict = {"refused": False}
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            arguments = server_args.prepare_server_args(words)
            root = logging.getLogger()
            root.handlers[:] = [logged]
            arguments.resolve_once()
            arguments.check_server_args()
    except SystemExit:
        message = errors.getvalue().strip().splitlines()
        verdict = {"refused": True, "raises": "argparse", "place": "",
                   "message": message[-1].partition("error: ")[2] if message else ""}
    except BaseException as fault:
        place, faked = place_of(fault)
        verdict = {"refused": True, "raises": type(fault).__name__, "message": str(fault), "place": place}
        if faked:
            verdict["faked"] = True
    verdict["logged"] = logged.lines
    return verdict


def in_child(server_args, command):
    """The verdict of a forked child, or why there is none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.environ.update(command.get("environment", {}))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(judge(server_args, command["words"]), default=str).encode())
        os._exit(0)
    os.close(writing)
    data, end = b"", time.monotonic() + SECONDS
    while select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        data += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    os.waitpid(child, 0)
    try:
        return json.loads(data)
    except ValueError:
        return {"refused": True, "raises": "none", "message": "no answer in time", "place": "", "logged": []}


def build_parser_once(server_args):
    """The engine builds its parser of 550 flags for each command, which takes ten times as long as resolution."""
    parser = argparse.ArgumentParser(prog="sglang serve")
    server_args.ServerArgs.add_cli_args(parser)
    server_args.ServerArgs.add_cli_args = staticmethod(lambda parser: None)
    server_args.argparse = types.SimpleNamespace(**{**vars(argparse), "ArgumentParser": lambda **_: parser})
    import msgspec

    msgspec.structs.fields = functools.cache(msgspec.structs.fields)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--machine", required=True, choices=sorted(engine_stubs.MACHINES))
    options = parser.parse_args(words)
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
    sys.path.insert(0, str(options.source.resolve()))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the engine prints while it is imported is no answer
    import transformers  # noqa: F401  before the fakes: it must see that there is no torch

    engine_stubs.install(engine_stubs.MACHINES[options.machine])
    from sglang.srt import server_args
    import sglang.srt.arg_groups.pipeline  # noqa: F401  imported once, not in each child

    build_parser_once(server_args)
    for model in sorted(engine_stubs.MODELS.iterdir()):  # imports what resolution imports as it runs
        judge(server_args, ["--model-path", str(model)])
    gc.collect()
    gc.freeze()  # children share the parent's memory
    for line in sys.stdin:
        command = json.loads(line)
        answers.write(json.dumps({"id": command["id"], **in_child(server_args, command)}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
