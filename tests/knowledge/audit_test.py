#!/usr/bin/env python3
"""Tests of tools/knowledge/audit on a small engine tree and a small knowledge of our own. Run directly, or with
`python3 -m unittest`; `--update` as the only word rewrites fixture_audit/differences.txt."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools/knowledge"))

import audit_engine  # noqa: E402
from audit_exceptions import read_exceptions  # noqa: E402
from audit_records import covers  # noqa: E402
from engine_messages import messages_of  # noqa: E402
from source_tree import SourceTree  # noqa: E402

FIXTURE = HERE / "fixture_audit"
WANTED = FIXTURE / "differences.txt"


def run(*words):
    """(exit code, standard output, standard error) of the audit."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = audit_engine.main(list(map(str, words)))
    return code, out.getvalue(), err.getvalue()


def audit(*more, source=FIXTURE / "engine", knowledge=FIXTURE / "knowledge"):
    return run("--source", source, "--knowledge", knowledge, "--exceptions", FIXTURE / "exceptions.yaml", *more)


class Audit(unittest.TestCase):
    maxDiff = None

    def test_the_fixture_trees_differences_are_the_golden_ones(self):
        code, text, _ = audit("--all")
        self.assertEqual(code, 1)
        self.assertEqual(text, WANTED.read_text())

    def test_json_has_the_same_rows(self):
        code, text, _ = audit("--all", "--format", "json")
        report = json.loads(text)
        self.assertEqual((code, report["formatVersion"], report["kind"], report["version"]), (1, 1, "audit", "2.1.0"))
        self.assertEqual(len(report["rows"]), sum(report["differences"].values()))
        self.assertEqual(report["unexplained"], sum("reason" not in row for row in report["rows"]))

    def test_explained_differences_are_hidden_without_all(self):
        self.assertNotIn("explained:", audit()[1])

    def test_a_tree_and_a_knowledge_in_step_report_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "sglang/srt").mkdir(parents=True)
            (root / "sglang/srt/server_args.py").write_text("raise ValueError('the door is locked today')\n")
            (root / "dataset/sglang").mkdir(parents=True)
            (root / "dataset/sglang/door.json").write_text(json.dumps({
                "id": "1", "slug": "door", "errorMessage": "the door is locked today",
                "messagePattern": "the door is locked today", "filePath": "python/sglang/srt/server_args.py",
                "lineNumber": 1}))
            (root / "rules/sglang").mkdir(parents=True)
            (root / "rules/sglang/arguments.yaml").write_text("arguments:\n")
            code, text, _ = run("--source", root, "--knowledge", root, "--exceptions", root / "none")
        self.assertEqual(code, 0, text)
        self.assertIn("1 of 1 messages have a record; 1 records; 0 differences unexplained", text)

    def test_an_older_release_is_asked_only_for_what_its_users_meet(self):
        with tempfile.TemporaryDirectory() as folder:
            knowledge = Path(folder) / "knowledge"
            shutil.copytree(FIXTURE / "knowledge", knowledge)
            (knowledge / "rules/sglang/pack.yaml").write_text('versions: ["2.1.0", "2.2.0"]\n')
            ladder = json.loads((knowledge / "dataset/sglang/ladder-is-missing.json").read_text())
            rule = knowledge / "rules/sglang/area/ladder.yaml"
            rule.write_text(f"id: sglang/area/ladder\nerror: {ladder['id']}\n")
            _, claimed, _ = audit("--all", knowledge=knowledge)
            rule.write_text(f'id: sglang/area/ladder\nerror: {ladder["id"]}\nversions: ">=2.2.0"\n')
            _, text, _ = audit("--all", knowledge=knowledge)
        self.assertIn("ladder-is-missing", claimed, "a rule says that this release has it")
        self.assertNotIn("ladder-is-missing", text)
        for newest_only in ("stands at another line", "reads otherwise", "explain nothing"):
            self.assertNotIn(newest_only, text)
        self.assertIn("Messages of the engine without a record (4)", text)

    def test_arguments_are_compared_as_the_tree_s_release_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            knowledge = Path(folder) / "knowledge"
            shutil.copytree(FIXTURE / "knowledge", knowledge)
            path = knowledge / "rules/sglang/arguments.yaml"
            before = path.read_text()
            path.write_text(before.replace("  varnish:\n", '  varnish:\n    versions: "<2.1.0"\n'))
            _, text, _ = audit(knowledge=knowledge)
        self.assertIn("  varnish:\n", before)
        self.assertNotIn("varnish", text)

    def test_a_folder_without_an_engine_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = audit(source=Path(folder))
        self.assertEqual(code, 2)
        self.assertIn("no sglang/srt/server_args.py", err)

    def test_a_folder_without_knowledge_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = audit(knowledge=Path(folder))
        self.assertEqual(code, 2)
        self.assertIn("no dataset/sglang", err)


class UpdatedLines(unittest.TestCase):
    def test_moved_records_and_their_rules_get_the_new_place_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            knowledge = Path(folder) / "knowledge"
            shutil.copytree(FIXTURE / "knowledge", knowledge)
            rule = knowledge / "rules/sglang/area/layers.yaml"
            rule.write_text("id: sglang/area/layers\nerror: 0000000000000002\n"
                            "source: {file: python/sglang/srt/arg_groups/checks.py, sha: v1.0.0, line: 4, raises: X}\n")
            record = knowledge / "dataset/sglang/at-most-layers.json"
            before = json.loads(record.read_text())
            _, text, _ = audit("--update-lines", knowledge=knowledge)
            after = json.loads(record.read_text())
            moved = rule.read_text()
        self.assertNotIn("stands at another line", text)
        self.assertEqual(after, before | {"lineNumber": 10})
        self.assertIn("source: {file: python/sglang/srt/arg_groups/checks.py, sha: v2.1.0, line: 10, raises: X}", moved)


class Messages(unittest.TestCase):
    def templates(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "m.py").write_text(text)
            return [m.template for m in messages_of(SourceTree(folder), "m.py")]

    def test_a_name_bound_twice_is_not_guessed(self):
        self.assertEqual(self.templates("t = 'one text'\nt = 'two texts'\nraise ValueError(t)\n"), [None])

    def test_a_name_bound_to_itself_ends(self):
        self.assertEqual(self.templates("t = 'so ' + t\nraise ValueError(t)\n")[0][:6], "so so ")

    def test_a_conditional_piece_is_a_hole(self):
        self.assertEqual(self.templates("raise ValueError(f\"it is {'on' if x else 'off'} now\")\n"), ["it is {} now"])

    def test_holes_that_touch_are_one(self):
        self.assertEqual(self.templates("raise ValueError(f'got {a}{b} {c} here')\n"), ["got {} here"])

    def test_a_percent_sign_stays(self):
        self.assertEqual(self.templates("logger.warning('%d%% of %s', 3, x)\n"), ["{}% of {}"])


class ExceptionsFile(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list.yaml"
            path.write_text(text)
            return read_exceptions(path)

    def test_an_exception_without_a_reason_is_refused_with_its_line(self):
        with self.assertRaisesRegex(SystemExit, "list.yaml:2: an exception names"):
            self.read("# none\n- file: a.py\n")

    def test_an_exception_of_other_releases_neither_explains_nor_is_unused(self):
        exceptions = self.read('- argument: a\n  versions: "<2.0"\n  reason: Only the first releases had it.\n')
        exceptions.release = "2.1"
        self.assertIsNone(exceptions.reason(argument="a"))
        self.assertEqual(exceptions.unused(), [])
        exceptions.release = "1.9"
        self.assertEqual(len(exceptions.unused()), 1)
        self.assertEqual(exceptions.reason(argument="a"), "Only the first releases had it.")

    def test_an_unknown_key_is_refused_with_its_line(self):
        with self.assertRaisesRegex(SystemExit, "list.yaml:1: expected"):
            self.read("- colour: red\n")

    def test_a_repeated_key_is_refused_with_its_line(self):
        with self.assertRaisesRegex(SystemExit, "list.yaml:2: `file` stands twice"):
            self.read("- file: a.py\n  file: b.py\n")


class Versions(unittest.TestCase):
    def test_a_record_of_older_releases_is_not_looked_for(self):
        self.assertFalse(covers("<0.5.23", "0.5.23"))
        self.assertTrue(covers(">=0.5.20, <0.5.23", "0.5.22"))
        self.assertTrue(covers("<0.5.9 or >=0.5.23", "0.5.23"))
        self.assertTrue(covers("", "0.5.23"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        WANTED.write_text(audit("--all")[1])
        sys.exit(0)
    unittest.main()
