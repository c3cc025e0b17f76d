"""tools/gpu_check.sh without a GPU: what it refuses, what it would run, and the whole way with a pretended GPU."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tools/gpu_check.sh"
PROGRAM = """#!/bin/sh
[ -z "$REFUSED_BY_CUDA" ] || exit 3
case $1 in
  cases) echo '[{"name": "a", "right": true}, {"name": "b", "right": '"${RIGHT:-true}"'}]'; [ "${RIGHT:-true}" = true ] ;;
  ceilings) echo '{"sms": 132, "wgmma_m64n64k32_tflops": 1000.0, "l2_read_tb_s": 5.0, "hbm_read_tb_s": 4.0}' ;;
  time) sleep ${TIME:-0}; echo '[{"shape": [4096, 8192, 128, 576, 2048], "median_ms": 2.0, "tflops": 500.0}]' ;;
esac
"""


SANITIZER = """#!/bin/sh
[ -z "$REFUSED" ] || { echo '========= Error: Device not supported'; exit 1; }
echo "========= ERROR SUMMARY: ${ERRORS:-0} errors"
[ -z "$ERRORS" ] || exit 9
"""


class GpuCheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "work").mkdir()
        self.result = self.folder / "result.json"

    def run_script(self, *arguments, gpu=None, **environment):
        if gpu is not None:
            self.put("nvidia-smi", f"#!/bin/sh\necho '{gpu}'\n")
            self.put("compute-sanitizer", SANITIZER)
        self.put("work/prefill_gpu_check", PROGRAM)
        path = f"{self.folder}:/usr/bin:/bin" if gpu is not None else "/usr/bin:/bin"
        return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": path, "GPU_CHECK_WORK": str(self.folder / "work"), **environment})

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def test_wrong_arguments_are_refused_with_the_usage(self):
        for arguments, words in [(["--parts", "cases,races"], "unknown part: races"), (["--parts"], "--parts needs a value"),
                                 (["--parts", ""], "--parts names none"), (["--seconds", "0"], "--seconds takes"),
                                 (["--seconds", "8m"], "--seconds takes"), (["--peer-dir", "/nowhere"], "no folder /nowhere"),
                                 (["--fast"], "unknown argument: --fast")]:
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertIn("tools/gpu_check.sh [--parts LIST]", done.stderr)

    def test_without_a_gpu_it_says_so_and_writes_nothing(self):
        done = self.run_script("--out", str(self.result))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("nvidia-smi sees no GPU", done.stderr)
        self.assertFalse(self.result.exists())

    def test_another_architecture_is_refused(self):
        done = self.run_script(gpu="NVIDIA B200, 10.0")
        self.assertEqual(done.returncode, 3)
        self.assertIn("this is NVIDIA B200, 10.0", done.stderr)

    def test_a_dry_run_prints_the_commands_of_the_parts(self):
        done = self.run_script("--dry-run", "--parts", "build,time")
        self.assertEqual(done.returncode, 0, done.stderr)
        build, time, results = done.stdout.splitlines()
        self.assertIn("-gencode arch=compute_90a,code=sm_90a", build)
        for word in build.split():
            if word.endswith((".cc", ".cu")):
                self.assertTrue((ROOT / word).exists(), word)
        self.assertIn("prefill_gpu_check time", time)
        self.assertIn("results: tools/bench/results/", results)

    def test_results_of_all_parts_come_together_with_their_shares(self):
        done = self.run_script("--parts", "cases,sanitize,ceilings,time", "--out", str(self.result), gpu="NVIDIA H200, 9.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(self.result.read_text(encoding="utf-8"))
        self.assertEqual(result["gpu"], "NVIDIA H200, 9.0")
        self.assertEqual([one["name"] for one in result["cases"]], ["a", "b"])
        self.assertEqual(result["sanitize"]["racecheck"], ["========= ERROR SUMMARY: 0 errors", "exit status 0"])
        time = result["time"][0]
        self.assertEqual(time["share_of_wgmma"], 0.5)
        self.assertEqual(time["share_of_l2"], round(4096 * 2 * 2048 * 576 / 2e-3 / 5e12, 4))
        self.assertIn("cases: 2, wrong: none", done.stdout)

    def test_a_part_that_is_run_alone_keeps_the_results_of_the_others(self):
        self.run_script("--parts", "cases,ceilings", "--out", str(self.result), gpu="NVIDIA H200, 9.0")
        done = self.run_script("--parts", "time", "--out", str(self.result), gpu="NVIDIA H200, 9.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(self.result.read_text(encoding="utf-8"))
        self.assertEqual(len(result["cases"]), 2)
        self.assertEqual(result["time"][0]["share_of_wgmma"], 0.5)

    def test_a_wrong_case_is_exit_status_1_and_the_rest_is_run(self):
        done = self.run_script("--parts", "cases,time", "--out", str(self.result), gpu="NVIDIA H200, 9.0", RIGHT="false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong: b", done.stdout)
        self.assertIn("500.0 TFLOP/s", done.stdout)

    def test_what_a_sanitizer_finds_is_exit_status_1_and_its_refusal_is_not(self):
        done = self.run_script("--parts", "sanitize", "--out", str(self.result), gpu="NVIDIA H200, 9.0", ERRORS="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("racecheck ended with 9", done.stderr)
        done = self.run_script("--parts", "sanitize", "--out", str(self.result), gpu="NVIDIA H200, 9.0", REFUSED="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(self.result.read_text(encoding="utf-8"))["sanitize"]
        self.assertEqual(found["memcheck"], ["exit status 1", "not run: this host refused it"])

    def test_what_cuda_refuses_is_no_finding(self):
        done = self.run_script("--parts", "cases,time", "--out", str(self.result), gpu="NVIDIA H200, 9.0", REFUSED_BY_CUDA="1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cases: CUDA refused a call", done.stderr)

    def test_a_peer_that_cannot_be_imported_is_noted_and_no_finding(self):
        done = self.run_script("--parts", "time,peer", "--peer-dir", str(self.folder), "--out", str(self.result),
                               gpu="NVIDIA H200, 9.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the peer is not timed: ModuleNotFoundError", done.stderr)
        result = json.loads(self.result.read_text(encoding="utf-8"))
        self.assertIn("ModuleNotFoundError", result["peer"]["not_timed"])
        self.assertEqual(result["time"][0]["tflops"], 500.0)

    def test_it_ends_within_its_time(self):
        done = self.run_script("--parts", "time,cases", "--seconds", "1", "--out", str(self.result), gpu="NVIDIA H200, 9.0",
                               TIME="60")
        self.assertEqual(done.returncode, 4)
        self.assertIn("time: out of time", done.stderr)
        self.assertIsNone(json.loads(self.result.read_text(encoding="utf-8"))["time"])


if __name__ == "__main__":
    unittest.main()
