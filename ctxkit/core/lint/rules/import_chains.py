"""Find imports that load nothing: missing files, cycles, chains that are too long (REF004)."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from posixpath import dirname, relpath

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.imports import MOST_HOPS, Import, find_imports
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.rules.links import EXAMPLE_PATH, KNOWN_SUFFIX

RULES = (
    Rule(
        "REF004",
        "broken-import",
        ERROR,
        "none",
        "An @import names a missing file, a file outside of the project, or a path that the host reads differently; "
        "its chain is longer than the host follows; or files import each other in a cycle.",
        "The agent loads nothing instead and prints no message: the rules are not in the window.",
        "CLAUDE.md:\n@docs/rules.md   (no such file)",
        "CLAUDE.md:\n@docs/conventions.md",
        "code.claude.com/docs/en/memory, read on 2026-11-29: at most four hops, and a path ends at the first blank "
        "without a backslash. Gemini CLI follows five (geminicli.com/docs/reference/memport).",
    ),
)
_CLAUDE = compile_lazily(r"(?:^|/)CLAUDE(?:\.local)?\.md$|(?:^|/)\.claude/rules/")
_GEMINI = compile_lazily(r"(?:^|/)(?:GEMINI|QWEN)\.md$")
_IMPORTERS = ((_CLAUDE, "Claude Code"), (_GEMINI, "Gemini CLI"))
"""Files from which a host follows imports, and its name."""
_HOPS = {host.name: host.hops for host in HOSTS}
_OUTSIDE = "a host asks each user before it loads such a file, or loads nothing"
_WORDS = compile_lazily(r"[^\s]+")
MOST_WORDS = 6
"""Maximum words behind an import that may belong to its path."""
MAX_STEPS = 500_000
"""Maximum number of imports followed to find cycles, in all files together."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield imports from which a host loads nothing."""
    if not workspace.project.paths:
        return
    graph = {document.path: tuple(find_imports(document)) for document in workspace.documents}
    targets = {path: tuple(dict.fromkeys(reference.path for reference in some)) for path, some in graph.items()}
    find_cycle = cache(_ImportGraph(targets).find_cycle)
    documents = {document.path: document for document in workspace.documents}
    reported: set[tuple[str, int, int]] = set()
    for pattern, host in _IMPORTERS:
        for path, distance in _find_distances(targets, [path for path in documents if pattern.search(path)]).items():
            for reference in graph.get(path, ()):
                place = (path, reference.line, reference.column)
                left = _HOPS[host] - distance
                message = _describe_problem(workspace, documents[path], reference, host, left, find_cycle)
                if message and place not in reported:
                    reported.add(place)
                    yield _make_finding(documents[path], reference, message)


def _find_distances(targets: Mapping[str, tuple[str, ...]], roots: list[str]) -> dict[str, int]:
    """Return the number of imports from the nearest root to each file that they reach."""
    distances = dict.fromkeys(roots, 0)
    waiting = deque(roots)
    while waiting:
        path = waiting.popleft()
        for target in targets.get(path, ()):
            if target in targets and target not in distances and distances[path] < MOST_HOPS:
                distances[target] = distances[path] + 1
                waiting.append(target)
    return distances


def _describe_problem(
    workspace: Workspace,
    document: MarkdownDocument,
    reference: Import,
    host: str,
    hops_left: int,
    find_cycle: Callable[[str, str], list[str]],
) -> str:
    """Return what is wrong with an import, "" if nothing is."""
    if hops_left < 0 or reference.path.startswith("~"):  # personal notes, as the documentation suggests
        return ""
    if reference.path.startswith(("..", "/")):
        is_text = KNOWN_SUFFIX.search(reference.path) and not EXAMPLE_PATH.search(reference.path)
        is_file = reference.is_file_name and is_text
        return f"@{reference.target} is outside of the project, and other clones lack it: {_OUTSIDE}" if is_file else ""
    if reference.path not in workspace.project.paths:
        return _describe_missing(workspace, document, reference, host)
    if hops_left == 0:
        return f"@{reference.target} is too far in a chain of imports: {host} follows {_HOPS[host]} in a row"
    cycle = find_cycle(document.path, reference.path)
    return f"@{reference.target} begins an import cycle: {' > '.join(cycle)}" if cycle else ""


def _describe_missing(workspace: Workspace, document: MarkdownDocument, reference: Import, host: str) -> str:
    """Return what is wrong with an import of a missing file, "" if it may be no import."""
    paths = workspace.project.paths
    line = document.at(reference.line)
    path = reference.path
    for match in list(_WORDS.finditer(line, reference.column + len(reference.target)))[:MOST_WORDS]:
        path = f"{path} {match[0]}"
        if path in paths:
            escaped = line[reference.column : match.end()].replace("\\ ", " ").replace(" ", "\\ ")
            return f"{host} reads the path up to the blank, and @{reference.target} is no file: write @{escaped}"
    if (shorter := reference.path.rstrip(".,;:!?)'\"")) != reference.path and shorter in paths:
        sign = reference.path[len(shorter) :]
        return f"{host} reads the path up to the blank, with the {sign!r} behind it: put a blank before that"
    is_import = reference.is_file_name and KNOWN_SUFFIX.search(path := reference.path) and not EXAMPLE_PATH.search(path)
    if is_import and not workspace.project.is_ignored(reference.path) and not _is_package(workspace, reference.target):
        return f"@{reference.target} imports a missing file{_suggest_relative(workspace, document, reference)}"
    return ""


def _suggest_relative(workspace: Workspace, document: MarkdownDocument, reference: Import) -> str:
    """Return how to write a path that was meant from the root, "" if there is no such file."""
    if reference.target not in workspace.project.paths:
        return ""
    return f": paths are relative to the file, so write @{relpath(reference.target, dirname(document.path) or '.')}"


def _is_package(workspace: Workspace, target: str) -> bool:
    """Return whether a target is the name of an npm package, such as solana/web3.js: its scope is no directory."""
    scope, _, name = target.partition("/")
    return name.endswith(".js") and "/" not in name and scope not in workspace.project.paths


def _make_finding(document: MarkdownDocument, reference: Import, message: str) -> LintFinding:
    end = reference.column + 1 + len(reference.target)
    return LintFinding(
        "REF004", ERROR, document.path, reference.line, reference.line, message,
        column=reference.column, end_column=end, essence=reference.target,
    )  # fmt: skip


class _ImportGraph:
    """A graph of imports that finds cycles within a limit of steps."""

    def __init__(self, graph: Mapping[str, tuple[str, ...]]) -> None:
        self._graph = graph
        self._steps = MAX_STEPS

    def find_cycle(self, start: str, path: str) -> list[str]:
        """Return the path of imports from ``start`` over ``path`` back to ``start``; empty if there is none."""
        ways = deque([[start, path]])
        seen = {path}
        while ways:
            way = ways.popleft()
            if way[-1] == start:
                return way
            for target in self._graph.get(way[-1], ()):
                self._steps -= 1
                if target == start:
                    return [*way, start]
                if target not in seen and len(way) <= MOST_HOPS and self._steps > 0:
                    seen.add(target)
                    ways.append([*way, target])
        return []
