"""Checks and explanations. The knowledge is packaged with this package; ASSAY_KNOWLEDGE, as for the program, or an
argument names another folder that holds rules/ and dataset/."""
from __future__ import annotations

import json
import os
import pathlib
import shlex
import threading
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from assay import _native
from assay._native import Cancellation
from assay._reports import CheckReport, ExplainReport

Facts = Union[Mapping[str, object], Iterable[str]]
ModelConfig = Union[Mapping[str, object], "os.PathLike[str]"]

_lock = threading.Lock()
_default: "Optional[Knowledge]" = None


class Knowledge:
    """Loaded rules, contracts and error records. Immutable; loading takes some 0.2 s."""

    def __init__(self, folder: "str | os.PathLike[str]") -> None:
        self.folder = os.fspath(folder)
        self._native = _native.Knowledge(self.folder)

    def check(self, launch: "str | Sequence[str] | Mapping[str, Any]", *, facts: Facts = (),
              input: Optional[str] = None, gpu: Optional[str] = None, model_config: Optional[ModelConfig] = None,
              engine_version: Optional[str] = None, cancellation: Optional[Cancellation] = None) -> CheckReport:
        """Every rule that a launch breaks. `launch` is a text (a command, script, engine config file, manifest,
        Dockerfile, systemd unit, ServerArgs dump, /server_info answer; `input` says which where the text does not:
        "command", "map", "dump", "server-info", "manifest", "dockerfile", "unit"), the words of a command, or a map
        of arguments. What it runs on is said as on the command line: `gpu` "H200x8", `facts` {"gpu.sm": 90} or
        ["gpu.sm=90"], `engine_version` "0.5.23" (the newest that the rules cover), `model_config` the model's config.json
        as a mapping or a pathlib.Path (what is known of a public model).

        Raises NoAnswer where the input, or what is said besides it, cannot be read; Cancelled."""
        if isinstance(launch, str):
            text = launch
        elif isinstance(launch, Mapping):
            text, input = json.dumps(dict(launch)), input or "map"
        else:
            text, input = shlex.join(launch), input or "command"
        return CheckReport._of(self._native.check(text.encode("utf-8", "surrogateescape"), input, _fact_list(facts), gpu,
                                                  engine_version, _config_text(model_config), cancellation))

    def explain(self, log: "str | bytes | os.PathLike[str]", *, cancellation: Optional[Cancellation] = None) -> ExplainReport:
        """The known errors in a log: its text, or the path of its file, which may be compressed, as a pathlib.Path.

        Raises NoAnswer where it is no text; Cancelled."""
        if isinstance(log, os.PathLike):
            log = pathlib.Path(log).read_bytes()
        elif isinstance(log, str):
            log = log.encode("utf-8", "surrogateescape")
        return ExplainReport._of(self._native.explain(log, cancellation))


def knowledge() -> Knowledge:
    """The knowledge that `check` and `explain` use, loaded when first asked for."""
    global _default
    with _lock:
        if _default is None:
            packaged = pathlib.Path(__file__).parent / "knowledge"
            _default = Knowledge(os.environ.get("ASSAY_KNOWLEDGE") or packaged)
        return _default


def check(launch: "str | Sequence[str] | Mapping[str, Any]", *, facts: Facts = (), input: Optional[str] = None,
          gpu: Optional[str] = None, model_config: Optional[ModelConfig] = None, engine_version: Optional[str] = None,
          cancellation: Optional[Cancellation] = None) -> CheckReport:
    """As Knowledge.check, with the knowledge of this package."""
    return knowledge().check(launch, facts=facts, input=input, gpu=gpu, model_config=model_config,
                             engine_version=engine_version, cancellation=cancellation)


def explain(log: "str | bytes | os.PathLike[str]", *, cancellation: Optional[Cancellation] = None) -> ExplainReport:
    """As Knowledge.explain, with the knowledge of this package."""
    return knowledge().explain(log, cancellation=cancellation)


def _fact_list(facts: Facts) -> "list[str]":
    if not isinstance(facts, Mapping):
        return [facts] if isinstance(facts, str) else list(facts)
    return [f"{name}={_fact_text(value)}" for name, value in facts.items()]


def _config_text(config: Optional[ModelConfig]) -> Optional[bytes]:
    if config is None:
        return None
    return json.dumps(dict(config)).encode() if isinstance(config, Mapping) else pathlib.Path(config).read_bytes()


def _fact_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
