"""kernels/sparse_mla_prefill/README.md shows what the performance model computes."""
import pathlib
import subprocess
import sys
import unittest

MODEL = pathlib.Path(__file__).resolve().parent.parent.parent / "kernels/sparse_mla_prefill/performance_model.py"


class PerformanceModelTest(unittest.TestCase):
    def test_the_readme_has_its_tables(self):
        done = subprocess.run([sys.executable, MODEL, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
