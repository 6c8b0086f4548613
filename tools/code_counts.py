"""Count what the size and the shape of the code cost a reader: ``python -m tools.code_counts``.

Print a row for each measure: lines, modules, importers, floors of imports, parameters, branches, and the files of
ctxkit of which a function runs in a call.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "ctxkit"
MAX_PARAMETERS, MAX_BRANCHES = 5, 12
"""Numbers above which a function is counted."""
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.comprehension)
MODULE_NODES = (f"{PACKAGE}.edge", f"{PACKAGE}.engines", f"{PACKAGE}.commands", f"{PACKAGE}.system")
"""Packages of which the single modules are one floor."""
MESSAGES = [
    {"role": role, "content": f"{number} words of a long conversation. " * 40}
    for number in range(20)
    for role in ("user", "assistant")
]
CALLS = {
    "a gate that maps": (["gate", "--window", "2048"], "".join(f"{number}\n" for number in range(1, 4001))),
    "compact": (["compact", "--window", "4096"], json.dumps(MESSAGES)),
    "one lint rule": (["dedupe", "--select", "REF001", "README.md"], ""),
}
"""Calls whose files are counted, with their input."""
TRACER = """
import os, sys, threading
package, out, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
found, file = set(), os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def note(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(package) and code.co_filename not in found:
        found.add(code.co_filename)
        os.write(file, f"{code.co_filename}\\n".encode())
sys.argv = ["ctxkit", *argv]
threading.setprofile(note)
sys.setprofile(note)
from ctxkit.__main__ import main
main()
"""
"""A program that runs a command, and appends the file of each function of the package to a file, also after a fork."""


def find_modules(root: Path) -> dict[str, ast.Module]:
    """Return the modules of the package by their dotted names."""
    modules = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = ast.parse(path.read_text(encoding="utf-8"))
    return modules


def find_imports(modules: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return the modules that each module imports, anywhere in it but for types."""
    return {name: set(_iter_imports(tree, modules)) - {name} for name, tree in modules.items()}


def _iter_imports(tree: ast.AST, modules: Mapping[str, ast.Module]) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else node.module for name in names if node.module in modules)
        yield from _iter_imports(node, modules)


def count_importers(imports: Mapping[str, Iterable[str]]) -> Counter[str]:
    """Return by how many others each module is imported."""
    return Counter(name for those in imports.values() for name in those)


def find_floors(imports: Mapping[str, Iterable[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the longest chain of imports of packages and modules of the top two levels, and their circles."""
    graph: dict[str, set[str]] = {}
    packages = {name.rpartition(".")[0] for name in imports}
    for name, those in imports.items():
        node = _find_node(name, packages)
        graph.setdefault(node, set()).update({_find_node(other, packages) for other in those} - {node})
    circles = [part for part in _find_circles(graph) if len(part) > 1]
    home = {name: part[0] for part in _find_circles(graph) for name in part}
    depths: dict[str, list[str]] = {}

    def find_chain(node: str) -> list[str]:
        """Return the longest chain below a node, with it."""
        if node not in depths:
            below = {home[other] for name, part in home.items() if part == node for other in graph[name]} - {node}
            depths[node] = [node, *max(map(find_chain, sorted(below)), key=len, default=[])]
        return depths[node]

    return max(map(find_chain, sorted(set(home.values()))), key=len, default=[]), circles


def _find_node(name: str, packages: Iterable[str]) -> str:
    """Return the package or module of the top two levels that holds a module."""
    node = ".".join(name.split(".")[:3])
    above = node.rpartition(".")[0]
    return above if above in MODULE_NODES and node not in packages else node


def _find_circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the sets of nodes that reach each other."""
    reached = {node: _find_reached(node, graph) for node in graph}
    parts = {frozenset(other for other in reached[node] if node in reached[other]) | {node} for node in graph}
    return sorted(map(sorted, parts))


def _find_reached(start: str, graph: Mapping[str, Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def count_functions(modules: Mapping[str, ast.Module]) -> tuple[int, int]:
    """Return how many functions have too many parameters, and how many too many branches."""
    functions = [
        node
        for tree in modules.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    wide = sum(_count_parameters(function) > MAX_PARAMETERS for function in functions)
    return wide, sum(count_branches(function) > MAX_BRANCHES for function in functions)


def _count_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in arguments)


def count_branches(function: ast.AST) -> int:
    """Return 1, and 1 for each branch, and for each further operand of ``and`` and ``or``."""
    nodes = list(ast.walk(function))
    operands = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return 1 + operands + sum(isinstance(node, BRANCHES) for node in nodes)


def count_files(argv: Sequence[str], text: str, root: Path = ROOT) -> int:
    """Return of how many files of the package a function runs in a call, also in a process that it forks."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "files")
        env = {**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder, "PYTHONPATH": str(root)}
        argv = [sys.executable, "-c", TRACER, str(root / PACKAGE), str(out), *argv]
        subprocess.run(argv, input=text, env=env, cwd=root, capture_output=True, text=True, check=False)
        return len(set(out.read_text().split("\n"))) - 1 if out.exists() else 0


def _count_lines(root: Path, folder: str) -> tuple[int, int]:
    paths = list((root / folder).rglob("*.py"))
    return len(paths), sum(path.read_bytes().count(b"\n") for path in paths)


def make_rows(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield each measure with its figure."""
    for folder in (PACKAGE, "tests", "bench"):
        files, lines = _count_lines(root, folder)
        yield f"lines of {folder}", f"{lines:,} in {files:,} files"
    modules = find_modules(root)
    imports = find_imports(modules)
    importers = count_importers(imports)
    once = sum(importers[name] == 1 for name in modules)
    yield "modules with one importer", f"{once:,} of {len(modules):,} ({once / max(len(modules), 1):.0%})"
    yield "modules at the top", str(len(list((root / PACKAGE).glob("*.py"))))
    chain, circles = find_floors(imports)
    yield "floors of imports", f"{len(chain)}: {' > '.join(name.removeprefix(f'{PACKAGE}.') for name in chain)}"
    yield "circles of imports", f"{len(circles)}{''.join(f'; {chr(44).join(circle)}' for circle in circles)}"
    wide, branched = count_functions(modules)
    yield f"functions with more than {MAX_PARAMETERS} parameters", str(wide)
    yield f"functions with more than {MAX_BRANCHES} branches", str(branched)
    for name, (argv, text) in CALLS.items():
        yield f"files that run for {name}", str(count_files(argv, text, root))


def main() -> None:
    """Print the rows."""
    for name, figure in make_rows():
        print(f"{name:40}  {figure}")


if __name__ == "__main__":
    main()
