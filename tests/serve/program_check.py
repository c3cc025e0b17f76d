#!/usr/bin/env python3
"""That only `assay serve` pays for the HTTP library: it becomes a program of its own, which stands beside `assay`.

    tests/serve/program_check.py PROGRAM [TEST…]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import http_check
from http_check import KNOWLEDGE, Server


def libraries_of(program):
    return subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout


class Program(unittest.TestCase):
    def test_other_verbs_load_no_library_for_the_network(self):
        program = pathlib.Path(http_check.PROGRAM)
        self.assertNotRegex(libraries_of(program), "httplib|libssl|libcrypto|brotli")
        self.assertRegex(libraries_of(program.with_name("assay-serve")), "httplib")

    def test_a_program_that_is_missing_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(http_check.PROGRAM, folder)
            done = subprocess.run([alone, "serve", "--knowledge", str(KNOWLEDGE)], capture_output=True, text=True, timeout=30)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"error[cannot-run]: cannot run `{folder}/assay-serve`: No such file or directory", done.stderr)

    def test_settings_reach_the_program_that_serves(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "assay.yaml").write_text("max-log-mib: '1'\n")
            here = os.getcwd()
            os.chdir(folder)
            os.environ["ASSAY_BASE_URL"] = "https://example.org/a=b/"
            try:
                server = Server()
            finally:
                os.chdir(here)
                del os.environ["ASSAY_BASE_URL"]
            with server:
                self.assertIn(b"<loc>https://example.org/a=b/</loc>", server.get("/sitemap.xml")[1])
                answer, content = server.ask("POST", "/api/explain", b"x" * ((1 << 20) + 1))
                self.assertEqual((answer.status, b"at most 1048576 bytes" in content), (413, True))


if __name__ == "__main__":
    http_check.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
