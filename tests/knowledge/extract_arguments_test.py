#!/usr/bin/env python3
"""Tests of tools/knowledge/extract_arguments.py on a small engine tree of our own. Run directly, or with
`python3 -m unittest`; `--update` as the only word rewrites fixture_arguments.yaml and fixture_arguments_of_releases.yaml."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools/knowledge"))

import extract_arguments  # noqa: E402
from argument_releases import in_release, joined, oldest_first, ranges_of  # noqa: E402
from argument_yaml import default_of, read_arguments, read_documentation, scalar  # noqa: E402
from source_tree import Evaluator, SourceTree, Unresolved  # noqa: E402

FIXTURE = HERE / "fixture_engine"
WANTED = HERE / "fixture_arguments.yaml"
RELEASES = [HERE / "fixture_releases" / release for release in ("1.1", "1.2", "1.0")]  # in no order
WANTED_OF_RELEASES = HERE / "fixture_arguments_of_releases.yaml"


def run(*words):
    """(exit code, standard output, standard error) of the extractor."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = extract_arguments.main(list(map(str, words)))
    return code, out.getvalue(), err.getvalue()


def extract(out, *more, documentation=HERE / "fixture_documentation.yaml"):
    return run("--source", FIXTURE, "--documentation", documentation, "--out", out, *more)


def extract_releases(out, *more):
    sources = [word for folder in RELEASES for word in ("--source", folder)]
    return run(*sources, "--documentation", HERE / "fixture_no_documentation.yaml", "--out", out, *more)


class Extraction(unittest.TestCase):
    def test_the_fixture_tree_gives_the_golden_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "arguments.yaml"
            self.assertEqual(extract(out)[0], 0)
            self.assertEqual(out.read_text(), WANTED.read_text())

    def test_check_accepts_what_would_be_written(self):
        self.assertEqual(extract(WANTED, "--check"), (0, "", ""))

    def test_check_shows_the_difference_and_the_repairing_command(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "arguments.yaml"
            changed = WANTED.read_text().replace("default: 2000000", "default: 1")
            out.write_text(changed)
            code, text, _ = extract(out, "--check")
            self.assertEqual(code, 1)
            self.assertIn("+    default: 2000000", text)
            self.assertIn("repair with: tools/knowledge/extract_arguments.py", text)
            self.assertEqual(out.read_text(), changed, "--check must not write")

    def test_a_folder_without_an_engine_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = run("--source", folder)
        self.assertEqual(code, 2)
        self.assertIn("no sglang/srt/server_args.py", err)

    def test_documentation_of_an_unknown_argument_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder) / "lines.yaml"
            lines.write_text("colour: Its colour.\nfolour: A slip.\n")
            code, _, err = extract(Path(folder) / "out.yaml", documentation=lines)
        self.assertEqual(code, 0)
        self.assertIn("no argument is named folour", err)


class Releases(unittest.TestCase):
    def test_several_releases_give_one_file_with_ranges(self):
        self.assertEqual(extract_releases(WANTED_OF_RELEASES, "--check"), (0, "", ""))

    def test_one_release_taken_out_of_the_file_is_what_its_tree_has(self):
        merged = read_arguments(WANTED_OF_RELEASES)
        not_modelled = {("1.0.0", "drying"), ("1.0.0", "layers"), ("1.1.0", "layers")}
        for folder in RELEASES:
            release, arguments = extract_arguments.extract(folder)
            found = in_release(merged, release)
            self.assertEqual(set(found), set(arguments), release)
            for name, argument in arguments.items():
                if (release, name) in not_modelled:
                    continue
                facts = found[name]
                self.assertEqual(facts["default"], default_of(argument), (release, name))
                self.assertEqual(facts.get("choices"), argument.choices, (release, name))
                self.assertEqual(facts.get("flags", []), argument.flags, (release, name))
                self.assertEqual(facts.get("deprecated_flags", []), argument.deprecated_flags, (release, name))

    def test_two_trees_of_one_release_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = run("--source", RELEASES[0], "--source", RELEASES[0], "--out", Path(folder) / "out.yaml")
        self.assertEqual(code, 2)
        self.assertIn("this one is 1.1.0 as well", err)

    def test_ranges_name_the_first_and_the_first_without(self):
        among = ["1.9", "1.10", "1.11", "1.12"]
        for having, wanted in ((among, ""), (among[1:], ">=1.10"), (among[:2], "<1.11"), (among[1:3], ">=1.10,<1.12"),
                               (["1.9", "1.11"], "!=1.10,<1.12")):
            self.assertEqual(ranges_of(having, among), wanted)

    def test_releases_are_ordered_by_their_numbers(self):
        self.assertEqual(list(oldest_first({"0.5.10": 1, "0.5.9": 2, "0.4.20": 3})), ["0.4.20", "0.5.9", "0.5.10"])

    def test_lists_are_joined_in_the_order_of_both(self):
        self.assertEqual(joined(["a", "c", "d"], ["z", "a", "b", "d"]), ["z", "a", "b", "c", "d"])


class Documentation(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines.yaml"
            path.write_text(text)
            return read_documentation(path)

    def test_a_repeated_name_is_refused_with_its_line(self):
        with self.assertRaisesRegex(SystemExit, "lines.yaml:2: port is documented twice"):
            self.read("port: One.\nport: Two.\n")

    def test_a_line_without_a_name_is_refused_with_its_line(self):
        with self.assertRaisesRegex(SystemExit, "lines.yaml:1: expected"):
            self.read("just words\n")


class Scalars(unittest.TestCase):
    def test_words_that_yaml_would_misread_are_quoted(self):
        for word in ("yes", "No", "on", "off", "null", "none", "true", "~", "1.5", "", "a: b", "- x", "#c"):
            self.assertTrue(scalar(word).startswith('"'), word)

    def test_flags_and_names_stay_plain(self):
        for word in ("--tp-size", "fp8_e4m3", "list<string>", "org/model"):
            self.assertEqual(scalar(word), word)


class Constants(unittest.TestCase):
    def evaluator(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "m.py").write_text(text)
        tree = SourceTree(folder.name)
        return tree, Evaluator(tree)

    def last(self, text):
        tree, evaluator = self.evaluator(text)
        return evaluator.value(tree.module("m.py").body[-1].value, "m.py")

    def test_names_that_lead_in_a_circle_are_unresolved(self):
        with self.assertRaises(Unresolved):
            self.last("a = b\nb = a\na")

    def test_calls_are_not_run(self):
        with self.assertRaises(Unresolved):
            self.last("import os\nos.system('true')")

    def test_arithmetic_and_lists_are_folded(self):
        self.assertEqual(self.last("K = 3\n[2 * K, -K]"), [6, -3])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        sys.exit(extract(WANTED)[0] or extract_releases(WANTED_OF_RELEASES)[0])
    unittest.main()
