"""What ptxas says of the Hopper kernels: no spills, no local memory, no serialised wgmma, FP8 tensor-core instructions in
the machine code where a disassembler is at hand. Skipped where there is no nvcc. Prints the figures.

    python3 -m unittest -v tests/kernels/sm90_compile_test.py
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "kernels/sparse_mla_prefill/prefill_sm90.cu"
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
# From PyPI, nvidia-cuda-nvdisasm 13.5.37; not part of the toolkit on every machine.
NVDISASM = shutil.which("nvdisasm") or shutil.which("nvdisasm", path="/usr/local/cuda/bin")


@unittest.skipUnless(NVCC, "no nvcc")
class Sm90CompileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cubin = pathlib.Path(cls.folder.name) / "kernel.cubin"
        run = subprocess.run([NVCC, "-std=c++20", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v", f"-I{ROOT}",
                              "-cubin", "-o", str(cls.cubin), str(SOURCE)], capture_output=True, text=True, check=False)
        cls.status, cls.output = run.returncode, run.stdout + run.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_both_kernels_compile_without_spills_or_stack(self):
        self.assertEqual(self.status, 0, self.output)
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", self.output)
        print(self.output)
        self.assertEqual(frames, [("0", "0", "0")] * 2)

    def test_wgmma_is_not_serialised(self):
        self.assertNotRegex(self.output, r"C75(0[89]|1[0-9])")

    @unittest.skipUnless(NVDISASM, "no nvdisasm")
    def test_machine_code_has_fp8_tensor_core_instructions_and_no_local_memory(self):
        code = subprocess.run([NVDISASM, "-c", str(self.cubin)], capture_output=True, text=True, check=True).stdout
        products = len(re.findall(r"\bQGMMA\b", code))
        print(f"QGMMA {products}, WARPGROUP.ARRIVE {code.count('WARPGROUP.ARRIVE')}")
        self.assertGreater(products, 0)
        self.assertNotRegex(code, r"\b(STL|LDL)\b")


if __name__ == "__main__":
    unittest.main()
