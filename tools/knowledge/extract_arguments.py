#!/usr/bin/env python3
"""Writes rules/<pack>/arguments.yaml from an engine's source tree.

How: the tree is parsed with `ast`, nothing of it is imported or run. Every class under
`arg_groups/fields/` that names a `_NS_PATH` holds arguments: annotated assignments
`name: A[type, "help"] = default` or `name: A[type, Arg(...)] = default`. Choice lists and defaults
are names in other modules; `source_tree.Evaluator` folds the constant ones. Calls of
`parser.add_argument` in `add_cli_args` add the flags that are registered by hand, among them the
deprecated ones.

With several trees, one a release, the file holds what all of them have (argument_releases.py): the
newest release's arguments, and ranges of releases where others differ.

What it does not take over: the engine's help texts. One line per argument in our own words stands in
`argument_documentation.yaml`, keyed by name; an argument without a line there has none.

Use:  extract_arguments.py --source TREE [--source TREE ...] [--out FILE] [--check]
TREE is the folder that holds `sglang/` (an unpacked wheel, or `python/` of a checkout). --check writes
nothing and exits 1 when FILE is not what would be written.
"""

import argparse
import ast
import difflib
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from argument_releases import merge, oldest_first
from argument_yaml import read_documentation, render
from source_tree import Evaluator, SourceTree, Unresolved

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SCALARS = {"str": "string", "int": "int", "float": "double", "bool": "bool"}
# What the engine's `human_readable_int` takes after a number, and what that multiplies it by.
UNIT_SUFFIXES = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
                 "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
JSON_PARSERS = {"json.loads", "parse_cuda_graph_config_arg"}
JSON_LIST_PARSERS = {"json_list_type"}  # a JSON list of one word stays text: the argument type json is a map


@dataclass
class Argument:
    name: str
    group: str
    type: str = "string"
    nullable: bool = False
    default: object = None
    choices: list | None = None
    open_choices: bool = False
    unit_suffixes: dict = field(default_factory=dict)
    flags: list = field(default_factory=list)
    deprecated_flags: list = field(default_factory=list)
    stores: dict = field(default_factory=dict)
    versions: str = ""  # ranges of releases: argument_releases.py
    choice_versions: dict = field(default_factory=dict)
    flag_versions: dict = field(default_factory=dict)
    deprecated_versions: dict = field(default_factory=dict)
    default_versions: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)


def dotted(node):
    """`a.b.c` of a Name or Attribute chain, else an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


def subscript_items(node):
    inner = node.slice
    return inner.elts if isinstance(inner, ast.Tuple) else [inner]


def read_type(node, evaluator, module):
    """(type as rules/FORMAT.md names it, nullable, literal choices or None)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, ast.Constant) and other.value is None:
                kind, _, choices = read_type(side, evaluator, module)
                return kind, True, choices
        return "json", False, None
    if isinstance(node, ast.Subscript):
        head = dotted(node.value).split(".")[-1]
        items = subscript_items(node)
        if head == "Optional":
            kind, _, choices = read_type(items[0], evaluator, module)
            return kind, True, choices
        if head == "Union":
            rest = [i for i in items if not (isinstance(i, ast.Constant) and i.value is None)]
            nullable = len(rest) < len(items)
            if len(rest) == 1:
                return read_type(rest[0], evaluator, module)[0], nullable, None
            return "json", nullable, None
        if head == "Literal":
            values = [evaluator.value(i, module) for i in items]
            kind = "int" if all(type(v) is int for v in values) else "string"
            return kind, False, values
        if head in ("List", "list", "Sequence"):
            return f"list<{SCALARS.get(dotted(items[0]), 'string')}>", False, None
        return "json", False, None
    return SCALARS.get(dotted(node), "json"), False, None


def flag_of(name):
    return "--" + name.replace("_", "-")


def read_default(node, evaluator, module):
    if isinstance(node, ast.Call):  # msgspec.field(default_factory=list)
        for keyword in node.keywords:
            if keyword.arg == "default_factory":
                body = keyword.value.body if isinstance(keyword.value, ast.Lambda) else None
                if body is not None:
                    return evaluator.value(body, module)
                return {"list": [], "dict": {}}[dotted(keyword.value)]
    return evaluator.value(node, module)


def apply_metadata(argument, call, evaluator, module):
    """Takes over what `Arg(...)` says about one argument."""
    keywords = {k.arg: k.value for k in call.keywords}
    flag = flag_of(argument.name)
    if "cli_name" in keywords:
        flag = evaluator.value(keywords["cli_name"], module)
    if "no_cli" not in keywords:
        argument.flags = [flag]
        if "aliases" in keywords:
            argument.flags += evaluator.value(keywords["aliases"], module)
    parser = dotted(keywords["type_parser"]) if "type_parser" in keywords else ""
    if parser in JSON_PARSERS:
        argument.type = "json"
    if parser in JSON_LIST_PARSERS:
        argument.type = "string"
    if parser == "human_readable_int":
        argument.unit_suffixes = dict(UNIT_SUFFIXES)
    if "choices" in keywords:
        take_choices(argument, keywords["choices"], evaluator, module)
    action = dotted(keywords["action"]) if "action" in keywords else ""
    if action == "LoRAPathAction":  # words, of which some may be JSON objects
        argument.type = "list<string>"
    nargs = ast.unparse(keywords["nargs"]).strip("'\"") if "nargs" in keywords else ""
    if nargs in ("*", "+") and argument.type == "json" and not parser:
        argument.type = "list<string>"  # a union of list types
    if nargs and not argument.type.startswith("list"):
        argument.notes.append(f"nargs={nargs} is not modelled: one value is taken")
    if action.endswith("BooleanOptionalAction"):
        for spelling in argument.flags:
            argument.stores[spelling] = True
            argument.stores["--no-" + spelling[2:]] = False
        argument.flags = list(argument.stores)


# Choices that the engine's parser asks of a registry when it runs: what stands before the registry's
# names, and where the names are, the newest releases' place first. Plugins add to a registry.
REGISTRIES = {
    "reasoning_parser": (["auto"], [
        ("sglang/srt/parser/reasoning_parser_names.py", "REASONING_PARSER_NAMES"),
        ("sglang/srt/parser/reasoning_parser.py", "DetectorMap")]),
    "tool_call_parser": (["auto"], [
        ("sglang/srt/function_call/parser_names.py", "TOOL_CALL_PARSER_NAMES"),
        ("sglang/srt/function_call/function_call_parser.py", "ToolCallParserEnum")]),
    "sampling_backend": ([], [
        ("sglang/srt/arg_groups/choices.py", "BUILT_IN_SAMPLING_BACKENDS"),
        ("sglang/srt/arg_groups/choices.py", "SAMPLING_BACKEND_CHOICES")]),
}


def registry_names(tree, path, name):
    """The texts of the list or set, or the keys of the map, that the module or a class in it assigns to the name."""
    for node in ast.walk(tree.module(path)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else node.value
            items = value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", [])
            names = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            if names and len(names) == len(items):
                return names
    return []


def take_registered_choices(argument, tree):
    """Whether the choices stand in a registry of this release, which then are taken."""
    first, places = REGISTRIES.get(argument.name, ([], []))
    for path, name in places:
        names = registry_names(tree, path, name) if tree.exists(path) else []
        if names:
            argument.choices = first + names
            argument.open_choices = True
            return True
    return False


def take_choices(argument, node, evaluator, module):
    try:
        argument.choices = list(evaluator.value(node, module))
        argument.open_choices = evaluator.is_extension_point(node, module)
    except Unresolved as fault:
        if not take_registered_choices(argument, evaluator.tree):
            argument.notes.append(f"choices are computed by the engine ({fault})")


def read_argument(statement, group, evaluator, module):
    """The argument an annotated assignment declares. One without metadata has no flag of its own:
    the engine's parser registers it by hand."""
    annotation = statement.annotation
    declared, metadata = annotation, []
    if isinstance(annotation, ast.Subscript) and dotted(annotation.value) in ("A", "Annotated"):
        declared, *metadata = subscript_items(annotation)
    argument = Argument(statement.target.id, group)
    argument.type, argument.nullable, argument.choices = read_type(declared, evaluator, module)
    calls = [m for m in metadata if isinstance(m, ast.Call) and dotted(m.func) == "Arg"]
    if calls:
        apply_metadata(argument, calls[0], evaluator, module)
    elif metadata:
        argument.flags = [flag_of(argument.name)]
    if statement.value is not None:
        try:
            argument.default = read_default(statement.value, evaluator, module)
        except (Unresolved, KeyError) as fault:
            argument.notes.append(f"default is computed by the engine ({fault})")
            argument.default, argument.nullable = None, True
    elif argument.type == "string":
        argument.default = ""
        argument.notes.append("required by the engine's parser")
    if argument.default is None:
        argument.nullable = True
    return argument


def read_fields(tree, evaluator):
    arguments = {}
    for path in tree.glob("sglang/srt/arg_groups/fields/*.py"):
        module = tree.module(path)
        for node in module.body:
            if not isinstance(node, ast.ClassDef):
                continue
            group = class_constant(node, "_NS_PATH")
            if group is None:
                continue
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    argument = read_argument(statement, group, evaluator, path)
                    arguments[argument.name] = argument
    return arguments


def class_constant(node, name):
    for statement in node.body:
        if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == name:
            return ast.literal_eval(statement.value)
    return None


def read_hand_registered(tree, evaluator, arguments):
    """`parser.add_argument(...)` in add_cli_args: dynamic choices and deprecated flags."""
    path = "sglang/srt/server_args.py"
    for node in ast.walk(tree.module(path)):
        if not (isinstance(node, ast.Call) and dotted(node.func) == "parser.add_argument"):
            continue
        spellings = [a.value for a in node.args if isinstance(a, ast.Constant)]
        keywords = {k.arg: k.value for k in node.keywords}
        name = spellings[0].lstrip("-").replace("-", "_")
        if "dest" in keywords:
            name = evaluator.value(keywords["dest"], path)
        argument = arguments.get(name)
        if argument is None:
            continue  # --config: named by pack.yaml
        action = dotted(keywords["action"]) if "action" in keywords else ""
        if action.startswith("Deprecated"):
            takes_value = "nargs" in keywords and "const_value" in keywords
            if takes_value:
                argument.notes.append(f"{spellings[0]} VALUE stores true; not modelled")
            else:
                argument.deprecated_flags += spellings
        else:
            argument.flags = spellings
        if "choices" in keywords and not action:
            take_choices(argument, keywords["choices"], evaluator, path)


def extract(source):
    """(release, {name: Argument}) of one tree; None where it holds no engine."""
    tree = SourceTree(source)
    if not tree.exists("sglang/srt/server_args.py"):
        return None
    evaluator = Evaluator(tree)
    arguments = read_fields(tree, evaluator)
    read_hand_registered(tree, evaluator, arguments)
    return tree.version(), arguments


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=Path, action="append")
    parser.add_argument("--out", type=Path, default=ROOT / "rules/sglang/arguments.yaml")
    parser.add_argument("--documentation", type=Path, default=HERE / "argument_documentation.yaml")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(words)

    by_release = {}
    for source in options.source:
        extracted = extract(source)
        if extracted is None:
            print(f"{source}: no sglang/srt/server_args.py below it", file=sys.stderr)
            return 2
        release, arguments = extracted
        if release in by_release or (not release and len(options.source) > 1):
            print(f"{source}: several trees need a release each, this one is "
                  f"{release + ' as well' if release else 'without one'}", file=sys.stderr)
            return 2
        by_release[release] = arguments
    by_release = oldest_first(by_release)
    arguments = merge(by_release)
    lines = read_documentation(options.documentation)
    for name in sorted(set(lines) - set(arguments)):
        print(f"{options.documentation}: no argument is named {name}", file=sys.stderr)
    wanted = render(arguments.values(), lines, list(by_release))
    if not options.check:
        options.out.write_text(wanted)
        print(f"{options.out}: {len(arguments)} arguments, {len(lines)} documented")
        return 0
    found = options.out.read_text() if options.out.exists() else ""
    if found == wanted:
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), str(options.out), "engine"))
    print("repair with: tools/knowledge/extract_arguments.py "
          + " ".join(f"--source {source}" for source in options.source))
    return 1


if __name__ == "__main__":
    sys.exit(main())
