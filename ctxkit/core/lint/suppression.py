"""Apply suppression comments, and find those that are unused or lack a reason."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import WARNING, Fix, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.removal import delete_lines

_COMMENT = compile_lazily(
    r"<!--\s*ctxkit:\s*(?P<scope>ignore-next-line|ignore-file|ignore)\b[ \t]*+"
    r"(?P<codes>(?:[A-Z]{2,4}\d{0,3}\b[, \t]*+)*+)(?P<reason>(?:[^-<\n]|-(?!->)|<(?!!--))*+)-->"
)


class Suppression(NamedTuple):
    """A suppression comment: its position, the rules and lines that it covers, and whether it gives a reason."""

    path: str
    line: int
    start: int
    end: int
    codes: tuple[str, ...]
    first: int
    last: int
    has_reason: bool


def find_suppressions(document: MarkdownDocument) -> Iterator[Suppression]:
    """Yield the suppression comments of a document, except those in code."""
    if "ctxkit:" not in document.text:
        return
    for match in _COMMENT.finditer(document.text):
        line = document.line_of(match.start())
        block = document.block_at(line)
        if block and block.kind != "comment":
            continue
        first, last = {
            "ignore": (line, line),
            "ignore-next-line": (line + 1, line + 1),
            "ignore-file": (1, document.lines),
        }[match["scope"]]
        codes = tuple(re.findall(r"[A-Z]{2,4}\d{0,3}", match["codes"]))
        has_reason = bool(match["reason"].strip(" -:–—"))
        yield Suppression(document.path, line, match.start(), match.end(), codes, first, last, has_reason)


class _SuppressionIndex:
    """Index that finds the suppressions of a finding."""

    def __init__(self, suppression_list: Sequence[Suppression]) -> None:
        self._file_wide: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
        self._lines: dict[str, list[Suppression]] = {}
        for suppression in suppression_list:
            if suppression.first == suppression.last:
                self._lines.setdefault(suppression.path, []).append(suppression)
            else:
                for code in suppression.codes:
                    self._file_wide.setdefault((suppression.path, code), []).append(
                        (suppression.path, suppression.start, code)
                    )
        for line_suppressions in self._lines.values():
            line_suppressions.sort(key=_first_line)

    def find_covering(self, finding: LintFinding) -> set[tuple[str, int, str]]:
        """Return (path, offset, code) of the suppressions of a finding.

        Those of a complete file are removed from the index with the first finding, because they count as used once.
        """
        keys: set[tuple[str, int, str]] = set()
        for length in range(1, len(finding.code) + 1):
            used = self._file_wide.get((finding.path, finding.code[:length]), [])
            keys.update(used)
            del used[1:]
        lines = self._lines.get(finding.path, [])
        start = bisect_left(lines, finding.line, key=_first_line)
        stop = bisect_right(lines, finding.end_line, key=_first_line)
        for suppression in lines[start:stop]:
            keys.update(
                (suppression.path, suppression.start, code)
                for code in suppression.codes
                if finding.code.startswith(code)
            )
        return keys


def _first_line(suppression: Suppression) -> int:
    return suppression.first


def apply_suppressions(
    workspace: Workspace, findings: Sequence[LintFinding], rule_codes: Iterable[str]
) -> list[LintFinding]:
    """Return the findings without a suppression, and those about the suppression comments.

    ``rule_codes`` are the codes of the rules that ran: comments about other rules are not checked.
    """
    suppression_list = [suppression for document in workspace.documents for suppression in find_suppressions(document)]
    if not suppression_list:
        return list(findings)
    ran = tuple(rule_codes)
    used: set[tuple[str, int, str]] = set()
    index = _SuppressionIndex(suppression_list)
    remaining = []
    for finding in findings:
        covering = index.find_covering(finding)
        used.update(covering)
        if not covering:
            remaining.append(finding)
    return [
        *remaining,
        *(about for suppression in suppression_list for about in _check_suppression(workspace, suppression, used, ran)),
    ]


def _check_suppression(
    workspace: Workspace, suppression: Suppression, used: set[tuple[str, int, str]], ran: tuple[str, ...]
) -> Iterator[LintFinding]:
    document = workspace.document(suppression.path)
    assert document is not None
    unused_codes = [
        code
        for code in suppression.codes
        if (suppression.path, suppression.start, code) not in used and _can_judge(code, ran)
    ]
    code, message = _find_fault(suppression, unused_codes)
    if not code:
        return
    is_useless = len(unused_codes) == len(suppression.codes)
    yield LintFinding(
        code,
        WARNING,
        suppression.path,
        suppression.line,
        suppression.line,
        message,
        column=suppression.start - document.starts[suppression.line - 1] + 1,
        fix=Fix((_make_removal_edit(document, suppression),), True, "remove the comment") if is_useless else None,
        essence=message,
    )


def _find_fault(suppression: Suppression, unused_codes: Sequence[str]) -> tuple[str, str]:
    """Return the code and the message for a comment that is unused or lacks a reason, empty for any other."""
    if not suppression.codes:
        return "SUP001", "a suppression names its rules"
    if unused_codes:
        return "SUP001", f"nothing to suppress: {', '.join(unused_codes)}"
    if not suppression.has_reason:
        return "SUP002", f"no reason is given for suppressing {', '.join(suppression.codes)}"
    return "", ""


def _can_judge(code: str, ran: tuple[str, ...]) -> bool:
    """Return whether a rule with this code ran or no rule has it; any rule of a group is enough for the group."""
    return not ran or any(rule.startswith(code) for rule in ran) or len(code) < 6


def _make_removal_edit(document: MarkdownDocument, suppression: Suppression) -> TextEdit:
    start, end = document.span(suppression.line, document.line_of(suppression.end - 1))
    alone = not document.text[start : suppression.start].strip() and not document.text[suppression.end : end].strip()
    if alone:
        return delete_lines(document, suppression.line, document.line_of(suppression.end - 1))
    begin = suppression.start
    while begin > start and document.text[begin - 1] in " \t":
        begin -= 1
    return TextEdit(suppression.path, begin, suppression.end)
