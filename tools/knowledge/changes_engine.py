"""For which rules the engine's own check differs between releases.

How: the statement at a rule's source place is looked for in each release, by its message, else by its text and
its function; under what condition it stands there is written out (source_guards.py) and compared. Releases
with the same text are one group. A rule is reported when there is more than one group, or when its `versions`
name other releases than those that have the statement, unless another rule of the same statement makes up for
it. A rule that asks for the release itself (version.engine, or a fact that does) may hold over several groups.
changes_seen.yaml lists what was looked through and needs nothing, each with its reason.

Use:  changes --source TREE --source TREE … [--knowledge DIR] [--rule TEXT] [--full] [--all]
TREE is a folder that holds `sglang/`, oldest first. --full shows the conditions whole, not only what differs;
--all also what was looked through. Needs PyYAML.
Exit status: 0 nothing to look at, 1 differences, 2 no answer.
"""

import argparse
import ast
import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from audit_records import covers
from engine_messages import found_in, merged, messages_of
from source_guards import FUNCTIONS, Guards, plain
from source_tree import Evaluator, SourceTree

ROOT = Path(__file__).resolve().parents[2]
SEEN = Path(__file__).resolve().parent / "changes_seen.yaml"


@dataclass
class Release:
    version: str
    tree: SourceTree
    guards: Guards
    messages: dict     # path -> messages


@dataclass
class Rule:
    id: str
    path: str
    line: int
    release: str
    versions: str
    effect: bool
    asks_release: bool   # its expressions depend on version.engine


def load_yaml(path):
    import yaml
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}


def read_rules(folder, text=""):
    facts = load_yaml(folder / "facts.yaml")["facts"]
    asking = ["version.engine", *(n for n, f in facts.items() if "version.engine" in str(f.get("expression")))]
    asking += [n for n, f in facts.items() if any(a in str(f.get("expression")) for a in asking)]
    for file in sorted(folder.glob("*/*.yaml")):
        data = load_yaml(file)
        source = data.get("source") or {}
        if text not in data["id"]:
            continue
        expressions = str([data.get(key) for key in ("let", "when", "require", "cases", "effect")])
        if "line" in source:
            versions = data.get("versions") or ""
            yield Rule(data["id"], source["file"].removeprefix("python/"), source["line"],
                       str(source["sha"]).removeprefix("v"), versions, "effect" in data,
                       any(name in expressions for name in asking))


class Places:
    """Finds a rule's statement in other releases."""

    def __init__(self, releases):
        self.releases = releases
        self._everywhere = {}

    def statement_at(self, release, path, line):
        """The innermost statement that covers the line: a function, where the line is its head."""
        best = None
        for node in ast.walk(release.tree.module(path)):
            if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef):
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
                if first <= line <= node.end_lineno and \
                        (best is None or (node.end_lineno - node.lineno) <= (best.end_lineno - best.lineno)):
                    best = node
        return best

    def messages(self, release, path):
        if path not in release.messages:
            release.messages[path] = messages_of(release.tree, path) if release.tree.exists(path) else []
        return release.messages[path]

    def everywhere(self, release):
        if release.version not in self._everywhere:
            paths = [p for pattern in ("sglang/srt/server_args.py", "sglang/srt/arg_groups/**/*.py",
                                       "sglang/srt/configs/model_config.py")
                     for p in release.tree.glob(pattern)]
            self._everywhere[release.version] = [m for p in paths for m in self.messages(release, p)]
        return self._everywhere[release.version]

    def function_of(self, release, path, statement):
        function, _ = release.guards.chain(path, statement)
        return function.name if function is not None else ""

    def find(self, rule):
        """(the statement's text, {version: [(path, statement)]})."""
        home = next((r for r in self.releases if r.version == rule.release), None)
        if home is None or not home.tree.exists(rule.path):
            return None, {}
        statement = self.statement_at(home, rule.path, rule.line)
        if statement is None:
            return None, {}
        message = next((m for m in self.messages(home, rule.path)
                        if m.template and m.line <= rule.line <= m.end_line), None)
        function = self.function_of(home, rule.path, statement)
        if message is None:
            return self._by_text(home, rule, statement, function)
        found = {}
        for release in self.releases:
            same = [m for m in self.messages(release, rule.path) if m.template == message.template]
            same = same or [m for m in self.everywhere(release) if m.template == message.template]
            exact = [m for m in same if m.function == function] or same
            if len(exact) > 1 and len({m.line for m in exact}) > 1:
                # several statements with one text: the one of the same number
                own = [m.line for m in self.messages(home, rule.path) if m.template == message.template
                       and m.function == function]
                at = own.index(message.line) if message.line in own else 0
                exact = [exact[min(at, len(exact) - 1)]]
            found[release.version] = [(m.path, self.statement_at(release, m.path, m.line)) for m in exact[:1]]
        return message.template, found

    def _by_text(self, home, rule, statement, function):
        if isinstance(statement, FUNCTIONS):
            return statement.name, {r.version: [(rule.path, node)] for r in self.releases if r.tree.exists(rule.path)
                                    for node in r.tree.module(rule.path).body
                                    if isinstance(node, FUNCTIONS) and node.name == statement.name}
        wanted = plain(statement if not isinstance(statement, (ast.If, ast.For, ast.With, ast.Try)) else
                       getattr(statement, "test", None) or statement)
        found = {}
        for release in self.releases:
            found[release.version] = []
            if not release.tree.exists(rule.path):
                continue
            best = None
            for node in ast.walk(release.tree.module(rule.path)):
                if type(node) is type(statement) and self.function_of(release, rule.path, node) == function:
                    text = plain(getattr(node, "test", None) or node if isinstance(node, (ast.If, ast.For, ast.With, ast.Try)) else node)
                    likeness = difflib.SequenceMatcher(None, wanted, text, autojunk=False).ratio()
                    if likeness > 0.6 and (best is None or likeness > best[0]):
                        best = (likeness, node)
            if best:
                found[release.version] = [(rule.path, best[1])]
        return wanted, found


def conditions(release, path, statement, effect):
    if isinstance(statement, FUNCTIONS):
        return [plain(statement), *release.guards.callers(statement.name, 2, ())]
    lines = release.guards.of(path, statement)
    if isinstance(statement, ast.If):
        lines = [f"if {plain(statement.test)}", *lines]
        lines += [f"then {plain(s)}" for s in statement.body] if effect else []
    elif found_in(statement) is None and not isinstance(statement, ast.Raise):
        lines = [f"then {plain(statement)}", *lines]
    if effect:
        lines = [*release.guards.effect(path, statement), *lines]
    return lines


def compare(rule, places):
    """(text, [(versions, lines, places)], places): the lines are None for releases without the statement."""
    text, found = places.find(rule)
    groups, where = [], set()
    for release in places.releases:
        here = found.get(release.version)
        lines = conditions(release, *here[0], rule.effect) if here else None
        place = {(release.version, here[0][0], here[0][1].lineno)} if here else set()
        where |= place
        if groups and groups[-1][1] == lines:
            groups[-1][0].append(release.version)
            groups[-1][2].extend(place)
        else:
            groups.append(([release.version], lines, list(place)))
    return text, groups, where


WORDS = re.compile(r"\w+|\s+|[^\w\s]")
LONG = 120      # characters from which a line that changed is shown by its changed words
AROUND = 8      # words


def difference(before, after):
    """The lines that went (-) and came (+); of a long line that changed only the words around the change."""
    before, after = ("\n".join(lines).split("\n") for lines in (before, after))
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        went, came = before[a1:a2], after[b1:b2]
        if len(went) == len(came):
            for old, new in zip(went, came):
                yield from changed_words(old, new) if len(old) > LONG else (f"- {old}", f"+ {new}")
        else:
            yield from (f"- {line}" for line in went)
            yield from (f"+ {line}" for line in came)


def changed_words(old, new):
    old_words, new_words = WORDS.findall(old), WORDS.findall(new)
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, old_words, new_words, autojunk=False).get_opcodes():
        if tag != "equal":
            before, behind = "".join(old_words[max(0, a1 - AROUND):a1]), "".join(old_words[a2:a2 + AROUND])
            yield f"~ …{before}[-{''.join(old_words[a1:a2])}-]{{+{''.join(new_words[b1:b2])}+}}{behind}…"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, action="append", type=Path, help="a folder that holds sglang/; oldest first")
    parser.add_argument("--knowledge", type=Path, default=ROOT, help="the folder that holds rules/")
    parser.add_argument("--rule", default="", help="only rules with this in their id")
    parser.add_argument("--full", action="store_true", help="show the conditions whole")
    parser.add_argument("--all", action="store_true", help="show what was looked through too")
    options = parser.parse_args(words)
    releases = []
    for folder in options.source:
        tree = SourceTree(folder)
        if not tree.version():
            print(f"{folder}: no sglang/_version.py with a release", file=sys.stderr)
            return 2
        releases.append(Release(tree.version(), tree, Guards(tree, Evaluator(tree)), {}))
    seen = load_yaml(SEEN) if SEEN.exists() else {}
    rules = list(read_rules(options.knowledge / "rules/sglang", options.rule))
    places, by_place, found = Places(releases), {}, []
    for rule in rules:
        text, groups, where = compare(rule, places)
        found.append((rule, text, groups))
        for place in where:
            by_place.setdefault(place, []).append(rule)
    reported = explained = 0
    for rule, text, groups in found:
        lines = report(rule, text, groups, releases, by_place, options.full)
        reason = seen.get(rule.id.partition("/")[2])
        explained += bool(lines and reason)
        if lines and (options.all or not reason):
            reported += not reason
            print("\n".join(["", *lines, *([f"  looked through: {reason}"] if reason else [])]))
    print(f"\n{len(rules)} rules looked at, {reported} to look at, {explained} looked through")
    return 1 if reported else 0


def report(rule, text, groups, releases, by_place, full):
    """The lines on a rule, none where nothing is to be looked at."""
    if text is None:
        return [f"{rule.id}", f"  {rule.path}:{rule.line} of {rule.release} is no statement"]
    claimed = {r.version for r in releases if covers(rule.versions, r.version)}
    has = {v for versions, lines, _ in groups if lines is not None for v in versions}
    others = {other.id: other for _, _, places in groups for place in places for other in by_place[place]
              if other.id != rule.id}
    by_others = {r.version for r in releases for other in others.values() if covers(other.versions, r.version)}
    same = rule.asks_release or sum(1 for versions, _, _ in groups if set(versions) & claimed) == 1
    if same and claimed <= has <= claimed | by_others:
        return []
    lines = [f"{rule.id}   versions: {rule.versions or 'all'}", f"  {rule.path}:{rule.line}  {text.splitlines()[0][:150]}"]
    lines += [f"  with {other.id} {other.versions or 'all'}" for other in others.values()]
    if claimed != has:
        lines.append(f"  stated for {', '.join(sorted(claimed)) or 'none'}; found in {', '.join(sorted(has)) or 'none'}")
    last = None
    for versions, conditions, _ in groups:
        span = "…".join(dict.fromkeys((versions[0], versions[-1])))
        if conditions is None:
            lines.append(f"  {span}: absent")
            continue
        lines.append(f"  {span}:" + (" otherwise" if last else ""))
        shown = [part for line in conditions for part in line.split("\n")] if full else \
            difference(last, conditions) if last else ()
        lines += [f"      {line}" for line in shown]
        last = conditions
    return lines
