"""The two forms of the audit's report: a table for people, JSON for programs."""

import json

TITLES = {
    "message-without-record": "Messages of the engine without a record",
    "message-not-readable": "Messages whose text is not in the source at their place",
    "record-message-gone": "Records whose message the engine no longer has",
    "record-message-reworded": "Records whose message reads otherwise now",
    "record-moved": "Records whose message stands at another line",
    "argument-new": "Arguments that are not in arguments.yaml",
    "argument-removed": "Arguments the engine no longer has",
    "argument-changed": "Arguments that changed",
    "file-not-readable": "Files that could not be read",
    "exception-unused": "Exceptions that explain nothing",
}


def as_table(differences, counts):
    lines, kind = [], None
    for difference in differences:
        if difference.kind != kind:
            kind = difference.kind
            lines += ["", f"{TITLES[kind]} ({sum(1 for d in differences if d.kind == kind)})"]
        lines.append(f"  {difference.place}  {first_line(difference.subject)}")
        lines += [f"      {line}" for line in difference.detail.splitlines()]
        if difference.reason:
            lines.append(f"      explained: {difference.reason}")
    share = f"{counts['withRecord']} of {counts['messages']}"
    lines += ["", f"SGLang {counts['version'] or '(release unknown)'}: {counts['files']} files, {share} messages have a "
              f"record; {counts['records']} records; {counts['unexplained']} differences unexplained"]
    return "\n".join(lines).lstrip("\n")


def first_line(text):
    return " ".join(text.split())


def as_json(differences, counts):
    rows = [{key: value for key, value in vars(d).items() if value not in ("", None)} for d in differences]
    return json.dumps({"formatVersion": 1, "kind": "audit", **counts, "rows": rows}, indent=2, ensure_ascii=False)
