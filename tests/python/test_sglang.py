import dataclasses
import enum
import pathlib
import runpy
import sys
import types
from typing import Any, Optional

import msgspec
import pytest

import assay.sglang

EXAMPLE = pathlib.Path(__file__).parents[2] / "engine/bindings/python/examples/launch_sglang.py"
RULE = "sglang/kv-cache/hicache-without-radix-cache"


class Mode(enum.Enum):
    NULL = "null"


@dataclasses.dataclass
class ResolvedArgs:
    """As releases before 0.5.20 have it."""
    model_path: str
    enable_hierarchical_cache: bool = False
    disable_radix_cache: bool = False
    page_size: Optional[int] = None
    disaggregation_mode: Any = Mode.NULL
    loggers: Any = None


class RawArgs(msgspec.Struct, dict=True):
    """As later ones have it: unresolved until it is launched."""
    model_path: str
    enable_hierarchical_cache: bool = False
    disable_radix_cache: bool = False
    lora_paths: Optional[list] = None
    tags: list = msgspec.field(default_factory=list)

    def resolve_once(self) -> None:
        self._resolution_finished = True


def errors_of(report):
    return [one.rule for one in report.findings if one.severity == "error"]


def test_an_object_that_is_not_resolved_is_checked_as_it_was_typed():
    args = RawArgs("m", enable_hierarchical_cache=True, disable_radix_cache=True)
    report = assay.sglang.preflight(args, facts={"gpu.sm": 90})
    assert errors_of(report) == [RULE]
    assert report.raw["launches"][0]["stage"] == "raw"
    with pytest.raises(assay.LaunchError, match="mutually exclusive"):
        report.raise_for_errors()


def test_an_object_that_is_resolved_is_checked_as_it_stands():
    args = ResolvedArgs("m", enable_hierarchical_cache=True, disable_radix_cache=True, loggers=object())
    report = assay.sglang.preflight(args)
    assert RULE in errors_of(report)
    assert report.raw["launches"][0]["stage"] == "resolved"
    raw = RawArgs("m")
    raw.resolve_once()
    assert assay.sglang.preflight(raw).raw["launches"][0]["stage"] == "resolved"


def test_an_object_without_faults_passes():
    assert assay.sglang.preflight(RawArgs("m")).ok


def test_values_that_break_a_text_are_quoted():
    args = RawArgs("it's \"m\"\n{}", enable_hierarchical_cache=True, disable_radix_cache=True)
    assert errors_of(assay.sglang.preflight(args)) == [RULE]


@pytest.fixture
def engine(monkeypatch):
    """A stand-in for SGLang that notes what it launches."""
    launched = []
    modules = {name: types.ModuleType(name) for name in
               ("sglang", "sglang.launch_server", "sglang.srt", "sglang.srt.server_args")}
    modules["sglang.launch_server"].run_server = launched.append
    modules["sglang.srt.server_args"].prepare_server_args = lambda words: RawArgs(
        words[words.index("--model-path") + 1], enable_hierarchical_cache="--enable-hierarchical-cache" in words,
        disable_radix_cache="--disable-radix-cache" in words)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return launched


def test_the_example_launches_what_passes(engine, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x", "--model-path", "m"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert [one.model_path for one in engine] == ["m"]


def test_the_example_refuses_what_the_engine_would(engine, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["x", "--model-path", "m", "--enable-hierarchical-cache", "--disable-radix-cache"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert left.value.code == 1 and engine == []
    assert "mutually exclusive" in capsys.readouterr().err


def test_what_it_runs_on_is_said_or_found_in_the_models_folder(tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["DeepseekV3ForCausalLM"]}')
    missing = assay.sglang.preflight(ResolvedArgs(str(tmp_path)), gpu="H200x8", engine_version="0.5.19").missing_facts
    assert not [name for name in missing if name.startswith(("model.", "gpu."))]
    missing = assay.sglang.preflight(ResolvedArgs("m"), model_config={"architectures": ["LlamaForCausalLM"]}).missing_facts
    assert not [name for name in missing if name.startswith("model.")]
    with pytest.raises(assay.NoAnswer, match="Z80"):
        assay.sglang.preflight(ResolvedArgs("m"), gpu="Z80")
