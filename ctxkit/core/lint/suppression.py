"""Findings that a file itself asks not to hear of, and comments that ask in vain."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lint.cutting import cut
from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Edit, Finding, Fix
from ctxkit.core.lint.rule import WARNING
from ctxkit.core.lint.workspace import Workspace

_COMMENT = re.compile(
    r"<!--\s*ctxkit:\s*(?P<scope>ignore-next-line|ignore-file|ignore)\b[ \t]*+"
    r"(?P<codes>(?:[A-Z]{2,4}\d{0,3}\b[, \t]*+)*+)(?P<reason>(?:[^-<\n]|-(?!->)|<(?!!--))*+)-->"
)


class Suppression(NamedTuple):
    """Hold one comment: where it stands, which rules it silences on which lines, and whether it says why."""

    path: str
    line: int
    start: int
    end: int
    codes: tuple[str, ...]
    first: int
    last: int
    reasoned: bool


def suppressions(document: Document) -> Iterator[Suppression]:
    """Yield the comments of a document that silence rules; those shown in code are none."""
    if "ctxkit:" not in document.text:
        return
    for found in _COMMENT.finditer(document.text):
        line = document.line_of(found.start())
        block = document.block_at(line)
        if block and block.sort != "comment":
            continue
        first, last = {
            "ignore": (line, line),
            "ignore-next-line": (line + 1, line + 1),
            "ignore-file": (1, document.lines),
        }[found["scope"]]
        codes = tuple(re.findall(r"[A-Z]{2,4}\d{0,3}", found["codes"]))
        reasoned = bool(found["reason"].strip(" -:–—"))
        yield Suppression(document.path, line, found.start(), found.end(), codes, first, last, reasoned)


class _Index:
    """Find the suppressions of a finding without looking at all of them."""

    def __init__(self, told: Sequence[Suppression]) -> None:
        self._whole: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
        self._lines: dict[str, list[Suppression]] = {}
        for one in told:
            if one.first == one.last:
                self._lines.setdefault(one.path, []).append(one)
            else:
                for code in one.codes:
                    self._whole.setdefault((one.path, code), []).append((one.path, one.start, code))
        for suppressed in self._lines.values():
            suppressed.sort(key=_first_line)

    def covering(self, finding: Finding) -> set[tuple[str, int, str]]:
        """Return path, place and code of the suppressions of a finding.

        Those of a whole file count as used once: they are taken out of the index with the first finding.
        """
        found: set[tuple[str, int, str]] = set()
        for length in range(1, len(finding.code) + 1):
            used = self._whole.get((finding.path, finding.code[:length]), [])
            found.update(used)
            del used[1:]
        lines = self._lines.get(finding.path, [])
        start = bisect_left(lines, finding.line, key=_first_line)
        stop = bisect_right(lines, finding.end_line, key=_first_line)
        for one in lines[start:stop]:
            found.update((one.path, one.start, code) for code in one.codes if finding.code.startswith(code))
        return found


def _first_line(suppression: Suppression) -> int:
    return suppression.first


def heeded(workspace: Workspace, findings: Sequence[Finding], known: Iterable[str]) -> list[Finding]:
    """Return the findings that no comment silences, and those about the comments themselves.

    ``known`` are the codes of the rules that ran: a comment about another one is not judged.
    """
    told = [one for document in workspace.documents for one in suppressions(document)]
    if not told:
        return list(findings)
    ran = tuple(known)
    used: set[tuple[str, int, str]] = set()
    index = _Index(told)
    left = []
    for finding in findings:
        covering = index.covering(finding)
        used.update(covering)
        if not covering:
            left.append(finding)
    return [*left, *(about for one in told for about in _about(workspace, one, used, ran))]


def _about(
    workspace: Workspace, told: Suppression, used: set[tuple[str, int, str]], ran: tuple[str, ...]
) -> Iterator[Finding]:
    document = workspace.document(told.path)
    assert document is not None
    idle = [code for code in told.codes if (told.path, told.start, code) not in used and _judged(code, ran)]
    column = told.start - document.starts[told.line - 1] + 1
    if idle or not told.codes:
        said = f"nothing to suppress: {', '.join(idle)}" if told.codes else "a suppression names its rules"
        fix = Fix((_removal(document, told),), True, "remove the comment") if len(idle) == len(told.codes) else None
        yield Finding("SUP001", WARNING, told.path, told.line, told.line, said, column=column, fix=fix, essence=said)
    elif not told.reasoned:
        said = f"no reason is given for suppressing {', '.join(told.codes)}"
        yield Finding("SUP002", WARNING, told.path, told.line, told.line, said, column=column, essence=said)


def _judged(code: str, ran: tuple[str, ...]) -> bool:
    """Tell whether a rule of that name ran, or none of that name exists; a group is judged by any of its rules."""
    return not ran or any(rule.startswith(code) for rule in ran) or len(code) < 6


def _removal(document: Document, told: Suppression) -> Edit:
    start, end = document.span(told.line, document.line_of(told.end - 1))
    alone = not document.text[start : told.start].strip() and not document.text[told.end : end].strip()
    if alone:
        return cut(document, told.line, document.line_of(told.end - 1))
    begin = told.start
    while begin > start and document.text[begin - 1] in " \t":
        begin -= 1
    return Edit(told.path, begin, told.end)
