"""The checks of the tree find what they are there to find."""
import importlib.util
import json
import pathlib
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"


def load(name):
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


class Layers(Tree):
    def faults(self):
        return list(load("check_layers").faults_of(self.root))

    def test_downward_includes_pass(self):
        self.write("engine/text/span.h", "")
        self.write("engine/model/rule.h", '#include "engine/text/span.h"\n#include <string>\n')
        self.assertEqual(self.faults(), [])

    def test_an_upward_include_is_found(self):
        self.write("engine/model/rule.h", "")
        self.write("engine/text/span.h", '\n#include "engine/model/rule.h"\n')
        self.assertEqual(self.faults(), ["engine/text/span.h:2: engine/text is below engine/model and may not include "
                                         "engine/model/rule.h"])

    def test_the_library_does_not_include_the_program(self):
        self.write("tools/cli/main.h", "")
        self.write("engine/report/page.cc", '#include "tools/cli/main.h"\n')
        self.assertEqual(len(self.faults()), 1)

    def test_a_short_path_and_a_missing_file_are_found(self):
        self.write("engine/text/a.cc", '#include "span.h"\n#include "engine/text/gone.h"\n')
        self.assertEqual(len(self.faults()), 2)

    def test_a_third_party_header_outside_its_seam_is_found(self):
        self.write("engine/text/yaml_reader.cc", "#include <yaml.h>\n")
        self.write("engine/read/pack_reader.cc", "#include <yaml.h>\n")
        self.assertEqual([fault.split(":")[0] for fault in self.faults()], ["engine/read/pack_reader.cc"])


class Records(Tree):
    COMPLETE = {"id": "0123456789abcdef", "documentation": "a", "triggerScenarios": "a", "commonSituations": "a",
                "solutions": ["a"], "preventionTips": ["a"], "tags": ["a"], "backgroundTag": "a",
                "examples": [{"message": "a"}], "nearMisses": ["a"], "exampleFix": "# before"}

    def faults(self, *records, folder="sglang"):
        for number, record in enumerate(records):
            self.write(f"dataset/{folder}/{number}.json", json.dumps(record))
        return list(load("check_records").faults_of(self.root))

    def test_a_complete_record_passes_bare_and_in_its_envelope(self):
        self.assertEqual(self.faults(self.COMPLETE, {"record": {**self.COMPLETE, "preventionTips": ["b"]}}), [])

    def test_what_is_empty_or_missing_is_found(self):
        record = {**self.COMPLETE, "preventionTips": []}
        del record["nearMisses"]
        self.assertEqual(self.faults(record), ["dataset/sglang/0.json: no preventionTips",
                                               "dataset/sglang/0.json: no nearMisses"])

    def test_only_a_record_of_sglang_needs_an_example_fix(self):
        record = {**self.COMPLETE, "exampleFix": None}
        self.assertEqual(self.faults(record, folder="nccl"), [])
        self.assertEqual(self.faults(record), ["dataset/sglang/0.json: no exampleFix"])

    def test_a_tip_that_many_records_share_is_found(self):
        self.assertEqual(self.faults(*[self.COMPLETE] * 3), [])
        self.assertEqual(self.faults(*[self.COMPLETE] * 4), ["dataset/sglang/0.json: 4 records have the tip `a`"])


class DiagnosticCodes(Tree):
    def faults(self):
        return list(load("check_diagnostic_codes").faults_of(self.root))

    def declare(self, *codes):
        self.write("engine/text/diagnostic.h",
                   "".join(f'inline constexpr DiagnosticCode {a}{{"{b}"}};\n' for a, b in codes))

    def test_a_code_that_is_used_and_tested_passes(self):
        self.declare(("bad_x", "bad-x"))
        self.write("engine/read/x.cc", "make_error(code::bad_x)")
        self.write("tests/cli/check/fail_x.test", "error[bad-x]: no")
        self.assertEqual(self.faults(), [])

    def test_a_code_that_nothing_emits_or_tests_is_found(self):
        self.declare(("bad_x", "bad-x"))
        self.write("tests/x.test", "bad-x-ray")
        self.assertEqual(self.faults(), ["bad-x: nothing emits code::bad_x", "bad-x: no test names it"])

    def test_a_code_declared_twice_is_found(self):
        self.declare(("bad_x", "bad-x"), ("worse_x", "bad-x"))
        self.write("engine/x.cc", "code::bad_x code::worse_x")
        self.write("tests/x_test.cc", "code::bad_x code::worse_x")
        self.assertEqual(self.faults(), ["bad-x: declared 2 times"])


if __name__ == "__main__":
    unittest.main()
