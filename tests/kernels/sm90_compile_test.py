"""What the compiler made of the Hopper kernels: no spills, no local memory, no serialised wgmma, FP8 tensor-core
instructions, shared memory and the registers of each role within their budgets. Prints the table of kernels/sparse_mla_prefill/README.md.

    python3 -m unittest -v tests/kernels/sm90_compile_test.py

Skipped where there is no nvcc. What is read off the machine code needs nvdisasm and cuobjdump, which not every toolkit
has: `tools/setup --disassembler` installs them for this test alone.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "kernels/sparse_mla_prefill"))
import performance_model  # noqa: E402

SOURCE = ROOT / "kernels/sparse_mla_prefill/prefill_sm90.cu"
SHARED_LIMIT = 227 * 1024
NO_DISASSEMBLER = "no nvdisasm and cuobjdump: tools/setup --disassembler installs them"


def find(tool):
    toolkit = shutil.which(tool) or shutil.which(tool, path="/usr/local/cuda/bin")
    return toolkit or next((str(path) for path in ROOT.glob(f"build/cuda-env/lib/python3*/site-packages/nvidia/*/bin/{tool}")),
                           None)


NVCC, NVDISASM, CUOBJDUMP = find("nvcc"), find("nvdisasm"), find("cuobjdump")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)(.*);")
LABEL = re.compile(r"^(\.L_x_\d+):")
WIDTHS = {"64": 2, "128": 4}


def last_register(opcode, operands):
    """The highest register that an instruction names, counting the ones that a wide operand brings with it."""
    highest = -1
    for position, match in enumerate(re.finditer(r"\bR(\d+)(\.64)?", operands)):
        width = 2 if match.group(2) else 1
        if opcode.startswith("QGMMA"):
            width = 32 if position in (0, 2) or ", gdesc" in operands[:16] else 4  # D of m64n64, or A in registers
        elif (position == 0 or opcode.startswith("ST")) and not opcode.startswith("LDGSTS"):  # whose data stays in memory
            width = max([width] + [WIDTHS[part] for part in opcode.split(".") if part in WIDTHS])
        highest = max(highest, int(match.group(1)) + width - 1)
    return highest


class Kernel:
    """One kernel's machine code."""

    def __init__(self, name, text):
        self.name = name
        self.code, labels = [], {}
        for line in text.splitlines():
            if match := INSTRUCTION.match(line):
                self.code.append((int(match[1], 16), match[2], match[3]))
            elif match := LABEL.match(line):
                labels[match[1]] = len(self.code)
        self.labels = labels
        self.warpgroup_arrive = self.count("WARPGROUP.ARRIVE")
        # mbarriers are the last things in shared memory, and each is initialised once.
        offsets = [int(x, 16) for _, op, rest in self.code if op.startswith("SYNCS.EXCH")
                   for x in re.findall(r"\+0x([0-9a-f]+)\]", rest)]
        self.shared_bytes = max(offsets) + 8

    def count(self, opcode):
        return sum(op == opcode or op.startswith(opcode + ".") for _, op, _ in self.code)

    def loop_with(self, opcode):
        """The instructions of the innermost loop that has so many of it as any: the roles' loops over tokens."""
        loops = []
        for end, (_, op, rest) in enumerate(self.code):
            start = self.labels.get(target[0], end + 1) if op == "BRA" and (target := re.search(r"\.L_x_\d+", rest)) else end + 1
            if any(one.startswith(opcode) for _, one, _ in self.code[start:end]):
                loops.append(end + 1 - start)
        return min(loops)

    def roles(self):
        """[(registers asked for, highest register used)], the loading role first."""
        starts = [i for i, (_, op, _) in enumerate(self.code) if op.startswith("USETMAXREG")]
        found = []
        for start, end in zip(starts, starts[1:] + [len(self.code)]):
            asked = int(re.search(r"0x([0-9a-f]+)", self.code[start][2])[1], 16)
            found.append((asked, max(last_register(op, rest) for _, op, rest in self.code[start:end])))
        return found


@unittest.skipUnless(NVCC, "no nvcc")
class Sm90CompileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cubin = pathlib.Path(cls.folder.name) / "kernel.cubin"
        run = subprocess.run([NVCC, "-std=c++20", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v", f"-I{ROOT}",
                              "-cubin", "-o", str(cls.cubin), str(SOURCE)], capture_output=True, text=True, check=False)
        cls.status, cls.output = run.returncode, run.stdout + run.stderr
        cls.kernels = []
        if run.returncode == 0 and NVDISASM:
            code = subprocess.run([NVDISASM, "-c", str(cls.cubin)], capture_output=True, text=True, check=True).stdout
            for part in re.split(r"^//-+ \.text\.", code, flags=re.MULTILINE)[1:]:
                cls.kernels.append(Kernel(re.search(r"sparse_mla_prefill_\d+", part)[0], part))
            cls.kernels.sort(key=lambda kernel: kernel.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_both_kernels_compile_without_spills_or_stack(self):
        self.assertEqual(self.status, 0, self.output)
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", self.output)
        self.assertEqual(frames, [("0", "0", "0")] * 2, self.output)
        # 3 warpgroups of 168 give the 240 + 240 + 24 that the roles ask for.
        self.assertEqual(re.findall(r"Used (\d+) registers", self.output), ["168"] * 2, self.output)

    def test_wgmma_is_not_serialised(self):
        self.assertNotRegex(self.output, r"C75(0[89]|1[0-9])")

    @unittest.skipUnless(CUOBJDUMP, NO_DISASSEMBLER)
    def test_the_binary_asks_for_no_local_memory(self):
        usage = subprocess.run([CUOBJDUMP, "-res-usage", str(self.cubin)], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"REG:(\d+) STACK:(\d+) .*?LOCAL:(\d+)", usage), [("168", "0", "0")] * 2, usage)

    @unittest.skipUnless(NVDISASM, NO_DISASSEMBLER)
    def test_machine_code_keeps_its_budgets(self):
        self.assertEqual([kernel.name for kernel in self.kernels], ["sparse_mla_prefill_512", "sparse_mla_prefill_576"])
        print("\n| kernel | QGMMA | WARPGROUP.ARRIVE | LDL, STL | shared memory | loading: asked, used | math: asked, used "
              "| instructions: loading, a block | math, a pair |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for kernel in self.kernels:
            roles = kernel.roles()
            self.assertEqual([asked for asked, _ in roles], [24, 240])
            cells = [kernel.name, kernel.count("QGMMA"), kernel.warpgroup_arrive, kernel.count("LDL") + kernel.count("STL"),
                     kernel.shared_bytes] + [f"{asked}, {used + 1}" for asked, used in roles]
            loading, math = kernel.loop_with("LDGSTS"), kernel.loop_with("QGMMA")
            cells += [loading, math]
            print("| " + " | ".join(map(str, cells)) + " |")
            # S twice (first pair, next pair), two products a tile of 64 columns; O^T: four steps of four tiles.
            tiles = int(kernel.name[-3:]) // 64
            self.assertEqual(kernel.count("QGMMA"), 2 * 2 * tiles + 16)
            # One a fence: twice S, four steps. More would be ptxas guarding what it could not prove (C7519).
            self.assertEqual(kernel.warpgroup_arrive, 6)
            self.assertEqual(kernel.count("LDL") + kernel.count("STL"), 0)
            self.assertLessEqual(kernel.shared_bytes, SHARED_LIMIT)
            for asked, used in roles:
                self.assertLess(used, asked)
            # What the performance model counts with; another compiler may do a little better or worse.
            d_qk = int(kernel.name[-3:])
            self.assertAlmostEqual(math, performance_model.MATH_PER_PAIR[d_qk], delta=50)
            self.assertAlmostEqual(loading, performance_model.LOADING_PER_BLOCK[d_qk], delta=10)


if __name__ == "__main__":
    unittest.main()
