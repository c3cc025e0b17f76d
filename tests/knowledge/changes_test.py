#!/usr/bin/env python3
"""Tests of tools/knowledge/changes on two releases of a few lines and one rule. Run directly, or with `python3 -m unittest`."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/knowledge"))

import changes_engine  # noqa: E402

HOOK = """
LIMIT = {limit}


def helper(cfg):
    return cfg.width > LIMIT


def check(cfg):
    \"\"\"Doc.\"\"\"
    size = {size}
    if cfg.off:
        return
    if helper(cfg) and size > {bound}:
        raise ValueError(f"too wide: {{size}}")
"""
RULE = """id: sglang/area/too-wide
severity: error
when: {when}
message: "too wide: {{x}}"
{versions}source: {{file: python/sglang/srt/arg_groups/hook.py, sha: v0.0.2, line: 15, raises: ValueError}}
"""


class Changes(unittest.TestCase):
    def run_on(self, old, new, when="x", versions=""):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for version, values in (("0.0.1", old), ("0.0.2", new)):
                hook = folder / version / "sglang/srt/arg_groups/hook.py"
                hook.parent.mkdir(parents=True)
                hook.write_text(HOOK.format(**{"limit": 1, "size": "cfg.size", "bound": 8} | values) if values is not None else "")
                (folder / version / "sglang/_version.py").write_text(f"__version__ = '{version}'\n")
            rule = folder / "rules/sglang/area/too-wide.yaml"
            rule.parent.mkdir(parents=True)
            rule.write_text(RULE.format(when=when, versions=versions))
            (folder / "rules/sglang/facts.yaml").write_text(
                "facts:\n  derived.old: {type: bool, expression: 'version.engine == \"0.0.1\"'}\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = changes_engine.main(["--source", str(folder / "0.0.1"), "--source", str(folder / "0.0.2"),
                                            "--knowledge", str(folder)])
            return code, out.getvalue()

    def test_equal_conditions_are_not_reported(self):
        self.assertEqual(self.run_on({}, {})[0], 0)

    def test_a_changed_guard_is_reported(self):
        code, text = self.run_on({}, {"bound": 16})
        self.assertEqual(code, 1)
        self.assertIn("+ if helper(cfg) and size > 16", text)

    def test_a_changed_constant_of_a_helper_and_a_changed_binding_are_reported(self):
        self.assertIn("+ defined LIMIT: 2", self.run_on({}, {"limit": 2})[1])
        self.assertIn("+ where size = size * 2", self.run_on({}, {"size": "cfg.size * 2"})[1])

    def test_a_rule_that_asks_for_the_release_may_differ(self):
        self.assertEqual(self.run_on({}, {"bound": 16}, when="derived.old")[0], 0)

    def test_versions_must_name_the_releases_that_have_the_check(self):
        self.assertIn("stated for 0.0.1, 0.0.2; found in 0.0.2", self.run_on(None, {})[1])
        self.assertEqual(self.run_on(None, {}, versions='versions: ">=0.0.2"\n')[0], 0)


if __name__ == "__main__":
    unittest.main()
