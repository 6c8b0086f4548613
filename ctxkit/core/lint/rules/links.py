"""Find dead links (REF005)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.chat_markers import SESSION_FILE
from ctxkit.core.lint.document.fences import find_broken_line, is_in_template
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.inline import prose_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.parse import slugify
from ctxkit.core.lint.document.rule import INFO, WARNING, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.references.packaged import find_packaged
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
)
KNOWN_SUFFIX = compile_lazily(r"\.(?:md|mdc|markdown|txt|rst|json|jsonc|ya?ml|toml|sh|py|js|ts|tsx|css|html)$")
_LINK = compile_lazily(
    r"(?<!\])\]\([ \t]{0,8}<?(?P<to>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*){0,8})>?(?:[ \t]{1,8}[\"'(][^)\n]{0,200})?\)"
)
"""Matches the target of a link, from the end of its text; two brackets end a wiki link, which has no target."""
_DEFINED = compile_lazily(r"[ \t]{0,3}\[[^\]^]+\]:[ \t]*<?(?P<to>[^\s>]+)")
_SCHEME = compile_lazily(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_ONE_SLASH = compile_lazily(r"https?:/[^/\s]")
CURSOR_SCHEME = "mdc:"
"""Beginning of the links of Cursor's rules, whose paths are those from the root."""
MISSING = "the link points to a missing file: "
MAX_LOST = 3
"""Maximum links to a missing directory that are findings of their own: more are one fact, often of another project."""
EXAMPLE_PATH = compile_lazily(r"[{}<>$*|]|\.\.\.|…|YYYY|XXX|path/to|(?:^|/)(?:url|link|path|example)$", re.IGNORECASE)
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
    broken = find_broken_line(document)
    dead: list[LintFinding] = []
    for number, line in prose_lines(document):
        if ("](" in line or "]:" in line) and number < broken:
            is_example: bool | None = None
            for match in (*_LINK.finditer(line), *filter(None, (_DEFINED.match(line),))):
                problem = check(match["to"])
                if problem and is_example is None:
                    is_example = bool(_EXAMPLE_CONTEXT.search(line)) or is_in_template(document, number)
                if problem and not is_example and not _is_quoted(line, match) and problem not in reported:
                    reported.add(problem)
                    dead.append(_make_finding(document, number, match, problem))
    yield from _join_lost(dead, workspace, path_index)


def _is_quoted(line: str, link: re.Match[str]) -> bool:
    """Return whether a link stands in quotation marks: it is text for another place."""
    return len(_QUOTATION.findall(line, 0, link.start())) % 2 == 1 and _QUOTATION.search(line, link.end()) is not None


def _join_lost(
    findings: Sequence[LintFinding], workspace: Workspace, path_index: PathIndex
) -> Iterator[LintFinding]:
    """Yield one finding for more than ``MAX_LOST`` links of a document that miss for the same reason.

    They point to a directory that does not exist, or all their files are in another directory.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        path = finding.essence.removeprefix(CURSOR_SCHEME).removeprefix("./")
        lost = moved = ""
        if finding.message.startswith(MISSING):
            lost = _find_lost(path, dirname(finding.path), workspace)
            moved = "" if lost else dirname(_find_other(path, path_index))
        groups.setdefault((lost, moved) if lost or moved else ("", f"/{len(groups)}"), []).append(finding)
    for (lost, moved), group in groups.items():
        if len(group) <= MAX_LOST:
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
    plain = target.removeprefix(CURSOR_SCHEME)
    if _ONE_SLASH.match(plain):
        return "the address has one slash after https: instead of two"
    target = f"/{plain.lstrip('/')}" if plain != target and KNOWN_SUFFIX.search(plain) else plain
    if not target or _SCHEME.match(target) or EXAMPLE_PATH.search(target) or target.startswith(("~", "@")):
        return ""
    path, _, anchor = unquote(target).partition("#")
    path = path.partition("?")[0]
    target_document: MarkdownDocument | None = document
    if path:
        place = _resolve_link(workspace, document, path)
        if place is None and path.startswith("/") and path_index.exists(path.lstrip("/"), ""):
            return ""  # the address of a file on a site whose root is a directory
        if place is None:
            other = _find_other(path, path_index)
            written = path.removeprefix("/") if target != plain else path
            return f"{MISSING}{written}{f'; there is {other}' if other else ''}"
        target_document = workspace.document(place)
    if anchor and target_document is not None and not _has_anchor(target_document, anchor, anchors):
        return f"{target_document.path} has no heading for #{anchor}"
    return ""


def _find_other(path: str, path_index: PathIndex) -> str:
    """Return the only file with the name of a path, "" if there are several or none."""
    named = path_index.find_named(path)
    return named[0] if len(named) == 1 else ""


def _resolve_link(workspace: Workspace, document: MarkdownDocument, path: str) -> str | None:
    """Return the path of a link, relative to the file's directory or else to the root.

    Return "" if it cannot be known, and None if the file does not exist.
    """
    paths = workspace.project.paths
    if (path.startswith("/") and not KNOWN_SUFFIX.search(path)) or path.startswith(("/home/", "/Users/")):
        return ""  # the address of a page on a site, or a path that STR008 reports
    for base in (dirname(document.path), ""):
        place = normpath(join(base, path.lstrip("/") if not base or path.startswith("/") else path))
        if place in paths or place == ".":
            return place
        if place.startswith(".."):
            if base == dirname(document.path):
                return ""
            continue  # relative to its own directory, the path is in the workspace, and there is no such file
        if workspace.project.is_ignored(place):
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
