"""What comes back: reports with the fields that are used most, and `raw`, which is the whole JSON
(dataset/schema/*.schema.json describe it)."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Finding:
    """A rule that a launch breaks, or that waits for facts nobody gave."""

    rule: str
    severity: str  # "error", "warning" or "note"
    message: str  # as the engine words it
    summary: str
    solutions: Tuple[str, ...]
    record: Optional[str]  # id of the error record
    waits_for: Tuple[str, ...]  # undecided: the facts nobody gave
    raw: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def _of(raw: Mapping[str, Any]) -> "Finding":
        return Finding(raw["rule"], raw["severity"], raw["message"], raw["summary"], tuple(raw["solutions"]),
                       raw.get("record"), tuple(raw.get("waitsFor", ())), raw)


@dataclass(frozen=True)
class Repair:
    """A launch that breaks no rule, and what was changed."""

    command: str
    changes: Tuple[Mapping[str, Any], ...]
    why: str


@dataclass(frozen=True)
class CheckReport:
    """Of all launches that were found in the input together."""

    findings: Tuple[Finding, ...]  # in the engine's order
    undecided: Tuple[Finding, ...]
    repairs: Tuple[Repair, ...]  # best first
    missing_facts: Tuple[str, ...]  # would decide more
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def ok(self) -> bool:
        """No finding of severity error."""
        return all(launch["ok"] for launch in self.raw["launches"])

    def raise_for_errors(self) -> None:
        """Raises LaunchError where the engine would refuse the launch."""
        if not self.ok:
            raise LaunchError(self)

    @staticmethod
    def _of(text: str) -> "CheckReport":
        raw = json.loads(text)
        launches = raw["launches"]
        return CheckReport(
            tuple(Finding._of(one) for launch in launches for one in launch["findings"]),
            tuple(Finding._of(one) for launch in launches for one in launch["undecided"]),
            tuple(Repair(one["command"], tuple(one["changes"]), one.get("why", ""))
                  for launch in launches for one in launch["repairs"]),
            tuple(dict.fromkeys(one["name"] for launch in launches for one in launch["missingFacts"])), raw)


class LaunchError(ValueError):
    """A launch that the engine would refuse; `findings` says every reason."""

    def __init__(self, report: CheckReport) -> None:
        self.report = report
        self.findings = tuple(one for one in report.findings if one.severity == "error")
        super().__init__("\n".join(f"{one.rule}: {one.message}" for one in self.findings))


@dataclass(frozen=True)
class KnownError:
    """A known error that was found in a log."""

    record: str
    message: str
    line: int
    documentation: str
    solutions: Tuple[str, ...]
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class ExplainReport:
    errors: Tuple[KnownError, ...]  # the likely cause first
    raw: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def _of(text: str) -> "ExplainReport":
        raw = json.loads(text)
        return ExplainReport(
            tuple(KnownError(one["record"], one["message"], one["line"], one["documentation"],
                             tuple(one["solutions"]), one) for log in raw["texts"] for one in log["errors"]), raw)


@dataclass(frozen=True)
class Violation:
    """A demand of a contract that a call does not meet."""

    id: str  # the clause's
    argument: str
    expected: str
    found: str
    message: str  # as the engine words it, where it has the check
    record: Optional[str]
    raw: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def _all_of(report: Optional[str]) -> "Tuple[Violation, ...]":
        if report is None:
            return ()
        return tuple(Violation(one["id"], one["argument"], one["expected"], one["found"], one["message"],
                               one.get("record"), one) for one in json.loads(report)["violations"])


class ContractError(ValueError):
    """A kernel call that breaks its contract; `violations` says everything that is wrong with it."""

    def __init__(self, kernel: str, violations: Tuple[Violation, ...]) -> None:
        self.kernel = kernel
        self.violations = violations
        super().__init__(f"{kernel}: " + "; ".join(one.message for one in violations))
