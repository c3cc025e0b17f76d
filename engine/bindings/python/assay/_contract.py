"""Kernel contracts, and the FP8 sparse MLA prefill behind its own. Tensors are anything that speaks DLPack, or DLPack
capsules; they are looked at where they lie, never copied."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

from assay import _native
from assay._native import Cancellation
from assay._knowledge import Knowledge, knowledge
from assay._reports import ContractError, Violation

_PREFILL = "sparse_mla_q8kv8_prefill_fwd"
_PROFILES = {"safety": 1, "engine": 2, "both": 3}


class Contract:
    """What a kernel demands of its arguments. Immutable."""

    def __init__(self, yaml: "str | bytes") -> None:
        """From the text of a rules/kernels/<kernel>.yaml. Raises NoAnswer with everything wrong in it."""
        self._native = _native.Contract(yaml.encode() if isinstance(yaml, str) else yaml)

    @property
    def tensor_names(self) -> Tuple[str, ...]:
        return self._native.tensor_names

    @property
    def scalar_names(self) -> Tuple[str, ...]:
        return self._native.scalar_names

    def check(self, *, profile: str = "both", back_end: Optional[str] = None, **arguments: Any) -> Tuple[Violation, ...]:
        """Everything wrong with a call of these arguments, the engine's clauses in its order first; () where nothing
        is. Reads metadata only. `profile`: "safety" (what keeps the kernel from touching what it must not), "engine"
        (what the engine's wrapper refuses) or "both"."""
        return Violation._all_of(self._native.check(_PROFILES[profile], back_end, arguments))


def contract(kernel: str, *, knowledge_of: Optional[Knowledge] = None) -> Contract:
    """The contract of a kernel of the knowledge; KeyError where there is none."""
    native = (knowledge_of or knowledge())._native.contract(kernel)
    if native is None:
        raise KeyError(kernel)
    made = Contract.__new__(Contract)
    made._native = native
    return made


class PrefillOutput(NamedTuple):
    out: Any  # bfloat16 [s_q, h_q, 512]; what was given, else an assay.Tensor
    max_logits: Any  # float32 [s_q, h_q]
    lse: Any  # float32 [s_q, h_q]
    out_of_range_indices: int  # taken as "no token"
    out_of_range_lengths: int


def check_sparse_mla_prefill(q: Any, kv: Any, indices: Any, q_scale: Any, kv_scale: Any, sm_scale: float, *,
                             topk_length: Any = None, attn_sink: Any = None, out: Any = None, max_logits: Any = None,
                             lse: Any = None, d_v: int = 512, contract: Optional[Contract] = None,
                             ) -> Tuple[Violation, ...]:
    """What keeps sparse_mla_prefill from taking a call; () where nothing does. `contract` is asked in addition."""
    return Violation._all_of(_native.prefill_check(q, kv, indices, q_scale, kv_scale, sm_scale, topk_length, attn_sink,
                                                   out, max_logits, lse, d_v,
                                                   None if contract is None else contract._native))


def sparse_mla_prefill(q: Any, kv: Any, indices: Any, q_scale: Any, kv_scale: Any, sm_scale: float, *,
                       topk_length: Any = None, attn_sink: Any = None, out: Any = None, max_logits: Any = None,
                       lse: Any = None, d_v: int = 512, checked: bool = False, threads: int = 0,
                       contract: Optional[Contract] = None, stream: int = 0, status: Any = None,
                       cancellation: Optional[Cancellation] = None) -> PrefillOutput:
    """FP8 sparse MLA prefill where the tensors are: q float8_e4m3fn [s_q, h_q, d_qk], kv float8_e4m3fn
    [s_kv, 1, d_qk], indices int32 [s_q, 1, topk] (-1 or out of range: no token), scales float32 of one element.
    Outputs that are not given are made. `checked` refuses indices and lengths out of range, which are counted
    otherwise. A call that breaks the contract raises ContractError, and has touched no output.

    Ctrl-C (any signal whose handler raises, in the main thread) and `cancellation`, requested from another thread, end
    the call within milliseconds, the latter with Cancelled. Outputs that were given then have the rows of the queries
    that were done; the others are as they were.

    CUDA tensors, of a Hopper GPU: the call is queued on `stream` (a cudaStream_t as a number) and waits for nothing.
    `status`, int32 [2] on the same device, counts indices and lengths out of range, which are 0 in the result. Raises
    NoAnswer where a call of the CUDA run time fails. Outputs that are made here are to go before the stream does."""
    report, *made = _native.prefill(q, kv, indices, q_scale, kv_scale, sm_scale, topk_length, attn_sink, out, max_logits,
                                    lse, d_v, None if contract is None else contract._native, checked, threads, stream, status,
                                    cancellation)
    if report is not None:
        raise ContractError(_PREFILL, Violation._all_of(report))
    return PrefillOutput(*made)
