"""Check the names of ctxkit, tools and bench: ``python -m tools.names``.

A function is named by a verb, a value by a noun, a class by a noun that no other class has, and what is public has a
docstring. A signature of the core has no Any without a comment that gives the reason.
Every name that breaks a rule is printed with its place, and the status is 1.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
PRONOUNS = frozenset(("one", "it", "found", "made", "said", "told", "held", "asked", "chosen", "wanted"))
IDIOMS: dict[str, str] = {}
"""Functions that are named by a participle all the same, each with the reason; 20 at most."""
VERBS = frozenset("read put run cut set split cast let shut cost hit feed need seed embed exceed".split())  # noqa: SIM905
"""Words that look like participles, and are verbs in the imperative as well."""
IRREGULAR = frozenset((
    "made", "told", "held", "found", "shown", "kept", "left", "said", "seen", "built", "bound", "drawn",
    "given", "gone", "grown", "known", "laid", "led", "lent", "lost", "meant", "met", "paid", "sent", "sold",
    "sought", "spent", "spoken", "struck", "taken", "thought", "thrown", "torn", "understood", "won", "worn",
    "woven", "written", "begun", "born", "borne", "broken", "brought", "chosen", "come", "done", "fed",
    "forgotten", "fought", "hidden", "hung", "ridden", "risen", "sewn", "sung", "sunk", "slept", "spun",
    "stood", "stuck", "stolen", "sworn", "swept", "taught", "dealt", "dug", "fallen", "felt", "fled",
    "stripped", "swung", "been",
))  # fmt: skip


class Finding(NamedTuple):
    """Name what breaks a rule: ``path::qualified name`` and the rule, with its line."""

    name: str
    rule: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} {self.rule}"


def is_participle(name: str) -> bool:
    """Return whether a name is one word, and that word a participle."""
    words = [word for word in name.strip("_").split("_") if word]
    if len(words) != 1 or words[0] in VERBS or words[0] in IDIOMS:
        return False
    return words[0] in IRREGULAR or (words[0].endswith("ed") and len(words[0]) > 3)


def findings_in(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield what breaks a rule in one file, apart from classes of the same name."""
    yield from _Visitor(path).walk(tree, "", public=True)


class _Visitor:
    """Walk the statements of one file, with the qualified name of what they stand in."""

    def __init__(self, path: str) -> None:
        self._path = path

    def walk(self, node: ast.AST, scope: str, *, public: bool) -> Iterator[Finding]:
        """Yield what breaks a rule below a node; ``public`` says whether a reader of the documentation sees it."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from self._definition(child, scope, public)
            else:
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                    yield from self._binding(child.id, scope, child.lineno)
                if isinstance(child, ast.Lambda):
                    yield from self._parameters(child.args, scope)
                yield from self.walk(child, scope, public=public)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: str, public: bool
    ) -> Iterator[Finding]:
        name = f"{scope}.{node.name}".lstrip(".")
        where = f"{self._path}::{name}"
        public = public and not (node.name.startswith("_") and not node.name.endswith("__"))
        is_class = isinstance(node, ast.ClassDef)
        if not is_class and is_participle(node.name):
            yield Finding(where, "participle", node.lineno)
        if public and not node.name.startswith("__") and not ast.get_docstring(node):
            yield Finding(where, "docstring", node.lineno)
        if not isinstance(node, ast.ClassDef):
            yield from self._parameters(node.args, name)
        yield from self.walk(node, name, public=public and is_class)

    def _parameters(self, arguments: ast.arguments, scope: str) -> Iterator[Finding]:
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            yield from self._binding(argument.arg, scope, argument.lineno)

    def _binding(self, name: str, scope: str, line: int) -> Iterator[Finding]:
        if name.strip("_") in PRONOUNS:
            yield Finding(f"{self._path}::{scope}.{name}".replace("::.", "::"), "pronoun", line)


def find_untyped(path: str, source: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield the functions whose signature has Any, without a comment on a line of the signature."""
    lines = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            signature = lines[node.lineno - 1 : max(node.lineno, node.body[0].lineno - 1)]
            if _has_any(node) and not any("#" in line for line in signature):
                yield Finding(f"{path}::{node.name}", "any", node.lineno)


def _has_any(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    annotations = (*(parameter.annotation for parameter in parameters if parameter), node.returns)
    parts = (part for annotation in annotations if annotation for part in ast.walk(annotation))
    return any(isinstance(part, ast.Name) and part.id == "Any" for part in parts)


def find_names(root: Path) -> list[Finding]:
    """Return what breaks a rule in every file of the package, each name once, in the order of the files."""
    findings: dict[str, Finding] = {}
    classes: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for path in sorted(path for folder in ("ctxkit", "tools", "bench") for path in root.glob(f"{folder}/**/*.py")):
        name, source = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        untyped = find_untyped(name, source, tree) if name.startswith("ctxkit/core/") else ()
        for finding in (*findings_in(name, tree), *untyped):
            findings.setdefault(str(finding), finding)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not name.startswith("bench/"):
                classes[name.partition("/")[0], node.name].append(Finding(f"{name}::{node.name}", "class", node.lineno))
    same = (finding for group in classes.values() if len(group) > 1 for finding in group)
    findings.update((str(finding), finding) for finding in same)
    return sorted(findings.values(), key=lambda finding: (finding.name.partition("::")[0], finding.line))


def main() -> int:
    """Print what breaks a rule; return the status."""
    findings = find_names(PROJECT)
    for finding in findings:
        path, _, name = finding.name.partition("::")
        print(f"{path}:{finding.line}: {finding.rule}: {name}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
