"""The launch commands that the differential test tries: a fixed seed gives the same ones each time.

Three kinds: `neighbour`, each rule's example as it stands and changed in one place (an argument dropped, another
choice, a number beside it, one argument of another rule added); `pair`, two settings of two arguments;
`random`, three to seven settings. A *setting* is an argument with a value: those of all examples, each choice,
numbers at the edges, each flag.
"""

import json
import random
import re
from dataclasses import dataclass, field

import yaml

from audit_records import covers

PLACEHOLDER_PATH = "/nowhere/model"
SKIPPED = {  # they end the command, read a file, or would make the engine look for something outside the machine
    "config", "model_path", "tokenizer_path", "help", "revision", "download_dir", "json_model_override_args",
    "model_loader_extra_config", "stat_loggers", "weight_loader_prefetch_checkpoints", "custom_sigquit_handler",
}
MODEL_OF_FACT = (("model.is_dsa", "dsa"), ("model.is_mla", "mla"))
MACHINE_OF_SM = {80: "A100", 89: "L40S", 90: "H200", 100: "B200", 120: "RTX5090"}


@dataclass
class Command:
    kind: str
    machine: str
    model: str
    settings: dict
    environment: dict = field(default_factory=dict)
    rule: str = ""


def read_rules(folder):
    """Every rule file as YAML reads it, by id."""
    rules = {}
    for path in sorted(folder.glob("*/*.yaml")):
        rule = yaml.safe_load(path.read_text(encoding="utf-8"))
        rules[rule["id"]] = rule
    return rules


def rules_after_the_check(folder, rules):
    """The rules of steps behind `check_server_args`: what building the model refuses, and what has no step."""
    pack = yaml.safe_load((folder / "pack.yaml").read_text(encoding="utf-8"))
    steps = {step["step"] if isinstance(step, dict) else step
             for stage in pack["stages"] if stage["stage"] == "construction" for step in stage["steps"]} | {"unplaced"}
    return {identity for identity, rule in rules.items() if rule["step"] in steps}


def words(arguments, settings):
    """The flags of `settings`, in their order. A setting at its default is left out where no flag says it."""
    line = []
    for name, value in settings.items():
        facts = arguments[name]
        flags = facts.get("flags") or facts.get("deprecated_flags")
        if not flags or value is None:
            continue
        if "stores" in facts:
            line += [flag for flag, stored in facts["stores"].items() if stored == value][:1]
        elif facts["type"] == "bool":
            line += flags[:1] if value else []
        elif facts["type"].startswith("list"):
            line += [flags[0], *map(str, value)]
        elif facts["type"] == "json":
            line += [flags[0], value if isinstance(value, str) else json.dumps(value)]
        else:
            line += [f"{flags[0]}={value}"]
    return line


def split_example(example, arguments, release):
    """(settings, environment, machine, model) of an example's facts, or None when it is of another release."""
    settings, environment, machine, model = {}, {}, None, None
    facts = next((example[key] for key in ("violates", "passes", "undecided", "changes", "keeps") if key in example), {})
    for name, value in (facts or {}).items():
        if name in arguments:
            settings[name] = value
        elif name.startswith("env."):
            environment[name[4:]] = str(value)
        elif name == "gpu.sm":
            machine = MACHINE_OF_SM.get(value)
        elif name == "version.engine" and value != release:
            return None
        model = next((kind for fact, kind in MODEL_OF_FACT if name == fact and value is True), model)
    settings.pop("model_path", None)
    return settings, environment, machine, model


def settings_of(arguments, examples):
    """Every setting worth trying, by argument."""
    pool = {}
    for name, facts in arguments.items():
        if name in SKIPPED or name.startswith("_") or not (facts.get("flags") or facts.get("deprecated_flags")):
            continue
        values = list(facts.get("choices") or [])
        if facts["type"] == "bool":
            values = [True, False] if "stores" in facts else [True]
        elif facts["type"] == "int" and not values:
            default = facts["default"] or 1
            values = [0, 1, 2, 4, 8, 64, -1, default + 1]
        elif facts["type"] == "double":
            values = [0.0, 0.5, 1.0, -0.5, 2.0]
        pool[name] = values
    for settings in examples:
        for name, value in settings.items():
            if name in pool and value is not None and value not in pool[name]:
                pool[name].append(value)
    return {name: values for name, values in pool.items() if values}


class Generator:
    """Of the arguments that the release has, and the rules that hold for it."""

    def __init__(self, arguments, rules, seed, release):
        self.arguments = arguments
        self.draw = random.Random(seed)
        self.examples = []
        for rule in (rule for rule in rules.values() if covers(rule.get("versions"), release)):
            for example in rule.get("examples", ()):
                split = split_example(example, arguments, release)
                if split:
                    self.examples.append((rule["id"], *split))
        self.pool = settings_of(arguments, [e[1] for e in self.examples])
        self.names = sorted(self.pool)
        self.ruled = sorted({name for e in self.examples for name in e[1] if name in self.pool})

    def place(self, machine=None, model=None):
        return (machine or self.draw.choice(("H200", "H200", "B200", "A100")),
                model or self.draw.choice(("dense", "dense", "moe", "mla", "dsa")))

    def setting(self):
        """Rules' arguments three times out of four."""
        name = self.draw.choice(self.ruled if self.draw.random() < 0.75 else self.names)
        return name, self.draw.choice(self.pool[name])

    def neighbours(self, each):
        for rule, settings, environment, machine, model in self.examples:
            for number in range(each):
                changed = dict(settings) if number == 0 else self.change(settings)
                yield Command("neighbour", *self.place(machine, model), changed, environment, rule)

    def change(self, settings):
        changed, names = dict(settings), [n for n in settings if n in self.pool]
        move = self.draw.random()
        if names and move < 0.25:
            changed.pop(self.draw.choice(names))
        elif names and move < 0.7:
            name = self.draw.choice(names)
            value = changed[name]
            if isinstance(value, int) and not isinstance(value, bool):
                changed[name] = value + self.draw.choice((-1, 1))
            else:
                changed[name] = self.draw.choice(self.pool[name])
        else:
            changed |= [self.setting()]
        return changed

    def mixed(self, kind, count, least, most):
        for _ in range(count):
            settings = dict(self.setting() for _ in range(self.draw.randint(least, most)))
            yield Command(kind, *self.place(), settings)

    def commands(self, count):
        """`count` commands: half neighbours, a quarter pairs, a quarter random."""
        each = max(1, round(count / 2 / max(1, len(self.examples))))
        found = list(self.neighbours(each))
        left = max(0, count - len(found))
        found += self.mixed("pair", left // 2, 2, 2)
        found += self.mixed("random", left - left // 2, 3, 7)
        return found


def template_pattern(message):
    """A rule's message as a pattern for the engine's text."""
    holes = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
    parts, last = [], 0
    for hole in holes.finditer(message):
        parts.append(re.escape(message[last:hole.start()]))
        parts.append({"{{": r"\{", "}}": r"\}"}.get(hole.group(), ".*?"))
        last = hole.end()
    return re.compile("".join(parts) + re.escape(message[last:]), re.DOTALL)
