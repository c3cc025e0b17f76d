"""Reads audit_exceptions.yaml: what the audit need not report, each with the reason why.

The file is a list of flat maps, in a part of YAML small enough to need no library:

    - file: sglang/srt/arg_groups/arg_utils.py     # a path of the source tree; * and ** as in shells
      function: add_cli_args                       # optional
      message: "unknown group {}"                  # optional: a template as the audit prints it; a trailing … cuts it off
      kind: warning                                # optional: raise, assert, refuse, warning
      versions: "<0.5.23"                          # optional: the releases that it is for
      reason: Why no launch reaches it, or why a record would help nobody.

`argument: name` in place of `file` explains an argument's difference, `record: slug` a record's.
"""

import fnmatch
import json
import re
from dataclasses import dataclass, field

from audit_records import covers

KEYS = {"file", "function", "message", "kind", "argument", "record", "versions", "reason"}


@dataclass
class Exceptions:
    entries: list = field(default_factory=list)
    name: str = ""
    used: set = field(default_factory=set)
    release: str = ""  # that is looked at; unknown: every entry counts

    def of_release(self):
        """(number, entry) of the entries that are for the release."""
        return [(number, entry) for number, entry in enumerate(self.entries)
                if covers(entry.get("versions"), self.release)]

    def reason(self, **facts):
        """The reason of the first entry that fits, or None. Facts: file, function, message, kind, argument, record."""
        for number, entry in self.of_release():
            if all(key in ("reason", "line", "versions") or fits(key, wanted, facts.get(key)) for key, wanted in entry.items()):
                self.used.add(number)
                return entry["reason"]
        return None

    def unused(self):
        return [entry for number, entry in self.of_release() if number not in self.used]


def fits(key, wanted, value):
    if value is None:
        return False
    if key == "file":
        return fnmatch.fnmatchcase(value, wanted)
    if key == "message" and wanted.endswith("…"):
        return value.startswith(wanted[:-1])
    return value == wanted


def read_exceptions(path):
    """The entries of the file; SystemExit with file and line where it is not as described above."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = re.fullmatch(r"(- |  )(\w+): (.+)", line)
        if not found or found.group(2) not in KEYS:
            raise SystemExit(f"{path}:{number}: expected `- key: text` or `  key: text`, "
                             f"with a key of {', '.join(sorted(KEYS))}")
        start, key, text = found.groups()
        if start == "- ":
            entries.append({"line": number})
        if not entries or key in entries[-1]:
            raise SystemExit(f"{path}:{number}: `{key}` stands twice, or before the first `- `")
        try:
            entries[-1][key] = json.loads(text) if text.startswith('"') else text.strip()
        except ValueError as fault:
            raise SystemExit(f"{path}:{number}: {fault}") from None
    for entry in entries:
        if len(entry.get("reason", "")) < 20 or not {"file", "argument", "record"} & set(entry):
            raise SystemExit(f"{path}:{entry['line']}: an exception names a file, an argument or a record, "
                             "and a reason of at least 20 letters")
    return Exceptions(entries, path.name)
