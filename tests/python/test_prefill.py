import sys
import threading
import time
import types

import numpy as np
import pytest

import assay
import dlpack
from prefill_case import D_QK, H_Q, MEAN, S_KV, S_Q, TOPK, aligned, arguments, bfloat16, fp8_capsule


def test_makes_outputs_that_numpy_takes_without_a_copy():
    made = assay.sparse_mla_prefill(**arguments())
    assert (made.out.shape, made.out.dtype) == ((S_Q, H_Q, 512), "bfloat16")
    assert (bfloat16(made.out) == MEAN).all()
    lse = np.from_dlpack(made.lse)
    assert lse.dtype == np.float32 and np.allclose(lse, np.log(S_KV))
    assert (np.from_dlpack(made.max_logits) == 0).all()
    assert made.out_of_range_indices == 0
    kept = np.from_dlpack(made.lse)
    assert kept.ctypes.data == lse.ctypes.data
    del made, lse
    assert np.allclose(kept, np.log(S_KV))  # the array keeps the memory


def test_writes_into_outputs_that_are_given():
    outputs = {"max_logits": aligned((S_Q, H_Q), np.float32), "lse": aligned((S_Q, H_Q), np.float32)}
    outputs["lse"][:] = 7
    made = assay.sparse_mla_prefill(**arguments(), **outputs)
    assert made.lse is outputs["lse"]
    assert np.allclose(outputs["lse"], np.log(S_KV))


def test_takes_fp8_as_raw_capsules_and_gives_them_back():
    call = arguments()
    keep = call["q"], call["kv"]
    call["q"] = fp8_capsule(keep[0])
    call["kv"] = dlpack.Exporter(fp8_capsule(keep[1], version=(1, 1)))
    for _ in range(2):
        assert (bfloat16(assay.sparse_mla_prefill(**call).out) == MEAN).all()
    assert dlpack.name_of(call["q"]) == "dltensor"


def test_a_capsule_that_was_consumed_is_refused():
    call = arguments()
    call["q"] = fp8_capsule(call["q"])
    dlpack.consume(call["q"])
    with pytest.raises(ValueError, match="^q: the DLPack capsule has been used already$"):
        assay.sparse_mla_prefill(**call)


def test_a_capsule_stands_for_one_argument():
    call = arguments()
    call["q_scale"] = call["kv_scale"] = dlpack.capsule(call["q_scale"].ctypes.data, dlpack.FLOAT32, (1,))
    with pytest.raises(ValueError, match="^kv_scale: the DLPack capsule has been used already$"):
        assay.sparse_mla_prefill(**call)
    assert dlpack.name_of(call["q_scale"]) == "dltensor"


@pytest.mark.parametrize("given, error, words", [
    ([1.0], TypeError, "expected a tensor .* got list"),
    (dlpack.Exporter(3), TypeError, "__dlpack__ gave no capsule, but int"),
    (dlpack.capsule(64, (2, 32), (1,), name=b"other"), TypeError, 'a capsule named "other"'),
    (dlpack.capsule(64, (2, 32), (1,), version=(2, 0)), ValueError, "a tensor of DLPack 2.0"),
    (np.array(["a"]), ValueError, "cannot be exported by DLPack"),
])
def test_what_is_no_tensor_is_refused_by_name(given, error, words):
    with pytest.raises(error, match=f"^q_scale: .*{words}"):
        assay.sparse_mla_prefill(**{**arguments(), "q_scale": given})


def test_inputs_may_be_read_only_and_outputs_may_not():
    call = arguments()
    for name in ("q", "indices", "kv_scale"):
        call[name].flags.writeable = False
    assert (bfloat16(assay.sparse_mla_prefill(**call).out) == MEAN).all()
    lse = aligned((S_Q, H_Q), np.float32)
    lse.flags.writeable = False
    with pytest.raises(ValueError, match="^lse: may not be written$"):
        assay.sparse_mla_prefill(**call, lse=lse)


def test_a_refusal_carries_everything_that_is_wrong_and_touches_no_output():
    call = arguments()
    call["indices"] = call["indices"].astype(np.int64)
    call["kv_scale"] = np.ones(2, np.float32)
    lse = np.full((S_Q, H_Q), 7, np.float32)
    with pytest.raises(assay.ContractError) as caught:
        assay.sparse_mla_prefill(**call, lse=lse)
    assert [one.id for one in caught.value.violations] == ["indices-dtype", "scale-is-scalar"]
    first = caught.value.violations[0]
    assert (first.argument, first.expected, first.found) == ("indices", "torch.int32", "torch.int64")
    assert first.message == "indices must be int32, got torch.int64" and first.record == "0213d9c449870c7d"
    assert "indices must be int32" in str(caught.value)
    assert (lse == 7).all()


@pytest.mark.parametrize("changes, words", [
    ({"shape": (S_Q, D_QK)}, "q must have shape"),
    ({"shape": (0, H_Q, D_QK)}, "must have at least one row"),
    ({"shape": (2**62, H_Q, D_QK)}, "q .*2\\^31|q .*extent|q "),
    ({"shape": (S_Q, H_Q, D_QK), "offset": 8}, "q must be aligned to 16 bytes"),
    ({"shape": (S_Q, H_Q, D_QK), "device": (2, 1)}, "kv must be on q's device cuda:1, got cpu"),
    ({"shape": (S_Q, H_Q, D_QK), "device": (999, -7)}, "q must be a CPU or CUDA tensor"),
    ({"shape": (S_Q, H_Q, D_QK), "strides": (-1, 0, 2**63 - 1)}, "q must be contiguous"),
])
def test_wrong_metadata_is_refused(changes, words):
    call = arguments()
    memory = call["q"]
    call["q"] = dlpack.capsule(memory.ctypes.data, dlpack.FLOAT8_E4M3FN, **changes)
    with pytest.raises(assay.ContractError, match=words):
        assay.sparse_mla_prefill(**call)
    assert assay.check_sparse_mla_prefill(**call)


def test_a_call_on_a_gpu_that_is_not_there_says_what_failed():
    call = arguments()
    kept = {name: call[name] for name in ("q", "kv", "indices", "q_scale", "kv_scale")}
    types = {"q": dlpack.FLOAT8_E4M3FN, "kv": dlpack.FLOAT8_E4M3FN, "indices": (0, 32), "q_scale": (2, 32), "kv_scale": (2, 32)}
    for name, memory in kept.items():
        call[name] = dlpack.capsule(memory.ctypes.data, types[name], memory.shape, device=(2, 1000))
    assert assay.check_sparse_mla_prefill(**call) == ()
    with pytest.raises(assay.NoAnswer, match="cudaGetDeviceCount: cudaError|no cuda:1000|no code for GPUs"):
        assay.sparse_mla_prefill(**call, stream=7)


def test_a_null_pointer_and_too_many_dimensions_are_refused():
    call = arguments()
    with pytest.raises(assay.ContractError, match="q must not be a null pointer"):
        assay.sparse_mla_prefill(**{**call, "q": dlpack.capsule(0, (10, 8), (S_Q, H_Q, D_QK))})
    with pytest.raises(assay.NoAnswer, match="`q` has 65 dimensions"):
        assay.sparse_mla_prefill(**{**call, "q": dlpack.capsule(64, (10, 8), (1,) * 65)})


def test_indices_out_of_range_are_counted_or_refused():
    call = arguments()
    call["indices"][1, 0, 7] = 1000
    assert assay.sparse_mla_prefill(**call).out_of_range_indices == 1
    with pytest.raises(assay.ContractError, match="indices values must satisfy") as caught:
        assay.sparse_mla_prefill(**call, checked=True)
    assert caught.value.violations[0].id == "indices-range"


def test_outputs_that_overlap_are_refused():
    room = aligned((2 * S_Q, H_Q), np.float32)
    with pytest.raises(assay.ContractError, match="must not alias each other"):
        assay.sparse_mla_prefill(**arguments(), lse=room[:S_Q], max_logits=room[1:S_Q + 1])


def test_other_threads_run_during_a_prefill():
    call = arguments()
    call["q"] = aligned((128, 128, D_QK), call["q"].dtype)
    call["indices"] = np.zeros((128, 1, TOPK * 4), np.int32)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.perf_counter()
    assay.sparse_mla_prefill(**call, threads=1)
    end = time.perf_counter()
    done.set()
    ticker.join()
    assert sum(begin < at < end for at in ticks) >= 2


def test_many_threads_at_a_time():
    call = arguments()
    faults = []

    def use():
        for _ in range(5):
            if not (bfloat16(assay.sparse_mla_prefill(**call).out) == MEAN).all():
                faults.append("a wrong result")

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_torch_is_asked_for_what_does_not_wait_for_a_stream_and_for_bytes_where_it_cannot_export_fp8(monkeypatch):
    """With a stand-in for an older PyTorch."""
    class Tensor:
        def __init__(self, array, dtype):
            self.array, self.dtype = array, dtype

        def __dlpack__(self):
            raise AssertionError("this waits for a stream")

        def view(self, dtype):
            return Tensor(self.array.view(np.uint8), dtype)

    def to_dlpack(tensor):
        if tensor.dtype in ("torch.float8_e4m3fn", "torch.odd"):
            raise RuntimeError(f"{tensor.dtype} is not supported by dlpack")
        return tensor.array.__dlpack__()

    Tensor.__module__ = "torch"
    torch, dlpack_module = types.ModuleType("torch"), types.ModuleType("torch.utils.dlpack")
    torch.uint8, dlpack_module.to_dlpack = "torch.uint8", to_dlpack
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.utils.dlpack", dlpack_module)
    call = arguments()
    for name, dtype in (("q", "torch.float8_e4m3fn"), ("kv", "torch.float8_e4m3fn"), ("indices", "torch.int32")):
        call[name] = Tensor(call[name], dtype)
    assert (bfloat16(assay.sparse_mla_prefill(**call).out) == MEAN).all()
    call["q"].dtype = "torch.odd"
    with pytest.raises(ValueError, match="^q: cannot be exported by DLPack: torch.odd is not supported"):
        assay.sparse_mla_prefill(**call)


def test_torch_tensors():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; raw capsules stand for its FP8")
    call = arguments()
    for name in ("indices", "q_scale", "kv_scale"):
        call[name] = torch.from_numpy(call[name])
    if hasattr(torch, "float8_e4m3fn"):
        for name in ("q", "kv"):
            call[name] = torch.from_numpy(call[name].view(np.uint8)).view(torch.float8_e4m3fn)
    out = torch.empty((S_Q, H_Q, 512), dtype=torch.bfloat16)
    made = assay.sparse_mla_prefill(**call, out=out)
    assert made.out is out and bool((out == MEAN).all())
    assert torch.from_dlpack(made.lse).shape == (S_Q, H_Q)
