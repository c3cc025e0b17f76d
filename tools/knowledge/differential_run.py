"""Compares verdict and first message of `assay check` with the real engine's, command by command.

How: differential_commands.py makes the commands; engine_verdicts.py asks the engine, one process a machine,
each command in a forked child; `assay check` reads the same commands as scripts, many a process.
differential_classes.py says for each disagreement what it is. Not part of the tests: it needs the engine's
package (unpacked, never installed) and an interpreter with its pure-Python dependencies.

Use:  differential --source TREE --python PYTHON --assay PROGRAM [--count 5000] [--seed 1] [--out FILE]
Exit status: 0 when at least --agreement of the commands agree, 1 otherwise.
"""

import argparse
import json
import shlex
import subprocess
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engine_stubs
from argument_releases import in_release
from argument_yaml import read_arguments
from differential_classes import classify
from differential_commands import Generator, read_rules, rules_after_the_check, words
from source_tree import SourceTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHUNK = 1000  # commands that one process of the engine judges before its answers are kept
BATCH = 100   # scripts in one process of ours
FACTS = ["version.flashinfer=0.7.2", f"version.torch={engine_stubs.TORCH_VERSION}", "version.cuda=13.0"]


class Cache:
    """The engine's answers of earlier runs, a JSON line each: they do not change while the rules do."""

    def __init__(self, path, version):
        self.path, self.version, self.known = path, version, {}
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry["verdict"]

    def key(self, command, line):
        return json.dumps([self.version, command.machine, command.environment, line])

    def add(self, numbered, answers):
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                for number, command, line in numbered:
                    file.write(json.dumps({"key": self.key(command, line), "verdict": answers[number]}) + "\n")


def ask_engine(options, cache, machine, group):
    """{number: verdict} of the commands of one machine."""
    answers, numbered = {}, []
    for entry in group:
        known = cache.known.get(cache.key(*entry[1:]))
        answers |= {entry[0]: known} if known else {}
        numbered += [] if known else [entry]
    for start in range(0, len(numbered), CHUNK):
        chunk = numbered[start:start + CHUNK]
        found = run_engine(options, machine, chunk)
        cache.add(chunk, found)
        answers |= found
    return answers


def run_engine(options, machine, numbered):
    lines = "".join(json.dumps({"id": number, "words": line, "environment": command.environment}) + "\n"
                    for number, command, line in numbered)
    program = [options.python, HERE / "engine_verdicts.py", "--source", options.source, "--machine", machine]
    done = subprocess.run(program, input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(numbered):
        raise SystemExit(f"the engine answered {len(answers)} of {len(numbered)} commands on {machine}:\n"
                         + done.stderr[-2000:])
    return {answer["id"]: answer for answer in answers}


def script(command, line):
    environment = "".join(f"{name}={shlex.quote(value)} " for name, value in command.environment.items())
    return f"{environment}python -m sglang.launch_server {shlex.join(line)}\n"


def ask_assay(options, folder, batch):
    """{number: launch} of commands of one machine and model."""
    files = []
    for number, command, line in batch:
        files.append(folder / f"{number}.sh")
        files[-1].write_text(script(command, line))
    machine = engine_stubs.MACHINES[batch[0][1].machine]
    facts = [*FACTS, "gpu.vendor=nvidia", f"gpu.name={machine.name}", f"gpu.count={machine.gpus}",
             f"gpu.sm={10 * machine.capability[0] + machine.capability[1]}", f"gpu.memory_mib={machine.memory_mib}",
             f"gpu.sm_count={machine.sm_count}", f"version.engine={SourceTree(options.source).version()}"]
    program = [options.assay, "check", "--knowledge", options.knowledge, "--format", "json",
               "--model-config", engine_stubs.MODELS / batch[0][1].model / "config.json"]
    for fact in facts:
        program += ["--fact", fact]
    done = subprocess.run([*program, *files], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"assay check: {done.stderr[-2000:]}")
    return {int(Path(launch["place"]["file"]).stem): launch for launch in json.loads(done.stdout)["launches"]}


def compare(options, commands, arguments, rules):
    """One row a command: what it was, both verdicts, and the class of the disagreement or `agree`."""
    numbered = []
    for number, command in enumerate(commands):
        line = ["--model-path", str(engine_stubs.MODELS / command.model), *words(arguments, command.settings)]
        numbered.append((number, command, line))
    by_machine, by_place = defaultdict(list), defaultdict(list)
    for entry in numbered:
        by_machine[entry[1].machine].append(entry)
        by_place[entry[1].machine, entry[1].model].append(entry)
    batches = [group[i:i + BATCH] for group in by_place.values() for i in range(0, len(group), BATCH)]
    engine, ours, cache = {}, {}, Cache(options.cache, SourceTree(options.source).version())
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        for launches in pool.map(lambda batch: ask_assay(options, Path(folder), batch), batches):
            ours |= launches
        for answers in pool.map(lambda group: ask_engine(options, cache, *group), by_machine.items()):
            engine |= answers
    rows, later = [], rules_after_the_check(options.knowledge / "rules/sglang", rules)
    for number, command, line in numbered:
        row = {"kind": command.kind, "rule": command.rule, "machine": command.machine, "model": command.model,
               "command": " ".join([f"{k}={v}" for k, v in command.environment.items()] + line[2:]),
               "engine": engine[number]}
        rows.append(row | classify(engine[number], ours.get(number), rules, later))
    return rows


def summary(rows):
    classes = Counter(row["class"] for row in rows)
    judged = len(rows) - classes["stub artefact"]
    lines = [f"{len(rows)} commands, {sum(row['engine']['refused'] for row in rows)} refused by the engine; "
             f"{classes['agree']} of {judged} judged agree ({100 * classes['agree'] / max(1, judged):.2f} %)", ""]
    lines += [f"  {count:5}  {name}" for name, count in classes.most_common()]
    for name in classes:
        if name == "agree":
            continue
        subjects = Counter(row["subject"] for row in rows if row["class"] == name)
        lines += ["", f"{name}:"]
        for subject, count in subjects.most_common(40):
            sample = next(row for row in rows if row["class"] == name and row["subject"] == subject)
            lines += [f"  {count:4}  {subject}", f"          {sample['machine']} {sample['model']}: {sample['command']}"]
    return "\n".join(lines)


def main(arguments_of_program=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--python", required=True, type=Path)
    parser.add_argument("--assay", required=True, type=Path)
    parser.add_argument("--knowledge", type=Path, default=ROOT)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--agreement", type=float, default=0.99)
    parser.add_argument("--cache", type=Path, help="keeps the engine's answers for the next run")
    parser.add_argument("--out", type=Path, help="every row as a JSON line")
    options = parser.parse_args(arguments_of_program)

    release = SourceTree(options.source).version()
    arguments = in_release(read_arguments(options.knowledge / "rules/sglang/arguments.yaml"), release)
    rules = read_rules(options.knowledge / "rules/sglang")
    commands = Generator(arguments, rules, options.seed, release).commands(options.count)
    rows = compare(options, commands, arguments, rules)
    if options.out:
        options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print(summary(rows))
    judged = [row for row in rows if row["class"] != "stub artefact"]
    return 0 if sum(row["class"] == "agree" for row in judged) >= options.agreement * len(judged) else 1
