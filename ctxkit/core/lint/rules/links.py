"""Find dead links (REF005), and imports that load nothing: missing files, cycles, chains too long (REF004)."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from posixpath import dirname, join, normpath, relpath
from typing import NamedTuple
from urllib.parse import unquote

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.chat_markers import SESSION_FILE
from ctxkit.core.lint.document.finding import ERROR, INFO, WARNING, LintFinding, Rule
from ctxkit.core.lint.document.imports import MOST_HOPS, Import, find_imports
from ctxkit.core.lint.document.inline import find_broken_line, is_in_template, prose_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.parse import slugify
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.references.excuses import find_packaged
from ctxkit.core.lint.references.paths import PathIndex, is_archived

RULES = (
    Rule(
        "REF005",
        "dead-link",
        WARNING,
        "none",
        "A Markdown link points to a missing file or to a missing heading.",
        "An agent follows the links in its instructions to find the rest of them.",
        "See [the style guide](docs/sytle.md#naming).",
        "See [the style guide](docs/style.md#naming).",
        "Anchors are made as GitHub makes them, and mdc: links of Cursor go out from the root. Links to other hosts "
        "are never followed.",
    ),
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
_KNOWN_SUFFIX = compile_lazily(r"\.(?:md|mdc|markdown|txt|rst|json|jsonc|ya?ml|toml|sh|py|js|ts|tsx|css|html)$")
_LINK = compile_lazily(
    r"(?<!\])\]\([ \t]{0,8}<?(?P<to>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*){0,8})>?(?:[ \t]{1,8}[\"'(][^)\n]{0,200})?\)"
)
"""Matches the target of a link, from the end of its text; two brackets end a wiki link, which has no target."""
_DEFINED = compile_lazily(r"[ \t]{0,3}\[[^\]^]+\]:[ \t]*<?(?P<to>[^\s>]+)")
_SCHEME = compile_lazily(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_ONE_SLASH = compile_lazily(r"https?:/[^/\s]")
_CURSOR_SCHEME = "mdc:"
"""Beginning of the links of Cursor's rules, whose paths are those from the root."""
MISSING = "the link points to a missing file: "
_MAX_LOST = 3
"""Maximum links to a missing directory that are findings of their own: more are one fact, often of another project."""
_EXAMPLE_PATH = compile_lazily(r"[{}<>$*|]|\.\.\.|…|YYYY|XXX|path/to|(?:^|/)(?:url|link|path|example)$", re.IGNORECASE)
_QUOTATION = compile_lazily("[\"“”„«»「」]")
_EXAMPLE_CONTEXT = compile_lazily(
    r"\b(?:examples?|e\.g|for instance|syntax|format|template|placeholder)\b|示例|例如|格式", re.IGNORECASE
)
"""Words of a line whose link is an example of link syntax."""
_DAY = compile_lazily(r"(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d[^/]*$")
"""Matches a name that states a day."""
_SHOWN_HEADING = compile_lazily(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,200})", re.MULTILINE)
_ANCHOR = compile_lazily(
    r"<(?:a|span|div|h\d)\b[^<>]*\b(?:name|id)\s*=\s*[\"']?([^\"'\s>]+)|\{#([\w:.-]+)\}", re.IGNORECASE
)


class AnchorIndex:
    """Cache of the anchors of each document, so that each document is read once."""

    def __init__(self) -> None:
        self._by_path: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def find(self, document: MarkdownDocument) -> tuple[frozenset[str], frozenset[str]]:
        """Return the anchors of a document's headings, normalized, and those of its HTML elements in lower case.

        A heading in a code fence counts: what is wrong then is the fence.
        """
        if document.path not in self._by_path:
            shown = (slugify(match[1]) for match in _SHOWN_HEADING.finditer(document.text))
            headings = frozenset(map(_normalize_anchor, (*(heading.anchor for heading in document.headings), *shown)))
            elements = frozenset((match[1] or match[2]).lower() for match in _ANCHOR.finditer(document.text))
            self._by_path[document.path] = headings, elements
        return self._by_path[document.path]


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield imports from which a host loads nothing, and dead links and anchors."""
    yield from _find_broken_imports(workspace)
    yield from _find_dead_links(workspace)


def _find_dead_links(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield dead links and dead anchors."""
    if not workspace.project.paths:
        return
    anchors = AnchorIndex()
    path_index = PathIndex(workspace.project)
    packaged = find_packaged(workspace)
    for document in workspace.documents:
        if document.role is not FileRole.PROMPT and not is_archived(document.path) and not _is_dated(document.path):
            problems = list(_check_links(workspace, document, anchors, path_index))
            if document.path in packaged:
                problems = [problem for problem in problems if not _is_hidden(problem.essence)]
            if document.role is not FileRole.COMMAND or len(problems) < 2 or _has_live_link(workspace, document):
                yield from problems


def _is_hidden(target: str) -> bool:
    """Return whether a link leads to a hidden directory: a packaged skill keeps files there in other projects."""
    return target.removeprefix("./").startswith(".") and not target.startswith("..")


def _is_dated(path: str) -> bool:
    """Return whether the name of a file states a day or a session, whose text nobody brings up to date."""
    return _DAY.search(path) is not None or SESSION_FILE.search(path) is not None


def _has_live_link(workspace: Workspace, document: MarkdownDocument) -> bool:
    """Return whether a document links to any file that exists; the links of an agent may be examples otherwise."""
    targets = (match["to"] for _, line in prose_lines(document) for match in _LINK.finditer(line))
    return any(
        _resolve_link(workspace, document, unquote(target).partition("#")[0])
        for target in targets
        if target and not target.startswith("#") and not _SCHEME.match(target)
    )


def _check_links(
    workspace: Workspace, document: MarkdownDocument, anchors: AnchorIndex, path_index: PathIndex
) -> Iterator[LintFinding]:
    if "](" not in document.text and "]:" not in document.text:
        return
    check = cache(lambda target: _check_target(workspace, document, target, anchors, path_index))
    reported: set[str] = set()
    dead: list[LintFinding] = []
    for number, line in _list_lines(document):
        is_example: bool | None = None
        for match in (*_LINK.finditer(line), *filter(None, (_DEFINED.match(line),))):
            problem = check(match["to"])
            if problem and is_example is None:
                is_example = bool(_EXAMPLE_CONTEXT.search(line)) or is_in_template(document, number)
            if problem and not is_example and not _is_quoted(line, match) and problem not in reported:
                reported.add(problem)
                dead.append(_make_finding(document, number, match, problem))
    yield from _join_lost(dead, workspace, path_index)


def _list_lines(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield the lines that may have links, up to where the blocks of the document are broken."""
    broken = find_broken_line(document)
    for number, line in prose_lines(document):
        if ("](" in line or "]:" in line) and number < broken:
            yield number, line


def _is_quoted(line: str, link: re.Match[str]) -> bool:
    """Return whether a link stands in quotation marks: it is text for another place."""
    return len(_QUOTATION.findall(line, 0, link.start())) % 2 == 1 and _QUOTATION.search(line, link.end()) is not None


def _join_lost(
    findings: Sequence[LintFinding], workspace: Workspace, path_index: PathIndex
) -> Iterator[LintFinding]:
    """Yield one finding for more than ``_MAX_LOST`` links of a document that miss for the same reason.

    They point to a directory that does not exist, or all their files are in another directory.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        path = finding.essence.removeprefix(_CURSOR_SCHEME).removeprefix("./")
        lost = moved = ""
        if finding.message.startswith(MISSING):
            lost = _find_lost(path, dirname(finding.path), workspace)
            moved = "" if lost else dirname(_find_other(path, path_index))
        groups.setdefault((lost, moved) if lost or moved else ("", f"/{len(groups)}"), []).append(finding)
    for (lost, moved), group in groups.items():
        if len(group) <= _MAX_LOST:
            yield from group
            continue
        reason = f"below {lost}, and there is no such directory" if lost else f"that are in {moved} instead"
        message = f"{len(group)} links point to files {reason}"
        places = tuple(finding.location for finding in group[1:])
        yield group[0]._replace(message=message, related=places, essence=lost or moved)


def _find_lost(path: str, base: str, workspace: Workspace) -> str:
    """Return the highest directory of a path that exists neither below ``base`` nor at the root, "" for none."""
    parts = path.split("/")
    for end in range(1, len(parts)):
        directory = "/".join(parts[:end])
        places = {normpath(join(base, directory)), *(() if parts[0] == ".." else (directory,))}
        if parts[end - 1] != ".." and not places & workspace.project.paths:
            return directory
    return ""


def _make_finding(document: MarkdownDocument, number: int, match: re.Match[str], problem: str) -> LintFinding:
    """Return the finding; INFO in a memory, which may name files on another machine."""
    start, end = match.span("to")
    return LintFinding(
        "REF005",
        INFO if document.role in (FileRole.MEMORY, FileRole.DAILY) else WARNING,
        *(document.path, number, number, problem),
        column=start + 1,
        end_column=end + 1,
        essence=match["to"],
    )


def _check_target(
    workspace: Workspace, document: MarkdownDocument, target: str, anchors: AnchorIndex, path_index: PathIndex
) -> str:
    """Return what is wrong with a link, "" if nothing is known to be wrong."""
    plain = target.removeprefix(_CURSOR_SCHEME)
    if _ONE_SLASH.match(plain):
        return "the address has one slash after https: instead of two"
    target = f"/{plain.lstrip('/')}" if plain != target and _KNOWN_SUFFIX.search(plain) else plain
    if not _is_checkable(target):
        return ""
    path, _, anchor = unquote(target).partition("#")
    path = path.partition("?")[0]
    target_document: MarkdownDocument | None = document
    if path:
        place = _resolve_link(workspace, document, path)
        if place is None:
            is_site = path.startswith("/") and path_index.exists(path.lstrip("/"), "")  # with a directory as its root
            written = path.removeprefix("/") if target != plain else path
            return "" if is_site else f"{MISSING}{written}{_suggest_other(path, path_index)}"
        target_document = workspace.document(place)
    if anchor and target_document is not None and not _has_anchor(target_document, anchor, anchors):
        return f"{target_document.path} has no heading for #{anchor}"
    return ""


def _is_checkable(target: str) -> bool:
    """Return whether a link may lead to a file of the workspace."""
    if not target or target.startswith(("~", "@")):
        return False
    return not (_SCHEME.match(target) or _EXAMPLE_PATH.search(target))


def _suggest_other(path: str, path_index: PathIndex) -> str:
    other = _find_other(path, path_index)
    return f"; there is {other}" if other else ""


def _find_other(path: str, path_index: PathIndex) -> str:
    """Return the only file with the name of a path, "" if there are several or none."""
    named = path_index.find_named(path)
    return named[0] if len(named) == 1 else ""


def _resolve_link(workspace: Workspace, document: MarkdownDocument, path: str) -> str | None:
    """Return the path of a link, relative to the file's directory or else to the root.

    Return "" if it cannot be known, and None if the file does not exist.
    """
    paths = workspace.project.paths
    is_page = path.startswith("/") and not _KNOWN_SUFFIX.search(path)  # of a site
    if is_page or path.startswith(("/home/", "/Users/")):  # STR008 reports these
        return ""
    for base in (dirname(document.path), ""):
        place = normpath(join(base, path.lstrip("/") if not base or path.startswith("/") else path))
        if place in paths or place == ".":
            return place
        is_outside = place.startswith("..")
        if is_outside and base != dirname(document.path):
            continue  # relative to its own directory, the path is in the workspace, and there is no such file
        if is_outside or workspace.project.is_ignored(place):
            return ""
    return None if re.search(r"\.\w", path.rsplit("/", 1)[-1]) or "/" in path.strip("/") else ""


def _normalize_anchor(anchor: str) -> str:
    """Return an anchor without differences between sites: repeated hyphens and emoji."""
    return re.sub(r"[^\w]+", "-", anchor).strip("-_")


def _has_anchor(document: MarkdownDocument, anchor: str, anchors: AnchorIndex) -> bool:
    """Return whether a document has a heading or an element with an anchor; accept all line numbers, as in #L10.

    A heading that begins with the words of the anchor, and goes on with a mark or a remark, is what a reader finds.
    """
    if re.match(r"L\d+", anchor) or not document.headings:
        return True
    headings, elements = anchors.find(document)
    normal = _normalize_anchor(anchor.lower())
    return normal in headings or anchor.lower() in elements or any(name.startswith(f"{normal}-") for name in headings)


_CLAUDE = compile_lazily(r"(?:^|/)CLAUDE(?:\.local)?\.md$|(?:^|/)\.claude/rules/")
_GEMINI = compile_lazily(r"(?:^|/)(?:GEMINI|QWEN)\.md$")
_IMPORTERS = ((_CLAUDE, "Claude Code"), (_GEMINI, "Gemini CLI"))
"""Files from which a host follows imports, and its name."""
_HOPS = {host.name: host.hops for host in HOSTS}
_OUTSIDE = "a host asks each user before it loads such a file, or loads nothing"
_WORDS = compile_lazily(r"[^\s]+")
_MOST_WORDS = 6
"""Maximum words behind an import that may belong to its path."""
_MAX_STEPS = 500_000
"""Maximum number of imports followed to find cycles, in all files together."""


class _ReachedFile(NamedTuple):
    """A file that a host reads, and how many imports in a row the host still follows from there."""

    document: MarkdownDocument
    host: str
    hops_left: int


def _find_broken_imports(workspace: Workspace) -> Iterator[LintFinding]:
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
                reached = _ReachedFile(documents[path], host, _HOPS[host] - distance)
                message = _describe_problem(workspace, reached, reference, find_cycle)
                if message and place not in reported:
                    reported.add(place)
                    yield _make_import_finding(documents[path], reference, message)


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
    reached: _ReachedFile,
    reference: Import,
    find_cycle: Callable[[str, str], list[str]],
) -> str:
    """Return what is wrong with an import, "" if nothing is."""
    document, host, hops_left = reached
    if hops_left < 0 or reference.path.startswith("~"):  # personal notes, as the documentation suggests
        return ""
    if reference.path.startswith(("..", "/")):
        is_text = _KNOWN_SUFFIX.search(reference.path) and not _EXAMPLE_PATH.search(reference.path)
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
    for match in list(_WORDS.finditer(line, reference.column + len(reference.target)))[:_MOST_WORDS]:
        path = f"{path} {match[0]}"
        if path in paths:
            escaped = line[reference.column : match.end()].replace("\\ ", " ").replace(" ", "\\ ")
            return f"{host} reads the path up to the blank, and @{reference.target} is no file: write @{escaped}"
    if (shorter := reference.path.rstrip(".,;:!?)'\"")) != reference.path and shorter in paths:
        sign = reference.path[len(shorter) :]
        return f"{host} reads the path up to the blank, with the {sign!r} behind it: put a blank before that"
    path = reference.path
    is_import = reference.is_file_name and _KNOWN_SUFFIX.search(path) and not _EXAMPLE_PATH.search(path)
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


def _make_import_finding(document: MarkdownDocument, reference: Import, message: str) -> LintFinding:
    end = reference.column + 1 + len(reference.target)
    return LintFinding(
        "REF004", ERROR, document.path, reference.line, reference.line, message,
        column=reference.column, end_column=end, essence=reference.target,
    )  # fmt: skip


class _ImportGraph:
    """A graph of imports that finds cycles within a limit of steps."""

    def __init__(self, graph: Mapping[str, tuple[str, ...]]) -> None:
        self._graph = graph
        self._steps = _MAX_STEPS

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
