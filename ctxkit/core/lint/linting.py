"""One run of the linter: what is found under the settings, and what is left after mending."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from ctxkit.core.lint import baseline, suppression
from ctxkit.core.lint.check import check, chosen, identified
from ctxkit.core.lint.control import Control, allowed
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.globs import matches
from ctxkit.core.lint.mending import mended
from ctxkit.core.lint.parse import parse
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.workspace import Workspace

PASSES = 10
"""Times that what was mended is looked at again: mending may bring something else to light."""
_CHARGED = ("HYG001", "HYG003", "HYG002")
"""Rules whose findings are to go as a whole, by rank: the shape of what stands in them is not judged as well."""
_EXCUSED = ("MEM001", "MEM003", "HYG002", "HYG003", "CTX004")
"""Rules about the shape of what stands there; what is said twice in a log is told all the same."""


class Job(NamedTuple):
    """Say what to look for: the settings, whether comments in files are heeded, and what is known already.

    ``readonly`` are paths of documents that no fix may touch.
    """

    control: Control = Control()
    heeds: bool = True
    known: Mapping[str, int] = {}
    readonly: frozenset[str] = frozenset()


class Result(NamedTuple):
    """Hold what a run came to: the workspace as it is then, what is left, and what was mended."""

    workspace: Workspace
    left: list[Finding]
    done: list[Finding]


def found(workspace: Workspace, job: Job) -> list[Finding]:
    """Return the findings in order of path, line and code."""
    control = job.control
    select = (*(control.select or ("ALL",)), *control.extend_select)
    findings = check(workspace, select, control.ignore)
    findings = _charged([one for one in findings if not any(matches(glob, one.path) for glob in control.exclude)])
    if job.heeds:
        ran = [code for code in rules() if chosen(code, select, control.ignore)]
        findings = suppression.heeded(workspace, findings, ran)
        findings = [one for one in findings if chosen(one.code, select, control.ignore)]
    ordered = sorted(allowed(findings, control), key=lambda one: (one.path, one.line, one.column or 0, one.code))
    return baseline.beyond(identified(workspace, ordered), job.known)


def _charged(findings: list[Finding]) -> list[Finding]:
    """Leave out what is said of lines that another finding wants to go as a whole, of two such the inner one."""
    whole: dict[str, list[Finding]] = {}
    for one in findings:
        if one.code in _CHARGED and one.fix:
            whole.setdefault(one.path, []).append(one)
    reaches = {path: _Reach(some) for path, some in whole.items()}
    return [one for one in findings if not (one.path in reaches and reaches[one.path].covers(one))]


class _Reach:
    """Answer whether a finding lies in another one of its file that wants to go as a whole."""

    def __init__(self, whole: list[Finding]) -> None:
        ordered = sorted(whole, key=lambda one: one.line)
        self._lines = [one.line for one in ordered]
        self._last: list[list[int]] = []  # by rank: the last line that those up to a place, of a higher rank, reach
        for rank in range(1, len(_CHARGED) + 1):
            higher = (one.end_line if _CHARGED.index(one.code) < rank else 0 for one in ordered)
            self._last.append(list(accumulate(higher, max)))

    def covers(self, one: Finding) -> bool:
        """Return whether a finding lies in another of higher rank: in reasoning, then in a log, then in a sentence."""
        if not one.code.startswith((*_EXCUSED, "DUP")):
            return False
        rank = _CHARGED.index(one.code) if one.code in _CHARGED else 1 if one.code.startswith("DUP") else len(_CHARGED)
        place = bisect_right(self._lines, one.line)
        return rank > 0 and place > 0 and self._last[rank - 1][place - 1] >= one.end_line


def fixed(workspace: Workspace, job: Job, *, unsafe: bool) -> Result:
    """Return what is left once everything that can be mended is; what was mended is looked at again."""
    done: list[Finding] = []
    for _ in range(PASSES):
        findings = found(workspace, job)
        made = mended(workspace, _fixable(findings, job.readonly), unsafe=unsafe)
        if not made.texts:
            return Result(workspace, findings, done)
        workspace = changed(workspace, made.texts)
        done += made.done
    return Result(workspace, found(workspace, job), done)


def _fixable(findings: list[Finding], readonly: frozenset[str]) -> list[Finding]:
    """Return the findings whose fixes touch no document that is read-only."""
    if not readonly:
        return findings
    return [one for one in findings if one.fix and not any(edit.path in readonly for edit in one.fix.edits)]


def changed(workspace: Workspace, texts: Mapping[str, str]) -> Workspace:
    """Return a workspace with other texts in some documents."""
    documents = tuple(
        parse(one.path, one.encoded(texts[one.path]), one.kind, one.aliases) if one.path in texts else one
        for one in workspace.documents
    )
    return workspace._replace(documents=documents)
