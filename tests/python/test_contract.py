import pathlib

import numpy as np
import pytest

import assay
import dlpack
from prefill_case import arguments

YAML = pathlib.Path(__file__).parents[2] / "rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml"


@pytest.fixture(scope="module")
def contract():
    return assay.Contract(YAML.read_text())


def on_cuda(array, dtype):
    return dlpack.capsule(array.ctypes.data, dtype, array.shape, device=(2, 0))




def test_names_its_arguments(contract):
    assert contract.tensor_names[:3] == ("q", "kv", "indices")
    assert contract.scalar_names == ("sm_scale", "d_v")


def test_a_legal_call_breaks_nothing(contract):
    assert contract.check(**arguments(), profile="safety", back_end="cpu") == ()


def test_tensors_of_a_device_that_is_not_here_are_judged_by_their_metadata(contract):
    kept = arguments()
    call = {name: on_cuda(kept[name], dtype) for name, dtype in
            (("q", dlpack.FLOAT8_E4M3FN), ("kv", dlpack.BFLOAT16), ("indices", dlpack.INT32),
             ("q_scale", dlpack.FLOAT32), ("kv_scale", dlpack.FLOAT32))}
    violations = contract.check(**call, sm_scale=0.04)
    assert [one.message for one in violations] == ["kv must be torch.float8_e4m3fn, got torch.bfloat16"]
    assert violations[0].record == "f1f5ada3bbfdb861"
    assert violations[0].raw["stopsEngine"] is True


def test_the_engine_wants_more_than_safety_does(contract):
    assert "q must be a CUDA tensor" in [one.message for one in contract.check(**arguments(), profile="engine")]


@pytest.mark.parametrize("extra, error, words", [
    ({"nonsense": 1}, TypeError, "has no argument 'nonsense'"),
    ({"d_v": "wide"}, TypeError, "d_v: expected a number or a bool"),
    ({"d_v": 2**70}, ValueError, "d_v: the number needs more than 64 bits"),
    ({"profile": "loose"}, KeyError, "loose"),
])
def test_arguments_that_are_none_are_refused(contract, extra, error, words):
    with pytest.raises(error, match=words):
        contract.check(**arguments(), **extra)


def test_a_contract_with_faults_says_where_they_are():
    with pytest.raises(assay.NoAnswer, match="<contract>:1"):
        assay.Contract("kernel: 1\n")


def test_a_loaded_contract_tightens_the_one_built_in_and_never_loosens_it():
    text = YAML.read_text()
    tighter = assay.Contract(text.replace("require: s_q > 0 && s_kv > 0", "require: s_q > 5"))
    call = arguments()
    assert assay.check_sparse_mla_prefill(**call) == ()
    assert [one.id for one in assay.check_sparse_mla_prefill(**call, contract=tighter)] == ["some-query"]
    with pytest.raises(assay.ContractError):
        assay.sparse_mla_prefill(**call, contract=tighter)
    looser = assay.Contract(text.replace("dtype: int32, shape: [s_q, h_kv, topk]", "dtype: int64, shape: [s_q, h_kv, topk]"))
    call["indices"] = call["indices"].astype(np.int64)
    assert "indices-dtype" in [one.id for one in assay.check_sparse_mla_prefill(**call, contract=looser)]


def test_a_contract_of_the_knowledge_outlives_it():
    known = assay.knowledge()
    contract = assay.contract("sparse_mla_q8kv8_prefill_fwd", knowledge_of=known)
    del known
    assert contract.check(**arguments(), profile="safety") == ()
    with pytest.raises(KeyError):
        assay.contract("no_such_kernel")
