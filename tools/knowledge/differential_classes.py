"""Says how our answer to a command relates to the engine's: they agree, or why they do not.

| class | means |
|---|---|
| agree | both accept, or both refuse with the same first message |
| rule missing | the engine refuses; no rule of ours has its message |
| condition wrong | the engine refuses with a message of one of our rules, which we found satisfied |
| facts unknown | the engine refuses with a message of one of our rules, which we left undecided |
| too strict | we refuse, the engine accepts |
| order | both refuse; the engine's message is among ours, not the first |
| wording | both refuse, at the same rule; the text differs |
| message missing | both refuse; the engine's message is not among ours |
| stub artefact | the engine stopped at something faked, or at what this machine has not (files, network, packages) |
"""

import re

from differential_commands import template_pattern

OUTSIDE = {"FileNotFoundError", "ConnectionError", "OSError", "ImportError", "ModuleNotFoundError", "PermissionError",
           "gaierror", "LocalEntryNotFoundError", "HFValidationError", "RepositoryNotFoundError", "none"}
NOT_CHECKS = {"AttributeError", "TypeError", "KeyError", "IndexError", "ZeroDivisionError", "NameError",
              "UnboundLocalError", "OverflowError"}   # the engine crashed; a check would have raised something else
OF_THIS_MACHINE = re.compile(r"file not found: |[Ii]nstall it with|[Pp]lease install |is not installed|failed to read watermark config JSON|"
                             r"InfiniBand sysfs path not found|expert-pack file does not exist|install the plugin that provides it")
FAKED_REGISTRY = "Unknown diffusion LLM algorithm: LowConfidence"   # the engine's own algorithms need a real torch to register
PRINTED_SET = re.compile(r"(?<=Allowed modalities are: \[)[^\]]*")       # the engine prints a set: in another order each time
ARGPARSE_PREFIX = re.compile(r"argument [^:]+: ")
NEAR_LINES = 12   # a statement's lines: a rule names its condition or its message


def plain(text):
    text = ARGPARSE_PREFIX.sub("", re.sub(r"\s+", " ", text or "").strip(), count=1)
    return PRINTED_SET.sub(lambda found: ", ".join(sorted(found.group().split(", "))), text)


def same_refusal(verdict, finding):
    """Whether a finding says what the engine says; a bare assert says nothing, so there the place is compared."""
    if verdict["message"]:
        return plain(finding["message"]) == plain(verdict["message"])
    path, _, line = verdict["place"].rpartition(":")
    source = finding.get("source", {})
    return source.get("file", "").endswith(path) and abs(source.get("line", -999) - int(line or 0)) <= NEAR_LINES


def is_artefact(verdict):
    if FAKED_REGISTRY in verdict["message"]:
        return True
    if verdict.get("faked") or verdict["raises"] in OUTSIDE or OF_THIS_MACHINE.search(verdict["message"]):
        return True
    return "fake." in verdict["message"] or "'FakeClass'" in verdict["message"]


def rule_of(message, rules):
    """The id of a rule whose message covers the engine's, the one with the most text of its own."""
    text, best, longest = plain(message), "", 0
    for identity, rule in rules.items():
        template = plain(rule.get("message", ""))
        own = len(re.sub(r"\{[^{}]*\}", "", template))
        if rule.get("severity") == "error" and own > max(longest, 7) and template_pattern(template).fullmatch(text):
            best, longest = identity, own
    return best


def subject_of(verdict):
    """The engine's refusal in one line: its class, place, and the start of its message."""
    return f"{verdict['raises']} at {verdict['place'] or 'the parser'}: {plain(verdict['message'])[:150]}"


def classify(verdict, launch, rules, later):
    """{"class": …, "subject": …, "ours": first message of ours or null}. `later` holds the rules of what comes
    after the check of the arguments; the engine did not get there, so their findings do not count."""
    if launch is None:
        return {"class": "not read", "subject": "assay found no launch in the script", "ours": None}
    errors = [f for f in launch["findings"] if f["severity"] == "error" and f["verdict"] == "violated"
              and f["rule"] not in later]
    first = next((f for f in errors if f.get("stops")), errors[0] if errors else None)
    ours = first["message"] if first else None
    if not verdict["refused"]:
        if first is None:
            return {"class": "agree", "subject": "", "ours": None}
        return {"class": "too strict", "subject": first["rule"], "ours": ours}
    if is_artefact(verdict):
        return {"class": "stub artefact", "subject": subject_of(verdict), "ours": ours}
    if first is not None and same_refusal(verdict, first):
        return {"class": "agree", "subject": "", "ours": ours}
    return {"ours": ours, **refused_otherwise(verdict, launch, errors, first, rules)}


def refused_otherwise(verdict, launch, errors, first, rules):
    said, rule = plain(verdict["message"]), rule_of(verdict["message"], rules)
    if any(same_refusal(verdict, finding) for finding in errors):
        return {"class": "order", "subject": f"{first['rule']} comes before {rule or said[:80]}"}
    if first is not None and (first["rule"] == rule or first["rule"].startswith("arguments/")
                              and verdict["raises"] == "argparse"):
        return {"class": "wording", "subject": f"{first['rule']}: {said[:90]} | {plain(first['message'])[:90]}"}
    if rule and any(f["rule"] == rule for f in launch["undecided"]):
        waits = next(f for f in launch["undecided"] if f["rule"] == rule).get("waitsFor", [])
        return {"class": "facts unknown", "subject": f"{rule} waits for {', '.join(waits)}"}
    if first is not None:
        return {"class": "message missing", "subject": f"{subject_of(verdict)} (ours: {first['rule']})"}
    if rule:
        return {"class": "condition wrong", "subject": rule}
    crashed = " (crash)" if verdict["raises"] in NOT_CHECKS else ""
    return {"class": "rule missing", "subject": subject_of(verdict) + crashed}
