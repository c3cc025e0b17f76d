"""An engine's Python files, parsed but never run, and an evaluator for the constants in them."""

import ast
import copy
import operator
import re
from pathlib import Path

ARITHMETIC = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Pow: operator.pow,
}
DEEPEST = 40  # names that lead to names: far above what a real tree has, stops a cycle


class Unresolved(Exception):
    """An expression that is not constant as far as this evaluator can see."""


class SourceTree:
    """Paths are relative to the folder that holds the top package, with forward slashes."""

    def __init__(self, root):
        self.root = Path(root)
        self._modules = {}

    def exists(self, path):
        return (self.root / path).is_file()

    def glob(self, pattern):
        return sorted(p.relative_to(self.root).as_posix() for p in self.root.glob(pattern))

    def module(self, path):
        if path not in self._modules:
            self._modules[path] = ast.parse(self.text(path), path)
        return self._modules[path]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def version(self):
        """The release the tree says it is, or an empty string."""
        path = self.root / "sglang/_version.py"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found = re.search(r"^__version__ = .*?['\"]([^'\"]+)['\"]", text, re.MULTILINE)
        return found.group(1) if found else ""

    def path_of(self, dotted_module):
        base = dotted_module.replace(".", "/")
        for path in (f"{base}.py", f"{base}/__init__.py"):
            if self.exists(path):
                return path
        raise Unresolved(f"module {dotted_module} is not in the tree")


class Evaluator:
    def __init__(self, tree):
        self.tree = tree

    def value(self, node, path, depth=0):
        """The constant `node` stands for in the module at `path`; raises Unresolved."""
        if depth > DEEPEST:
            raise Unresolved("names lead too deep")
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(item, path, depth + 1) for item in node.elts]
        if isinstance(node, ast.Set):
            return sorted(self.value(item, path, depth + 1) for item in node.elts)
        if isinstance(node, ast.Dict):
            return {self.value(k, path, depth + 1): self.value(v, path, depth + 1)
                    for k, v in zip(node.keys, node.values)}
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.value(node.operand, path, depth + 1)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](self.value(node.left, path, depth + 1),
                                             self.value(node.right, path, depth + 1))
        if isinstance(node, ast.Call):
            return self._call(node, path, depth)
        if isinstance(node, ast.ListComp):
            return self._member_names(node, path, depth)
        if isinstance(node, (ast.Name, ast.Attribute)):
            target, where = self._definition(node, path, depth)
            return self.value(target, where, depth + 1)
        raise Unresolved(ast.unparse(node))

    def is_extension_point(self, node, path):
        """Whether plugins may lengthen the list: its module offers `add_... = NAME.extend`."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for name in names:
            try:
                _, where = self._definition(ast.Name(name), path, 0)
            except Unresolved:
                continue
            for statement in self.tree.module(where).body:
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Attribute) \
                        and statement.value.attr in ("extend", "append") \
                        and isinstance(statement.value.value, ast.Name) \
                        and statement.value.value.id == name:
                    return True
        return self._is_registry(node, path)

    def _is_registry(self, node, path):
        """Whether a plugin may add to what the list is made of: a class's dictionary, a set (other lists
        name their `.extend` where they take additions)."""
        for part in ast.walk(node):
            try:
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                    target, where = self._definition(part.func, path, 0)
                    if any(isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Attribute)
                           for inner in ast.walk(target)):
                        return True
                elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "keys":
                    return True
                elif isinstance(part, ast.Name):
                    target, _ = self._definition(part, path, 0)
                    is_copy = isinstance(target, ast.Call) and ast.unparse(target.func) == "set"
                    if is_copy or isinstance(target, ast.Set):
                        return True
            except Unresolved:
                continue
        return False

    def _member_names(self, node, path, depth):
        """[m.name.lower() for m in f()], where f lists the members of an enumeration."""
        loop = node.generators[0]
        if ast.unparse(node.elt) != f"{ast.unparse(loop.target)}.name.lower()" or loop.ifs:
            raise Unresolved(ast.unparse(node))
        source = loop.iter
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
            source, path = self._returned(source, path, depth)
        if isinstance(source, ast.Call) and ast.unparse(source.func) == "list":
            source = source.args[0]
        owner, _ = self._definition(source, path, depth + 1)
        if not isinstance(owner, ast.ClassDef):
            raise Unresolved(ast.unparse(node))
        return [s.targets[0].id.lower() for s in owner.body if isinstance(s, ast.Assign)]

    def _returned(self, node, path, depth):
        """(expression, module path) of the last return of a function without arguments."""
        unresolved = Unresolved(ast.unparse(node.func) + "()")
        try:
            target, where = self._definition(node.func, path, depth + 1)
        except Unresolved:
            raise unresolved from None
        if isinstance(target, ast.FunctionDef) and not node.args and isinstance(target.body[-1], ast.Return):
            return target.body[-1].value, where
        raise unresolved

    def _call(self, node, path, depth):
        """list(x), tuple(x), set(x), sorted(x), frozenset(x) of a constant; a set comes back sorted. X.keys() of a
        dictionary whose keys are constant, and functions that return such a list."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
            target, where = self._definition(node.func.value, path, depth + 1)
            if isinstance(target, ast.Dict):
                return [self.value(key, where, depth + 1) for key in target.keys]
        if isinstance(node.func, ast.Name) and not node.args and not node.keywords:
            expression, where = self._returned(node, path, depth)
            return self.value(expression, where, depth + 1)
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords \
                and node.func.id in ("list", "tuple", "set", "sorted", "frozenset"):
            items = self.value(node.args[0], path, depth + 1)
            return list(items) if node.func.id in ("list", "tuple") else sorted(items)
        raise Unresolved(ast.unparse(node.func) + "()")

    def _statements(self, path):
        """A module's statements, then the imports within its functions."""
        module = self.tree.module(path)
        yield from module.body
        for function in module.body:
            if isinstance(function, ast.FunctionDef):
                yield from (s for s in ast.walk(function) if isinstance(s, ast.ImportFrom))

    def _definition(self, node, path, depth):
        """(expression, module path) a name or `Class.attribute` was assigned from."""
        if isinstance(node, ast.Attribute):
            owner, where = self._definition(node.value, path, depth + 1)
            if isinstance(owner, ast.ClassDef):
                for statement in owner.body:
                    if isinstance(statement, ast.Assign) and statement.targets[0].id == node.attr:
                        return _within_class(statement.value, owner), where
                    if isinstance(statement, ast.AnnAssign) and statement.target.id == node.attr:
                        return _within_class(statement.value, owner), where
            raise Unresolved(ast.unparse(node))
        if depth > DEEPEST or not isinstance(node, ast.Name):
            raise Unresolved(ast.unparse(node))
        for statement in self._statements(path):
            if isinstance(statement, (ast.ClassDef, ast.FunctionDef)) and statement.name == node.id:
                return statement, path
            if isinstance(statement, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == node.id for t in statement.targets):
                return statement.value, path
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == node.id:
                        where = self.tree.path_of(statement.module)
                        return self._definition(ast.Name(alias.name), where, depth + 1)
        raise Unresolved(node.id)


def with_locals(expression, function):
    """Replaces the names that `function` binds. What it adds to them under a condition is left out: only launches that
    ask for it get that."""
    bound = {node.targets[0].id: node.value for node in ast.walk(function)
             if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node):
            return bound.get(node.id, node)

    return Replace().visit(copy.deepcopy(expression))


def _within_class(expression, owner):
    """Replaces names that are attributes of the class by their expressions: ALL = (FULL, DISABLED)."""
    own = {s.targets[0].id: s.value for s in owner.body
           if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)}

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node):
            return own.get(node.id, node)

    return Replace().visit(copy.deepcopy(expression))
