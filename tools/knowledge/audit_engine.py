"""What differs between the knowledge (rules/sglang, dataset/sglang) and an engine's source tree.

How: the messages of the files in audit_scope.py (engine_messages.py) are joined with the records
(audit_records.py); the arguments of the tree (extract_arguments.py) are compared with arguments.yaml. Each
difference is one row; audit_exceptions.yaml explains those that may stay. A record whose rules hold for
other releases only is not looked for. In a release older than the newest that the pack covers, a record
without a rule is not looked for either, nor are places: both are the newest release's.

Use:  audit --source TREE [--knowledge DIR] [--exceptions FILE] [--format table|json] [--all] [--update-lines]
TREE is the folder that holds `sglang/`. --update-lines writes the new places of moved messages into records
and their rules, and reports what is left. Exit status: 0 nothing unexplained, 1 differences, 2 no answer.
"""

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import audit_scope
import extract_arguments
from argument_releases import in_release
from argument_yaml import default_of, read_arguments
from audit_exceptions import Exceptions, read_exceptions
from audit_records import NEAR, Joiner, add_versions, covers, nearest, read_records
from audit_records import release as numbers_of
from audit_report import as_json, as_table
from audit_update import update_places
from engine_messages import HOLE, Message, messages_of
from source_tree import Evaluator, SourceTree

ROOT = Path(__file__).resolve().parents[2]
EXCEPTIONS = Path(__file__).resolve().parent / "audit_exceptions.yaml"
NEEDS_RECORD = {"raise", "assert", "refuse", "warning"}
COMPARED = ("type", "nullable", "default", "choices", "flags", "deprecated_flags", "stores",
            "unit_suffixes")
ORDER = ["message-without-record", "message-not-readable", "record-message-gone", "record-message-reworded",
         "record-moved", "argument-new", "argument-removed", "argument-changed", "file-not-readable",
         "exception-unused"]


@dataclass
class Difference:
    kind: str
    place: str            # file:line of the tree, else of the knowledge
    subject: str          # the message, the record's slug, the argument
    detail: str = ""
    reason: str | None = None   # why it may stay


def read_messages(tree, patterns, problems):
    """The messages of the files that fit `patterns`; files that cannot be parsed go to `problems`."""
    found = {}
    for path in sorted({path for pattern in patterns for path in tree.glob(pattern)}):
        try:
            found[path] = messages_of(tree, path)
        except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as fault:
            problems.append((path, f"{type(fault).__name__}: {fault}"))
    return found


def without_record(messages, joiner, exceptions):
    for message in messages:
        if message.kind not in NEEDS_RECORD:
            continue
        place = f"{message.path}:{message.line}"
        facts = {"file": message.path, "function": message.function, "kind": message.kind}
        if message.template is None:
            yield Difference("message-not-readable", place, message.source, message.kind,
                             exceptions.reason(message=message.source, **facts))
        elif not joiner.joined(message.template):
            yield Difference("message-without-record", place, message.template, message.raises or message.kind,
                             exceptions.reason(message=message.template, **facts))


def place_records(records, is_asked, by_path, joiner, tree):
    """Fills `places` of each record with the messages it belongs to. Looks in the files of the scope and
    in the records' own first; the whole server is read only for those that `is_asked` about and that are found in
    neither, and of it only files that hold a piece of their text."""
    own = {r.path for r in records if r.path.endswith(".py") and tree.exists(r.path)} - set(by_path)
    by_path |= read_messages(tree, sorted(own), [])
    join(by_path.values(), joiner)
    for record in records:
        if record.is_code and tree.exists(record.path):
            record.places += places_of_code(record, tree.text(record.path))
    pieces = {max(r.template.split(HOLE), key=len)[:40] for r in records if is_asked(r) and not r.places} - {""}
    if pieces:
        rest = {path for pattern in audit_scope.ANYWHERE for path in tree.glob(pattern)} - set(by_path)
        holding = [path for path in sorted(rest) if any(piece in tree.text(path) for piece in pieces)]
        more = read_messages(tree, holding, [])
        join(more.values(), joiner)
        by_path |= more


def places_of_code(record, text):
    return [Message(record.path, number, number, "", "code", "", record.template, line.strip())
            for number, line in enumerate(text.splitlines(), 1) if record.template in line]


def join(messages_of_files, joiner):
    for messages in messages_of_files:
        for message in messages:
            if message.template:
                for record in joiner.joined(message.template):
                    record.places.append(message)


def lost_or_moved(records, is_asked, by_path, is_older, exceptions):
    everything = [m for messages in by_path.values() for m in messages if m.template]
    for record in records:
        if not is_asked(record):
            continue
        reason = exceptions.reason(record=record.slug)
        place = f"{record.path}:{record.line}"
        if not record.places:
            likeness, message = nearest(record, everything)
            if message is not None and likeness >= NEAR:
                yield Difference("record-message-reworded", f"{message.path}:{message.line}", record.slug,
                                 f"record: {record.template}\nengine: {message.template}", reason)
            else:
                yield Difference("record-message-gone", place, record.slug, record.template, reason)
        elif not is_older and not record.stands():
            best = record.nearest_place()
            yield Difference("record-moved", place, record.slug, f"now {best.path}:{best.line}", reason)


def argument_facts(argument):
    """An extracted argument in the keys of arguments.yaml."""
    facts = {"type": argument.type, "default": default_of(argument)}
    facts |= {key: value for key, value in (
        ("nullable", argument.nullable), ("choices", argument.choices), ("flags", argument.flags),
        ("deprecated_flags", argument.deprecated_flags), ("stores", argument.stores),
        ("unit_suffixes", argument.unit_suffixes)) if value}
    return facts


def differing_arguments(tree, path, exceptions):
    evaluator = Evaluator(tree)
    engine = extract_arguments.read_fields(tree, evaluator)
    extract_arguments.read_hand_registered(tree, evaluator, engine)
    known = in_release(read_arguments(path), tree.version())
    for name, argument in engine.items():
        if name not in known:
            yield Difference("argument-new", argument.group, name, f"default {default_of(argument)!r}",
                             exceptions.reason(argument=name))
            continue
        facts = argument_facts(argument)
        for key in COMPARED:
            before, after = known[name].get(key), facts.get(key)
            if before != after:
                yield Difference("argument-changed", argument.group, name, f"{key}: {changed(before, after)}",
                                 exceptions.reason(argument=name))
    for name in known:
        if name not in engine:
            yield Difference("argument-removed", path.name, name, "", exceptions.reason(argument=name))


def newest_release(pack_file):
    """The numbers of the newest release that the pack covers; none where it does not say."""
    text = pack_file.read_text(encoding="utf-8") if pack_file.exists() else ""
    listed = re.search(r"^versions: \[(.+)\]", text, re.MULTILINE)
    return max(map(numbers_of, listed.group(1).split(","))) if listed else ()


def changed(before, after):
    """What changed, for lists only the entries that came and went."""
    if isinstance(before, list) and isinstance(after, list):
        came, went = ([x for x in a if x not in b] for a, b in ((after, before), (before, after)))
        parts = [f"{sign}{item}" for sign, items in (("+", came), ("-", went)) for item in items]
        return " ".join(parts) or "another order"
    return " -> ".join("absent" if side is None else repr(side) for side in (before, after))


def audit(tree, knowledge, exceptions, update=False):
    """All differences, in the order of ORDER, and what was looked at. With `update`, moved messages' places are
    written into the knowledge first."""
    problems, version = [], tree.version()
    exceptions.release = version or ""
    scoped = read_messages(tree, audit_scope.START_UP + audit_scope.KERNEL_WRAPPERS, problems)
    records = read_records(knowledge / "dataset/sglang", problems)
    add_versions(records, knowledge / "rules/sglang")
    joiner = Joiner(records)
    everywhere = dict(scoped)
    is_older = numbers_of(version or "") < newest_release(knowledge / "rules/sglang/pack.yaml")

    def is_asked(record):
        return record.active and covers(record.versions, version) and (record.has_rule or not is_older)

    place_records(records, is_asked, everywhere, joiner, tree)
    if update:
        update_places(records, knowledge / "rules/sglang", version)

    found = []
    for messages in scoped.values():
        found += without_record(messages, joiner, exceptions)
    found += lost_or_moved(records, is_asked, everywhere, is_older, exceptions)
    try:
        found += differing_arguments(tree, knowledge / "rules/sglang/arguments.yaml", exceptions)
    except (OSError, ValueError, IndexError) as fault:
        problems.append((str(knowledge / "rules/sglang/arguments.yaml"), str(fault)))
    found += [Difference("file-not-readable", place, "", fault) for place, fault in problems]
    found += [Difference("exception-unused", f"{exceptions.name}:{entry['line']}",
                         entry.get("file") or entry.get("argument") or entry.get("record"), entry["reason"])
              for entry in exceptions.unused() if not is_older]
    found.sort(key=lambda d: ORDER.index(d.kind))
    without = sum(1 for d in found if d.kind in ("message-without-record", "message-not-readable"))
    messages = [m for found_here in scoped.values() for m in found_here if m.kind in NEEDS_RECORD]
    counts = {"version": version, "files": len(scoped), "records": len(records), "messages": len(messages),
              "withRecord": len(messages) - without,
              "differences": dict(Counter(d.kind for d in found)),
              "unexplained": sum(1 for d in found if d.reason is None)}
    return found, counts


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=Path, help="the folder that holds sglang/")
    parser.add_argument("--knowledge", type=Path, default=ROOT, help="the folder that holds rules/ and dataset/")
    parser.add_argument("--exceptions", type=Path, default=EXCEPTIONS)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    parser.add_argument("--all", action="store_true", help="show explained differences too")
    parser.add_argument("--update-lines", action="store_true", help="write moved places into records and rules")
    options = parser.parse_args(words)

    tree = SourceTree(options.source)
    if not tree.exists("sglang/srt/server_args.py"):
        print(f"{options.source}: no sglang/srt/server_args.py below it", file=sys.stderr)
        return 2
    if not (options.knowledge / "dataset/sglang").is_dir():
        print(f"{options.knowledge}: no dataset/sglang below it", file=sys.stderr)
        return 2
    exceptions = read_exceptions(options.exceptions) if options.exceptions.exists() else Exceptions()
    found, counts = audit(tree, options.knowledge, exceptions, options.update_lines)
    shown = [d for d in found if options.all or d.reason is None]
    print(as_json(shown, counts) if options.format == "json" else as_table(shown, counts))
    return 1 if counts["unexplained"] else 0
