"""Checks SGLang's own argument object, in the process that is about to launch it.

    server_args = prepare_server_args(sys.argv[1:])
    assay.sglang.preflight(server_args).raise_for_errors()
    launch_server(server_args)
"""
from __future__ import annotations

import dataclasses
import enum
import os
import pathlib
import sys
from typing import Any, Dict, Optional, Sequence

from assay._knowledge import Facts, ModelConfig, check
from assay._reports import CheckReport

_LITERALS = (str, int, float, bool, type(None))


def preflight(server_args: Any, *, facts: Facts = (), gpu: Optional[str] = None, model_config: Optional[ModelConfig] = None,
              engine_version: Optional[str] = None) -> CheckReport:
    """Every rule that a ServerArgs object breaks. One that the engine has not resolved yet (since 0.5.20 it resolves
    when it launches) is checked as it was typed, so that all that is wrong is said at once; one that it has is checked as it
    stands. What it runs on is said as in assay.check; the model's config.json is read from its folder where that is here
    and `model_config` is not given. Nothing of the object is changed, and SGLang is not imported."""
    fields = _fields_of(server_args)
    said = {"facts": facts, "gpu": gpu, "engine_version": engine_version,
            "model_config": _config_of(fields.get("model_path")) if model_config is None else model_config}
    if _is_resolved(server_args):
        return check("ServerArgs(" + ", ".join(f"{name}={value!r}" for name, value in fields.items()) + ")",
                     input="dump", **said)
    defaults = _defaults_of(server_args)
    typed = {name: value for name, value in fields.items() if name not in defaults or defaults[name] != value}
    return check(f"non-default args: {typed!r}", input="dump", **said)


def _config_of(model_path: Any) -> Optional[pathlib.Path]:
    if not isinstance(model_path, str):
        return None
    config = pathlib.Path(model_path) / "config.json"
    return config if config.is_file() else None


def _is_resolved(server_args: Any) -> bool:
    """Releases before 0.5.20 have resolved an object as soon as it is made."""
    if not hasattr(type(server_args), "resolve_once"):
        return True
    return bool(getattr(server_args, "_resolution_finished", False))


def _fields_of(server_args: Any) -> Dict[str, Any]:
    names = [one.name for one in _declared_fields(server_args)] or \
            [name for name in vars(server_args) if not name.startswith("_")]
    values = {name: _literal(getattr(server_args, name)) for name in names if hasattr(server_args, name)}
    return {name: value for name, value in values.items() if value is not _NONE_OF_THEM}


def _declared_fields(server_args: Any) -> Sequence[Any]:
    """Of a dataclass, or of a msgspec.Struct, which it is since 0.5.20."""
    if dataclasses.is_dataclass(server_args):
        return dataclasses.fields(server_args)
    if hasattr(type(server_args), "__struct_fields__"):
        return sys.modules["msgspec"].structs.fields(server_args)
    return ()


_NONE_OF_THEM = object()


def _literal(value: Any) -> Any:
    """`value` as the text of a dump can hold it; what it cannot hold is left out, and so unknown."""
    if isinstance(value, enum.Enum):
        return _literal(value.value)
    if isinstance(value, _LITERALS):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        items = [_literal(item) for item in value]
        return _NONE_OF_THEM if any(item is _NONE_OF_THEM for item in items) else items
    if isinstance(value, dict):
        entries = {key: _literal(item) for key, item in value.items() if isinstance(key, str)}
        return _NONE_OF_THEM if len(entries) < len(value) or _NONE_OF_THEM in entries.values() else entries
    return _NONE_OF_THEM


def _defaults_of(server_args: Any) -> Dict[str, Any]:
    missing = (dataclasses.MISSING, getattr(sys.modules.get("msgspec"), "NODEFAULT", dataclasses.MISSING))
    defaults: Dict[str, Any] = {}
    for one in _declared_fields(server_args):
        if not any(one.default is absent for absent in missing):
            defaults[one.name] = _literal(one.default)
        elif not any(one.default_factory is absent for absent in missing):
            defaults[one.name] = _literal(one.default_factory())
    return defaults
