"""Joins records with the messages of an engine's source, and says which record has lost its message.

A record and a message belong together when the record's pattern finds the message's text, or the message,
taken as a pattern, covers the record's text. The place is not asked: lines and files move. Of several
messages that fit, the one at the record's own file and nearest line is taken as its place.
"""

import difflib
import functools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from engine_messages import HOLE

NAMED_HOLE = re.compile(r"\{[^{}]*\}")
FILLER = "\u00a7"  # stands for what varies; no engine's message has it
WORD = re.compile(r"[A-Za-z_][A-Za-z_-]{3,}")
ENOUGH_TEXT = 12   # letters a template must have before it may claim a record
NEAR = 0.6         # likeness from which a message counts as a reworded one


@dataclass
class Record:
    file: Path
    id: str
    slug: str
    path: str
    line: int
    template: str
    pattern: re.Pattern
    active: bool = True
    versions: str = ""   # of the rules that join it, when all of them name one
    has_rule: bool = False
    is_code: bool = False   # its message is a line of code, as a traceback shows it
    places: list = field(default_factory=list)

    def stands(self):
        """Whether a message of the record is where the record says."""
        return any(m.path == self.path and m.line <= self.line <= m.end_line for m in self.places)

    def nearest_place(self):
        return min(self.places, key=lambda m: (m.path != self.path, abs(m.line - self.line)))


def template_pattern(template):
    """A template as a pattern that matches its messages."""
    return re.compile(".*?".join(re.escape(part) for part in template.split(HOLE)), re.DOTALL)


def normal(template):
    return re.sub(r"\s+", " ", NAMED_HOLE.sub(HOLE, template)).strip()


def read_records(folder, problems):
    """The records below `folder`; what cannot be read is appended to `problems` and left out."""
    records = []
    for file in sorted(folder.rglob("*.json")):
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            data = data.get("record", data)
            record = Record(file, data["id"], data["slug"], data.get("filePath") or "", data.get("lineNumber") or 0,
                            normal(data["errorMessage"]), re.compile(data["messagePattern"], re.DOTALL),
                            data.get("status", "active") == "active", is_code="line-of-code" in (data.get("tags") or ()))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, re.error, RecursionError) as fault:
            problems.append((f"{folder.name}/{file.relative_to(folder)}", f"{type(fault).__name__}: {fault}"))
            continue
        record.path = record.path.removeprefix("python/")
        records.append(record)
    return records


def add_versions(records, rules_folder):
    """Notes for each record the releases its rules hold for; none where a rule holds for all."""
    ranges = {}
    for file in rules_folder.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8", errors="replace")
        joined = re.search(r"^error: ['\"]?([0-9a-f]{16})", text, re.MULTILINE)
        if joined:
            span = re.search(r"^versions: ['\"]?([^'\"\n]+)", text, re.MULTILINE)
            ranges.setdefault(joined.group(1), []).append(span.group(1).strip() if span else "")
    for record in records:
        spans = ranges.get(record.id, [])
        record.has_rule = bool(spans)
        record.versions = " or ".join(sorted(set(spans))) if spans and all(spans) else ""


def release(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def covers(versions, version):
    """Whether a record's ranges hold `version`; true where either is not known."""
    if not versions or not version:
        return True
    compare = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
               ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b}
    wanted = release(version)

    def holds(clause):
        found = re.fullmatch(r"\s*(<=|>=|==|!=|<|>)?\s*([\w.]+)\s*", clause)
        return not found or compare[found.group(1) or "=="](wanted, release(found.group(2)))

    return any(all(holds(clause) for clause in span.split(",")) for span in versions.split(" or "))


class Joiner:
    """Finds the records of a message without comparing each with each: by the words they share."""

    def __init__(self, records):
        self.records = [r for r in records if r.active]
        self.by_word = {}
        self.sizes = []
        for number, record in enumerate(self.records):
            words = words_of(record.template)
            self.sizes.append(len(words))
            for word in words:
                self.by_word.setdefault(word, set()).add(number)

    def candidates(self, template):
        shared = {}
        for word in words_of(template):
            for number in self.by_word.get(word, ()):
                shared[number] = shared.get(number, 0) + 1
        # Short messages share their few words with many: of equal ones the record with the fewest others comes first.
        return [self.records[n] for n in sorted(shared, key=lambda n: (-shared[n], self.sizes[n]))[:40]]

    def joined(self, template):
        return [r for r in self.candidates(template) if same(r, template)]


def same(record, template):
    text = re.sub(r"\s+", " ", template)
    if record.template == text or record.pattern.search(template.replace(HOLE, FILLER)):
        return True
    if len(re.sub(r"[^A-Za-z]", "", text.replace(HOLE, ""))) < ENOUGH_TEXT:
        return False
    return bool(template_pattern(text).fullmatch(record.template.replace(HOLE, FILLER)))


@functools.cache
def words_of(template):
    return frozenset(WORD.findall(template))


def nearest(record, messages):
    """(likeness, message) of the message most like the record's, or (0, None)."""
    words = words_of(record.template)
    ranked = sorted(messages, key=lambda m: -len(words & words_of(m.template)))[:30]
    best = (0.0, None)
    for message in ranked:
        likeness = difflib.SequenceMatcher(None, record.template, message.template, autojunk=False).ratio()
        if likeness > best[0]:
            best = (likeness, message)
    return best
