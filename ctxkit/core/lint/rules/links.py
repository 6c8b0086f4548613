"""REF004 and REF005: imports and links that lead nowhere."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Edit, Finding, Fix
from ctxkit.core.lint.imports import DEEPEST, Import, imports
from ctxkit.core.lint.inline import prose
from ctxkit.core.lint.rule import ERROR, INFO, WARNING, Rule
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "REF004",
        "broken-import",
        ERROR,
        "none",
        "An @import names a file that is not there, or files import each other in a circle.",
        "The agent loads nothing in its place and says nothing: the rules are simply not in the window.",
        "CLAUDE.md:\n@docs/rules.md   (no such file)",
        "CLAUDE.md:\n@docs/conventions.md",
        "Documentation of Claude Code, 'Manage Claude's memory': imports are followed to a depth of five.",
    ),
    Rule(
        "REF005",
        "dead-link",
        WARNING,
        "unsafe",
        "A Markdown link leads to a file that is not there, or to a heading that the file does not have.",
        "A link in instructions is how an agent finds the rest of them.",
        "See [the style guide](docs/sytle.md#naming).",
        "See [the style guide](docs/style.md#naming).",
        "Anchors are made as GitHub makes them; links to other hosts are never followed.",
    ),
)
_IMPORTING = re.compile(r"(?:^|/)(?:CLAUDE(?:\.local)?|GEMINI|QWEN)\.md$|(?:^|/)\.claude/rules/")
_KNOWN = re.compile(r"\.(?:md|mdc|markdown|txt|rst|json|jsonc|ya?ml|toml|sh|py|js|ts|tsx|css|html)$")
_LINK = re.compile(
    r"\]\([ \t]{0,8}<?(?P<to>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*){0,8})>?(?:[ \t]{1,8}[\"'(][^)\n]{0,200})?\)"
)
"""The target of a link, from the end of its text on."""
_DEFINED = re.compile(r"[ \t]{0,3}\[[^\]^]+\]:[ \t]*<?(?P<to>[^\s>]+)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_SHOWN = re.compile(r"[{}<>$*|]|\.\.\.|…|YYYY|XXX|path/to|(?:^|/)(?:url|link|path|example)$", re.IGNORECASE)
_FOR_SHOW = re.compile(
    r"\b(?:examples?|e\.g|for instance|syntax|format|template|placeholder)\b|示例|例如|格式", re.IGNORECASE
)
"""What says that a link is there to show how links look."""
_ANCHOR = re.compile(
    r"<(?:a|span|div|h\d)\b[^<>]*\b(?:name|id)\s*=\s*[\"']?([^\"'\s>]+)|\{#([\w:.-]+)\}", re.IGNORECASE
)


class Anchors:
    """Remember the addresses that each document has, so that each is read once."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def of(self, document: Document) -> tuple[frozenset[str], frozenset[str]]:
        """Return the addresses of a document's headings, as ``_marks`` gives them, and those of its elements."""
        if document.path not in self._found:
            headings = frozenset(_marks(heading.anchor) for heading in document.headings)
            elements = frozenset((found[1] or found[2]).lower() for found in _ANCHOR.finditer(document.text))
            self._found[document.path] = headings, elements
        return self._found[document.path]


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield broken imports, circles, dead links and dead anchors."""
    if not workspace.project.paths:
        return
    anchors = Anchors()
    graph = {document.path: tuple(imports(document)) for document in workspace.documents}
    circle = cache(_Ways({path: tuple(dict.fromkeys(one.path for one in some)) for path, some in graph.items()}).circle)
    for document in workspace.documents:
        if _IMPORTING.search(document.path):
            for one in graph[document.path]:
                yield from _import(workspace, document, one, circle)
        if document.kind is not Kind.PROMPT:
            yield from _links(workspace, document, anchors)


def _import(
    workspace: Workspace, document: Document, one: Import, find_circle: Callable[[str, str], list[str]]
) -> Iterator[Finding]:
    if one.path.startswith(("..", "/", "~")):
        return
    if one.path not in workspace.project.paths:
        if _KNOWN.search(one.path) and not _SHOWN.search(one.path) and not workspace.project.ignored(one.path):
            yield _imported(document, one, f"@{one.target} names no file")
        return
    circle = find_circle(document.path, one.path)
    if circle:
        yield _imported(document, one, f"@{one.target} imports this file again: {' > '.join(circle)}")


def _imported(document: Document, one: Import, message: str) -> Finding:
    end = one.column + 1 + len(one.target)
    return Finding(
        "REF004", ERROR, document.path, one.line, one.line, message,
        column=one.column, end_column=end, essence=one.target,
    )  # fmt: skip


class _Ways:
    """Find circles of imports, up to a bound of steps."""

    def __init__(self, graph: Mapping[str, tuple[str, ...]]) -> None:
        self._graph = graph
        self._steps = MOST_STEPS

    def circle(self, start: str, path: str) -> list[str]:
        """Return the way from an imported file back to the one that imports it, empty when there is none."""
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
                if target not in seen and len(way) <= DEEPEST and self._steps > 0:
                    seen.add(target)
                    ways.append([*way, target])
        return []


MOST_STEPS = 500_000
"""Imports that are followed to find circles; five hops of a hundred imports each, in one file after another."""


def _links(workspace: Workspace, document: Document, anchors: Anchors) -> Iterator[Finding]:
    if "](" not in document.text and "]:" not in document.text:
        return
    check = cache(lambda target: _dead(workspace, document, target, anchors))
    for number, line in prose(document):
        if "](" in line or "]:" in line:
            shown: bool | None = None
            for found in (*_LINK.finditer(line), *filter(None, (_DEFINED.match(line),))):
                dead = check(found["to"])
                if dead.said and shown is None:
                    shown = bool(_FOR_SHOW.search(line))
                if dead.said and not shown:
                    yield _finding(document, number, found, dead)


class _Dead(NamedTuple):
    """Say what is wrong with a link, empty when nothing is or nobody can tell, and what it should be."""

    said: str = ""
    meant: str = ""


def _finding(document: Document, number: int, found: re.Match[str], dead: _Dead) -> Finding:
    """Return the finding: a memory may well name what is on another machine, and is only told of it."""
    start, end = found.span("to")
    at = document.starts[number - 1]
    edit = Edit(document.path, at + start, at + end, dead.meant)
    return Finding(
        "REF005",
        INFO if document.kind in (Kind.MEMORY, Kind.DAILY) else WARNING,
        *(document.path, number, number, dead.said),
        column=start + 1,
        end_column=end + 1,
        fix=Fix((edit,), False, f"link to {dead.meant}") if dead.meant else None,
        essence=found["to"],
    )


def _dead(workspace: Workspace, document: Document, target: str, anchors: Anchors) -> _Dead:
    if not target or _SCHEME.match(target) or _SHOWN.search(target) or target.startswith(("~", "@")):
        return _Dead()
    path, _, anchor = unquote(target).partition("#")
    path = path.partition("?")[0]
    found: Document | None = document
    if path:
        place = _place(workspace, document, path)
        if place is None:
            return _Dead(f"the link leads to no file: {path}")
        found = workspace.document(place)
    if anchor and found is not None and not _has(found, anchor, anchors):
        near = [heading.anchor for heading in found.headings if heading.anchor.startswith(f"{anchor.lower()}-")]
        meant = f"{target.partition('#')[0]}#{near[0]}" if len(near) == 1 else ""
        return _Dead(f"{found.path} has no heading for #{anchor}", meant)
    return _Dead()


def _place(workspace: Workspace, document: Document, path: str) -> str | None:
    """Return the path that a link means: from the file's directory, else from the root; "" where nobody can know."""
    paths = workspace.project.paths
    if path.startswith("/") and not _KNOWN.search(path):
        return ""  # the address of a page on a site
    for base in (dirname(document.path), ""):
        place = normpath(join(base, path.lstrip("/") if not base or path.startswith("/") else path))
        if place in paths or place == ".":
            return place
        if place.startswith(".."):
            return ""
        if workspace.project.ignored(place):
            return ""
    return None if re.search(r"\.\w", path.rsplit("/", 1)[-1]) or "/" in path.strip("/") else ""


def _marks(anchor: str) -> str:
    """Return an address without what sites make differently: repeated hyphens, and signs of pictures."""
    return re.sub(r"[^\w]+", "-", anchor).strip("-_")


def _has(document: Document, anchor: str, anchors: Anchors) -> bool:
    """Tell whether a document has a heading, or an element, of that address; line numbers are no headings."""
    if re.match(r"L\d+", anchor) or not document.headings:
        return True
    headings, elements = anchors.of(document)
    return _marks(anchor.lower()) in headings or anchor.lower() in elements
