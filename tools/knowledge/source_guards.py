"""Under what condition a statement of the engine runs, as lines of text that can be compared between releases.

How: from the statement outward, each enclosing `if`, loop and earlier `return` gives one line; then what the
function binds to the names in them; then the definitions, anywhere in the tree, that those name; then the
same for each place that calls the function. Comments, docstrings and messages are left out, and the record
of arguments has one name whatever a function calls it. Nothing is run.

What it cannot see: functions called through a table or a string, values another step wrote, and order
between the checks of one function.
"""

import ast
import copy

from source_tree import Unresolved

RECORDS = {"server_args", "cfg", "view", "self", "args", "sa", "resolving", "resolved", "view_", "raw"}
RESOLUTION = ["sglang/srt/server_args.py", "sglang/srt/arg_groups/**/*.py"]
DEFINITIONS_DEEP = 2   # definitions that name definitions
CALLERS_DEEP = 4
KNOWN = {"logger", "model_config_of", "resolving_view", "resolved_view", "record_of", "get_platform", "envs", "declare_resolution",
         "with_phase", "Phase", "Backend"}   # the same in every release, or told by the pipeline's other steps
LEAVES = (ast.Return, ast.Continue, ast.Break)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Plain(ast.NodeTransformer):
    """One name for the arguments' record; no docstrings, annotations or texts that are only printed."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in RECORDS:
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1 \
                and isinstance(node.args[0], ast.Name) and node.args[0].id in RECORDS \
                and isinstance(node.args[1], ast.Constant):
            return ast.Name(str(node.args[1].value), ast.Load())
        return node

    def visit_Raise(self, node):
        return ast.Raise(ast.Name(_class_of(node.exc), ast.Load()), None)

    def visit_Assert(self, node):
        return ast.Assert(self.visit(node.test), None)

    def generic_visit(self, node):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                kept = [s for s in statements if not _only_tells(s)]
                setattr(node, block, kept or ([ast.Pass()] if statements and block == "body" else []))
        return super().generic_visit(node)

    def visit_FunctionDef(self, node):
        body = node.body[1:] if _is_text(node.body[0]) and len(node.body) > 1 else node.body
        names = ast.arguments([], [ast.arg(a.arg) for a in node.args.args], None,
                              [ast.arg(a.arg) for a in node.args.kwonlyargs], [None] * len(node.args.kwonlyargs), None, [])
        kept = [self.visit(s) for s in body if not _only_tells(s)]
        return ast.copy_location(ast.FunctionDef(node.name, names, kept or [ast.Pass()], [], None, None), node)


def _class_of(node):
    target = node.func if isinstance(node, ast.Call) else node
    return getattr(target, "attr", None) or getattr(target, "id", "raise")


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _only_tells(statement):
    """A log line, an import or a text."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)) or _is_text(statement):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and "log" in ast.unparse(call.func.value)


def plain(node):
    return ast.unparse(ast.fix_missing_locations(Plain().visit(copy.deepcopy(node))))


def ways_out(statement, above=()):
    """The conditions under which a statement leaves the function or the loop, but for those that raise."""
    if isinstance(statement, LEAVES):
        return [list(above)]
    if not isinstance(statement, ast.If):
        return []
    found = []
    for block, test in ((statement.body, statement.test), (statement.orelse, ast.UnaryOp(ast.Not(), statement.test))):
        for inner in block:
            found += ways_out(inner, (*above, test))
    return found


def names_in(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | \
        {n.func.attr for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}


class Guards:
    """The conditions of one source tree."""

    def __init__(self, tree, evaluator):
        self.tree, self.evaluator = tree, evaluator
        self._parents, self._calls, self._defined, self._indexes = {}, None, {}, {}

    def parents(self, path):
        if path not in self._parents:
            module = self.tree.module(path)
            self._parents[path] = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
        return self._parents[path]

    def chain(self, path, node):
        """(enclosing function, [(text, expressions)]) from the outermost condition to the statement."""
        parents, lines = self.parents(path), []
        while node in parents and not isinstance(node, FUNCTIONS):
            parent = parents[node]
            for block in ("body", "orelse", "finalbody"):
                statements = getattr(parent, block, None)
                if isinstance(statements, list) and node in statements:
                    for earlier in reversed(statements[:statements.index(node)]):
                        lines += [(f"unless {' and '.join(map(plain, way))}", way) for way in ways_out(earlier)]
                    if isinstance(parent, ast.If):
                        word = "if" if block == "body" else "if not"
                        lines.append((f"{word} {plain(parent.test)}", [parent.test]))
                    elif isinstance(parent, ast.For):
                        lines.append((f"for {plain(parent.target)} in {plain(parent.iter)}", [parent.iter, parent.target]))
            node = parent
        return (node if isinstance(node, FUNCTIONS) else None), lines[::-1]

    def of(self, path, statement, deep=CALLERS_DEEP, seen=()):
        """Lines of text."""
        function, chain = self.chain(path, statement)
        lines, wanted = [text for text, _ in chain], set()
        for _, expressions in chain:
            for expression in expressions:
                wanted |= names_in(expression)
        if isinstance(statement, ast.Assert):
            lines.append(f"unless {plain(statement.test)}")
            wanted |= names_in(statement.test)
        if function is not None:
            bound, more = self.bindings(function, statement, wanted)
            lines += bound
            wanted |= more
        lines += self.definitions(path, wanted, set())
        if function is not None and deep:
            lines += self.callers(function.name, deep, seen)
        return list(dict.fromkeys(lines))

    def effect(self, path, statement):
        """What the statement's own block decides: values it declares, assigns or returns."""
        parent = self.parents(path).get(statement)
        lines = []
        for block in ("body", "orelse"):
            statements = getattr(parent, block, None)
            if isinstance(statements, list) and statement in statements and not isinstance(parent, FUNCTIONS):
                lines = [f"then {plain(s)}" for s in statements
                         if not _only_tells(s) and not isinstance(s, (ast.If, ast.For, ast.Try, ast.With, ast.Raise, ast.Assert))]
        return lines

    def bindings(self, function, statement, wanted):
        """What is assigned to the wanted names before the statement, and to the names in those."""
        lines, all_names, grown = [], set(wanted), True
        assigned = [s for s in ast.walk(function) if isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign))
                    and s.lineno < statement.lineno and getattr(s, "value", None) is not None]
        taken = set()
        while grown:
            grown = False
            for s in assigned:
                targets = s.targets if isinstance(s, ast.Assign) else [s.target]
                names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)} - RECORDS
                if s not in taken and names & all_names:
                    taken.add(s)
                    more = names_in(s.value) - all_names
                    all_names |= more
                    grown = True
        for s in sorted(taken, key=lambda s: s.lineno):
            lines.append(f"where {plain(s)}")
        return lines, all_names

    def definitions(self, path, names, seen, deep=DEFINITIONS_DEEP):
        lines = []
        for name in sorted(names - KNOWN):
            found = self.definition(path, name)
            if found is None or found[0] in seen or not deep:
                continue
            seen.add(found[0])
            node, where = found
            if isinstance(node, ast.ClassDef):
                continue
            lines.append(f"defined {name}: {plain(node)}")
            lines += self.definitions(where, names_in(node), seen, deep - 1)
        return lines

    def definition(self, path, name):
        """(node, module path) of a function or a constant; names imported inside functions count too."""
        key = (path, name)
        if key not in self._defined:
            self._defined[key] = None   # stops a cycle
            self._defined[key] = self._find(path, name)
        return self._defined[key]

    def _find(self, path, name):
        own, imported = self._index(path)
        if name in own:
            return own[name], path
        if name in imported:
            module, original = imported[name]
            try:
                return self.definition(self.tree.path_of(module), original)
            except (Unresolved, SyntaxError):
                return None
        return None

    def _index(self, path):
        """(definitions of the module, methods last; its imports from the engine) by name."""
        if path not in self._indexes:
            module, own, imported, methods = self.tree.module(path), {}, {}, {}
            for s in module.body:
                if isinstance(s, FUNCTIONS):
                    own[s.name] = s
                elif isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value is not None:
                    for t in s.targets if isinstance(s, ast.Assign) else [s.target]:
                        if isinstance(t, ast.Name):
                            own[t.id] = s.value
            for s in ast.walk(module):
                if isinstance(s, ast.ImportFrom) and s.module and s.module.startswith("sglang"):
                    for alias in s.names:
                        imported.setdefault(alias.asname or alias.name, (s.module, alias.name))
                elif isinstance(s, ast.ClassDef):
                    for inner in s.body:
                        if isinstance(inner, FUNCTIONS) and not inner.name.startswith("__"):
                            methods.setdefault(inner.name, inner)
            self._indexes[path] = {**{k: v for k, v in methods.items() if k not in imported}, **own}, imported
        return self._indexes[path]

    def callers(self, name, deep, seen):
        """The conditions of the places that call `name` or hand it to the pipeline."""
        if self._calls is None:
            self._calls = {}
            for path in sorted({p for pattern in RESOLUTION for p in self.tree.glob(pattern)}):
                for node in ast.walk(self.tree.module(path)):
                    if isinstance(node, ast.Call):
                        called = _class_of(node.func)
                        for word in {called} | {a.id for a in node.args if isinstance(a, ast.Name)}:
                            self._calls.setdefault(word, []).append((path, node))
        lines = []
        for path, call in self._calls.get(name, ()):
            statement = self._statement(path, call)
            function, _ = self.chain(path, statement)
            if function is None or (path, function.name) in seen or function.name == name:
                continue
            if function.name == "run_resolution_pipeline":
                lines.append("called by the pipeline")
                lines += [f"called {text}" for text, _ in self.chain(path, statement)[1] if not text.startswith("unless")]
                continue
            inner = self.of(path, statement, deep - 1, (*seen, (path, function.name)))
            lines += [f"called by {function.name}", *[t if t.startswith(("called", "defined")) else f"called {t}" for t in inner]]
        return lines

    def _statement(self, path, node):
        parents = self.parents(path)
        while not isinstance(node, ast.stmt):
            node = parents[node]
        return node
