"""The messages an engine's source raises, asserts or logs, as templates: literal text with `{}` for what varies.

How: each file of the scope is parsed with `ast`. A message is the first argument of a raised call, the text
of an assert, the first argument of a logger's call or of `parser.error`. F-strings, `%`, `.format`,
concatenation, joined literals and names that a single assignment binds (in the function or the module)
are followed; what is left becomes `{}`. Nothing is imported or run.

What it cannot see: texts that come from another function, and names bound more than once. Those are
given back as unreadable, with their place.
"""

import ast
import re
from dataclasses import dataclass

HOLE = "{}"
LOGGED = {"debug": "info", "info": "info", "warning": "warning", "warning_once": "warning", "warn": "warning",
          "error": "error", "critical": "error", "exception": "error", "info_once": "info"}
LOGGERS = {"logger", "logging", "_logger", "log", "warnings"}
PERCENT = re.compile(r"%(\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[sdrfgixXeEc]")
BRACES = re.compile(r"\{[^{}]*\}")
DEEPEST = 8


@dataclass(frozen=True)
class Message:
    path: str
    line: int
    end_line: int
    function: str
    kind: str       # raise, assert, refuse (parser.error), warning, info, error; code, a line of it
    raises: str     # the exception's class, else empty
    template: str   # None where it could not be read
    source: str     # the expression, where it could not be read


def merged(template):
    """One hole for holes that touch, and no blank at the ends."""
    return re.sub(r"(\{\}\s*)+(?=\{\})", "", template).strip()


class Reader:
    """Turns the expressions of one module into templates."""

    def __init__(self, module):
        self.constants = bindings(module.body)

    def template(self, node, names, depth=0):
        """The text of `node`, or None when it holds no literal of its own."""
        if depth > DEEPEST or node is None:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else str(node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(self._piece(part, names, depth) for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = (self.template(side, names, depth + 1) for side in (node.left, node.right))
            return None if left is None and right is None else (left or HOLE) + (right or HOLE)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text = self.template(node.left, names, depth + 1)
            return None if text is None else from_percent(text)
        if isinstance(node, ast.Call):
            return self._call(node, names, depth)
        if isinstance(node, ast.Name):
            bound = names.get(node.id, self.constants.get(node.id))
            return None if bound is None else self.template(bound, names, depth + 1)
        return None

    def _piece(self, part, names, depth):
        if isinstance(part, ast.Constant):
            return str(part.value)
        if isinstance(part.value, ast.Name):  # f"{PREFIX} …", where PREFIX is a text of this module
            bound = self.constants.get(part.value.id)
            if isinstance(bound, ast.Constant) and isinstance(bound.value, str):
                return bound.value
        return HOLE

    def _call(self, node, names, depth):
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "format":
                text = self.template(node.func.value, names, depth + 1)
                return None if text is None else BRACES.sub(HOLE, text)
            if node.func.attr in ("strip", "lstrip", "rstrip"):
                return self.template(node.func.value, names, depth + 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "dedent" or \
                isinstance(node.func, ast.Name) and node.func.id in ("dedent", "str"):
            return self.template(node.args[0], names, depth + 1) if node.args else None
        return None


def from_percent(text):
    return PERCENT.sub(HOLE, text).replace("%%", "%")


def bindings(statements):
    """Names that exactly one plain assignment binds, here or in the blocks below, but not in inner functions."""
    bound, twice, left = {}, set(), list(statements)
    while left:
        node = left.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in bound:
                twice.add(name)
            bound[name] = node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            twice.add(node.target.id)
        left.extend(ast.iter_child_nodes(node))
    return {name: value for name, value in bound.items() if name not in twice}


def class_of(node):
    """The exception's class as it is written: `ValueError` of `ValueError(...)` or `errors.ValueError(...)`."""
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def found_in(node):
    """(kind, exception class, message expression, arguments after it) of a statement or call, or None."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        arguments = node.exc.args or [k.value for k in node.exc.keywords if k.arg in ("message", "msg", "detail")]
        return ("raise", class_of(node.exc), arguments[0], []) if arguments else None
    if isinstance(node, ast.Assert) and node.msg is not None:
        return "assert", "AssertionError", node.msg, []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner = node.func.value
        name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
        if name in LOGGERS and node.func.attr in LOGGED:
            return LOGGED[node.func.attr], "", node.args[0], node.args[1:]
        if name in ("parser", "_parser") and node.func.attr == "error":
            return "refuse", "argparse", node.args[0], []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args \
            and node.func.id in ("print_warning_once", "print_info_once", "log_info_on_rank0", "rank0_log"):
        text = node.args[-1] if node.func.id == "log_info_on_rank0" else node.args[0]
        return "warning" if "warning" in node.func.id else "info", "", text, []
    return None


def messages_of(tree, path):
    """Every message of one file, in the order of its lines."""
    module = tree.module(path)
    reader, found = Reader(module), []

    def walk(node, function, names):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function, names = node.name, {**names, **bindings(node.body)}
        hit = found_in(node)
        if hit:
            kind, raises, expression, more = hit
            text = reader.template(expression, names)
            if text is not None and more:
                text = from_percent(text)
            readable = text is not None and re.search(r"[A-Za-z]{2}", text.replace(HOLE, ""))
            found.append(Message(path, node.lineno, node.end_lineno or node.lineno, function, kind, raises,
                                 merged(text) if readable else None, "" if readable else ast.unparse(expression)))
        for child in ast.iter_child_nodes(node):
            walk(child, function, names)

    walk(module, "", {})
    return sorted(found, key=lambda m: m.line)
