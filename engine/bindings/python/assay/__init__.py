"""Tests a launch configuration, an error log or a kernel call against what is known.

    report = assay.check("python -m sglang.launch_server --model-path MODEL --tp 8", facts={"gpu.sm": 90})
    for finding in report.findings:
        print(finding.rule, finding.message)

Everything is safe to call from many threads; work that takes long runs without the interpreter lock, and is ended by
Ctrl-C, or from another thread by the Cancellation that it was given.
"""
from assay._contract import Contract, PrefillOutput, check_sparse_mla_prefill, contract, sparse_mla_prefill
from assay._knowledge import Knowledge, check, explain, knowledge
from assay._native import Cancellation, Cancelled, NoAnswer, Tensor
from assay._native import version as _version
from assay._reports import (CheckReport, ContractError, ExplainReport, Finding, KnownError, LaunchError, Repair,
                            Violation)

__version__: str = _version()

__all__ = ["Cancellation", "Cancelled", "CheckReport", "Contract", "ContractError", "ExplainReport", "Finding", "Knowledge", "KnownError",
           "LaunchError", "NoAnswer", "PrefillOutput", "Repair", "Tensor", "Violation", "check",
           "check_sparse_mla_prefill", "contract", "explain", "knowledge", "sparse_mla_prefill"]
