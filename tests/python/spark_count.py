"""Counts the errors of a small fleet's logs in a local Spark cluster of two workers, and without Spark: the counts are equal, and what
was written into the logs.

    spark_count.py ASSAY EXAMPLE.py
"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

KNOWLEDGE = pathlib.Path(__file__).parents[1] / "cli/knowledge"
KNOWN = "[{day} 03:04:05 TP0] ValueError: the fast backend needs an fp8 cache, got bf16.\n"


def main():
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if importlib.util.find_spec(name) is None]
    if missing:
        print("left out: not in this environment:", ", ".join(missing))
        return
    assay, example = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        expected = {}
        for number in range(6):
            day, version = f"2026-01-0{1 + number % 2}", f"0.5.2{number % 3}"
            log = f"[{day} 03:00:00] sglang version={version}\n" + f"[{day} 03:00:01] Decode batch\n" * 1000
            pathlib.Path(folder, f"{number}.log").write_text(log + KNOWN.format(day=day) * (1 + number))
            expected[version, day] = expected.get((version, day), 0) + 1 + number
        answers = []
        for more in ([], ["--without-spark"]):
            done = subprocess.run([sys.executable, example, "--assay", assay, "--knowledge", KNOWLEDGE, folder, *more],
                                  stdout=subprocess.PIPE, check=True)
            answers.append(json.loads(done.stdout))
    assert answers[0]["errors"] == answers[1]["errors"], answers
    assert answers[0]["bytes"] == answers[1]["bytes"], answers
    counts = {(error["version"], error["day"]): error["count"] for error in answers[0]["errors"]}
    assert counts == expected, (counts, expected)
    print([answer["bytesPerCoreSecond"] for answer in answers])


if __name__ == "__main__":
    main()
