import ast
import gzip
import pathlib
import threading

import pytest

import assay
import assay._native

TESTS = pathlib.Path(__file__).parents[1]
REFUSED = "toy serve --model-path m --backend fast --cache-dtype bf16"
ACCEPTED = "toy serve --model-path m --backend fast --cache-dtype fp8"
LOG = "ValueError: the fast backend needs an fp8 cache, got bf16.\n"
RULE = "toy/cache/fast-backend-without-fp8"


@pytest.fixture(scope="module")
def toy():
    return assay.Knowledge(TESTS / "cli/knowledge")


@pytest.mark.parametrize("launch", [REFUSED, REFUSED.split(),
                                    {"model_path": "m", "backend": "fast", "cache_dtype": "bf16"}])
def test_a_launch_is_a_text_or_words_or_a_map(toy, launch):
    report = toy.check(launch, facts={"gpu.sm": 90})
    assert not report.ok
    assert [one.rule for one in report.findings] == [RULE]
    assert report.findings[0].severity == "error"
    assert report.repairs


def test_a_launch_without_faults_raises_nothing(toy):
    report = toy.check(ACCEPTED, facts=["gpu.sm=90"])
    assert report.ok and report.findings == ()
    report.raise_for_errors()


def test_an_exception_carries_the_findings(toy):
    with pytest.raises(assay.LaunchError, match=RULE) as caught:
        toy.check(REFUSED, facts={"gpu.sm": 90}).raise_for_errors()
    assert caught.value.findings[0].rule == RULE
    assert "--cache-dtype fp8" in caught.value.report.repairs[0].command


def test_what_is_undecided_says_what_it_waits_for(toy):
    assert "gpu.sm" in toy.check(REFUSED).missing_facts


def test_what_it_runs_on_is_said_as_on_the_command_line(toy, tmp_path):
    assert [one.rule for one in toy.check(REFUSED, gpu="H200x8").findings] == [RULE]
    assert "gpu.sm" not in toy.check(REFUSED, gpu="H200x8").missing_facts
    config = tmp_path / "config.json"
    config.write_text('{"architectures": ["DeepseekV3ForCausalLM"]}')
    launch = "python -m sglang.launch_server --model-path m --tp 8"
    unknown = assay.check(launch, gpu="H200x8", engine_version="0.5.20").missing_facts
    assert any(name.startswith("model.") for name in unknown)
    for given in (config, {"architectures": ["DeepseekV3ForCausalLM"]}):
        known = assay.check(launch, gpu="H200x8", engine_version="0.5.20", model_config=given).missing_facts
        assert not any(name.startswith("model.") for name in known)


def test_a_public_model_is_known_by_its_name():
    launch = "python -m sglang.launch_server --tp 8 --model-path "
    public = assay.check(launch + "deepseek-ai/DeepSeek-V3").missing_facts
    assert any(name.startswith("model.") for name in assay.check(launch + "m").missing_facts)
    assert not any(name.startswith("model.") for name in public)


@pytest.mark.parametrize("launch, options, words", [
    (REFUSED, {"gpu": "Z80"}, "Z80"),
    (REFUSED, {"engine_version": "newest"}, "newest"),
    ("ls", {}, "toy serve|start|launch"),
    (REFUSED, {"facts": {"gpu.sn": 1}}, "gpu.sn"),
    (REFUSED, {"input": "nonsense"}, "`input` is \"nonsense\""),
])
def test_what_cannot_be_answered_says_why(toy, launch, options, words):
    with pytest.raises(assay.NoAnswer, match=words):
        toy.check(launch, **options)


def test_knowledge_that_is_not_there_is_refused():
    with pytest.raises(assay.NoAnswer):
        assay.Knowledge("/nowhere")


def test_a_log_is_a_text_or_bytes_or_a_file(toy, tmp_path):
    path = tmp_path / "log"
    path.write_text(LOG)
    for log in (LOG, LOG.encode(), path, b"\xfe\xfd\n" + LOG.encode(), LOG.encode("utf-16"), gzip.compress(LOG.encode())):
        assert [one.record for one in toy.explain(log).errors] == ["00000000000000a1"]
    assert toy.explain("all is well").errors == ()


def test_many_threads_use_one_knowledge(toy):
    faults = []

    def use():
        for _ in range(10):
            if toy.check(REFUSED).ok or not toy.explain(LOG).errors:
                faults.append("a wrong answer")

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_the_packaged_knowledge_knows_sglang():
    report = assay.check("python -m sglang.launch_server --model-path m --enable-hierarchical-cache "
                         "--disable-radix-cache")
    assert "sglang/kv-cache/hicache-without-radix-cache" in [one.rule for one in report.findings]


def test_the_stub_has_the_names_of_the_module():
    stub = ast.parse((pathlib.Path(assay.__file__).parent / "_native.pyi").read_text())
    declared = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(declared) == {name for name in dir(assay._native) if not name.startswith("_")}
    for name, node in declared.items():
        if not isinstance(node, ast.ClassDef) or name == "NoAnswer":
            continue
        members = {one.name for one in node.body if isinstance(one, ast.FunctionDef)} - {"__init__"}
        own = {one for one in vars(getattr(assay._native, name)) if not one.startswith("_") or "dlpack" in one}
        assert members == own, name
