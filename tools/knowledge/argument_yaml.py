"""The two YAML files of the argument extractor: reads the hand-written documentation, writes
arguments.yaml. Both are plain enough that no YAML library is needed."""

import json
import re

PLAIN = re.compile(r"[A-Za-z_./<>-][A-Za-z0-9_./<>+-]*")
AMBIGUOUS = {"yes", "no", "on", "off", "y", "n", "true", "false", "null", "none", "~"}

HEADER = """\
# The arguments of SGLang{version}, extracted from its source by tools/knowledge/extract_arguments.py:
# do not edit by hand. The lines of documentation come from tools/knowledge/argument_documentation.yaml.
arguments:
"""


def scalar(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if PLAIN.fullmatch(value) and value.lower() not in AMBIGUOUS and not value.startswith("-."):
        return value
    return json.dumps(value, ensure_ascii=False)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def wrapped(key, items, indent="    ", width=100):
    """`key: [a, b]`, over several lines where one is too long."""
    line = f"{indent}{key}: {flow(items)}"
    if len(line) <= width:
        return line + "\n"
    lines, current = [f"{indent}{key}: ["], indent + "  "
    for item in items:
        word = flow(item) + ", "
        if len(current) + len(word) > width:
            lines.append(current.rstrip())
            current = indent + "  "
        current += word
    lines.append(current.rstrip().rstrip(",") + "]")
    return "\n".join(lines) + "\n"


def default_of(argument):
    """The default in the argument's type: an engine may write `1` where it declares a float."""
    return in_type(argument.type, argument.default)


def in_type(kind, value):
    return float(value) if kind == "double" and type(value) is int else value


def render(arguments, lines, releases):
    releases = [release for release in releases if release]
    text = HEADER.format(version=f" {' to '.join(dict.fromkeys((releases[0], releases[-1])))}" if releases else "")
    group = None
    for argument in arguments:
        if argument.group != group:
            group = argument.group
            text += f"\n  # ---- {group}\n"
        for note in argument.notes:
            text += f"  # {note}\n"
        text += f"  {argument.name}:\n"
        if argument.versions:
            text += f"    versions: {scalar(argument.versions)}\n"
        text += f"    type: {scalar(argument.type)}\n"
        if argument.nullable:
            text += "    nullable: true\n"
        text += f"    default: {flow(default_of(argument))}\n"
        if argument.default_versions:
            defaults = {span: in_type(argument.type, value) for span, value in argument.default_versions.items()}
            text += f"    default_versions: {flow(defaults)}\n"
        if argument.choices:
            text += wrapped("choices", argument.choices)
        if argument.choice_versions:
            text += f"    choice_versions: {flow(argument.choice_versions)}\n"
        if argument.open_choices:
            text += "    open_choices: true\n"
        if argument.unit_suffixes:
            text += f"    unit_suffixes: {flow(argument.unit_suffixes)}\n"
        if argument.flags:
            text += wrapped("flags", argument.flags)
        if argument.deprecated_flags:
            text += wrapped("deprecated_flags", argument.deprecated_flags)
        if argument.flag_versions:
            text += f"    flag_versions: {flow(argument.flag_versions)}\n"
        if argument.deprecated_versions:
            text += f"    deprecated_versions: {flow(argument.deprecated_versions)}\n"
        if argument.stores:
            text += f"    stores: {flow(argument.stores)}\n"
        if argument.name in lines:
            text += f"    documentation: {scalar(lines[argument.name])}\n"
    return text


def read_documentation(path):
    """`name: text` lines; a text in double quotes is a JSON string. Comments and blank lines pass."""
    lines = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, text = line.partition(": ")
        if not colon or not re.fullmatch(r"\w+", name):
            raise SystemExit(f"{path}:{number}: expected `name: text`")
        if name in lines:
            raise SystemExit(f"{path}:{number}: {name} is documented twice")
        lines[name] = json.loads(text) if text.startswith('"') else text.strip()
    return lines


FLOW_TOKEN = re.compile(r"""\s*(?:(?P<punctuation>[\[\]{},:](?=\s|$|[\[\]{}])|[\[\]{},])|(?P<quoted>"(?:[^"\\]|\\.)*")"""
                        r"""|(?P<plain>[^\s\[\]{},"](?:[^\[\]{},:]|:(?!\s))*))""")


def read_flow(text):
    """A value as `flow` writes it."""
    tokens = [match for match in FLOW_TOKEN.finditer(text) if match.group().strip()]
    position = 0

    def value():
        nonlocal position
        token = tokens[position]
        position += 1
        if token["quoted"]:
            return json.loads(token["quoted"])
        if token["plain"]:
            return read_scalar(token["plain"].strip())
        opening = token["punctuation"]
        items = {} if opening == "{" else []
        while tokens[position]["punctuation"] not in ("]", "}"):
            item = value()
            if opening == "{":
                position += 1  # the colon
                items[item] = value()
            else:
                items.append(item)
            if tokens[position]["punctuation"] == ",":
                position += 1
        position += 1
        return items

    return value()


def read_scalar(word):
    constants = {"null": None, "true": True, "false": False}
    if word in constants:
        return constants[word]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def read_arguments(path):
    """{name: {key: value}} of an arguments.yaml that `render` wrote. ValueError where it is another file."""
    arguments, name, pending = {}, None, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or line == "arguments:":
            continue
        opened = re.fullmatch(r"  (\w+):", line)
        keyed = re.fullmatch(r"    (\w+): (.*)", line)
        if opened:
            name, pending = opened.group(1), None
            arguments[name] = {}
        elif keyed and name:
            key, text = keyed.groups()
            pending = (key, text) if text == "[" else None
            if not pending:
                arguments[name][key] = text if key == "documentation" else read_flow(text)
        elif pending:
            pending = (pending[0], f"{pending[1]} {stripped}")
            if stripped.endswith("]"):
                arguments[name][pending[0]] = read_flow(pending[1])
                pending = None
        else:
            raise ValueError(f"{path}:{number}: not as extract_arguments.py writes it")
    return arguments
