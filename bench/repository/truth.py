"""What Python packages define, and which of their other files use it, by ``ast`` and by their imports."""

import ast
import builtins
import io
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_HOPS = 8
"""Number of imports that a name is followed through."""
COMMON = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, type, io.TextIOWrapper, io.BytesIO, Exception)
    for name in dir(kind)
) | frozenset(dir(builtins))
"""Members of Python's own types: an attribute of such a name says nothing about a package."""


class Symbol(NamedTuple):
    """A function, a class or a method: its file, its 1-based line and its name."""

    path: str
    line: int
    name: str


@dataclass
class Module:
    """Hold what a module binds at its top level: definitions, and names of other modules or of what is in them."""

    path: str
    name: str
    tree: ast.Module
    defined: dict[str, Symbol] = field(default_factory=dict)
    methods: dict[str, Symbol] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the full name of the module that ``from`` names."""
        if not node.level:
            return node.module or ""
        is_package = os.path.basename(self.path) == "__init__.py"
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])


def find_uses(root: str) -> dict[Symbol, set[str]]:
    """Return the symbols of a package that other files of it use, each with the paths of these files."""
    modules = {module.name: module for module in _load_modules(root)}
    methods = _unique_methods(modules)
    uses: dict[Symbol, set[str]] = defaultdict(set)
    for module in modules.values():
        for symbol in _iter_used(module, modules, methods):
            if symbol.path != module.path and not _is_vendored(symbol.path):
                uses[symbol].add(module.path)
    return dict(uses)


def _is_vendored(path: str) -> bool:
    """Return whether a file is a copy of another project: nobody asks a map of this one for it."""
    return not {"_vendor", "_vendored_packages", "vendor"}.isdisjoint(path.split(os.sep))


def list_symbols(root: str) -> list[Symbol]:
    """Return all functions, classes and methods of a package, in order of paths and lines: what ctags lists."""
    symbols: list[Symbol] = []
    for module in _load_modules(root):
        nodes = (node for node in ast.walk(module.tree) if isinstance(node, _DEFINITIONS))
        symbols += [Symbol(module.path, node.lineno, node.name) for node in nodes]
    return sorted(symbols)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _load_modules(root: str) -> Iterator[Module]:
    """Yield the modules below a directory that Python can parse."""
    top = os.path.basename(root)
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith(".py"):
                continue
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    tree = ast.parse(file.read())
            except (SyntaxError, ValueError):
                continue
            dotted = ".".join([top, *path.removesuffix(".py").split(os.sep)]).removesuffix(".__init__")
            module = Module(path, dotted, tree)
            _bind(module, tree.body)
            yield module


def _bind(module: Module, body: list[ast.stmt]) -> None:
    """Collect what statements at the top level bind, also below ``if`` and ``try``; the last binding holds."""
    for node in body:
        if isinstance(node, _DEFINITIONS):
            module.defined[node.name] = Symbol(module.path, node.lineno, node.name)
            if isinstance(node, ast.ClassDef):
                _bind_methods(module, node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                module.imported[alias.asname or target] = (target, "")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    module.stars.append(module.absolute(node))
                else:
                    module.imported[alias.asname or alias.name] = (module.absolute(node), alias.name)
        elif isinstance(node, ast.If | ast.Try):
            _bind(module, node.body)
            _bind(module, node.orelse)
            for handler in getattr(node, "handlers", ()):
                _bind(module, handler.body)


def _bind_methods(module: Module, owner: ast.ClassDef) -> None:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.methods[f"{owner.name}.{node.name}"] = Symbol(module.path, node.lineno, node.name)


def _unique_methods(modules: dict[str, Module]) -> dict[str, Symbol]:
    """Return the methods whose name one class of the package alone has, and none of Python's own types."""
    by_name: dict[str, list[Symbol]] = defaultdict(list)
    for module in modules.values():
        for symbol in (*module.methods.values(), *module.defined.values()):
            by_name[symbol.name].append(symbol)
    methods = {symbol for module in modules.values() for symbol in module.methods.values()}
    return {
        name: symbols[0]
        for name, symbols in by_name.items()
        if len(symbols) == 1 and symbols[0] in methods and name not in COMMON and not name.startswith("__")
    }


def _iter_used(module: Module, modules: dict[str, Module], methods: dict[str, Symbol]) -> Iterator[Symbol]:
    """Yield the symbols that a module imports, reads from an imported module, or calls by a unique name."""
    local = {**module.imported}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):  # also inside functions
            for alias in node.names:
                local.setdefault(alias.asname or alias.name, (module.absolute(node), alias.name))
                if symbol := _resolve(modules, module.absolute(node), alias.name):
                    yield symbol
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in local:
                target, name = local[node.value.id]
                inner = f"{target}.{name}" if name else target
                if inner in modules and (symbol := _resolve(modules, inner, node.attr)):
                    yield symbol
            if node.attr in methods:
                yield methods[node.attr]
        elif isinstance(node, ast.Name) and node.id not in module.defined:
            for star in module.stars:
                if symbol := _resolve(modules, star, node.id):
                    yield symbol


def _resolve(modules: dict[str, Module], name: str, attribute: str) -> Symbol | None:
    """Return the definition of a name in a module, through the imports of modules that pass it on."""
    for _ in range(MOST_HOPS):
        module = modules.get(name)
        if module is None:
            return None
        if attribute in module.defined:
            return module.defined[attribute]
        if attribute not in module.imported:
            return None
        name, attribute = module.imported[attribute]
        if not attribute:
            return None
    return None
