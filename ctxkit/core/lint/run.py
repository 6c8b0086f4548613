"""One run of the linter: what is found under the settings, and what is left after mending."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from ctxkit.core.lint import baseline, suppression
from ctxkit.core.lint.check import add_fingerprints, apply_rules, is_selected
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.apply_fixes import apply_fixes
from ctxkit.core.lint.lint_settings import LintSettings, drop_ignored
from ctxkit.core.lint.registry import rules

MAX_PASSES = 10
"""Times that what was mended is looked at again: mending may bring something else to light."""
_WHOLE_REMOVALS = ("HYG001", "HYG003", "HYG002")
"""Rules whose findings are to go as a whole, by rank: the shape of what stands in them is not judged as well."""
_COVERED_RULES = ("MEM001", "MEM003", "HYG002", "HYG003", "CTX004")
"""Rules about the shape of what stands there; what is said twice in a log is told all the same."""


class LintOptions(NamedTuple):
    """Say what to look for: the settings, whether comments in files are heeded, and what is known already.

    ``readonly`` are paths of documents that no fix may touch.
    """

    settings: LintSettings = LintSettings()
    use_suppressions: bool = True
    baseline_counts: Mapping[str, int] = {}
    readonly: frozenset[str] = frozenset()


class LintResult(NamedTuple):
    """Hold what a run came to: the workspace as it is then, what is left, and what was mended."""

    workspace: Workspace
    remaining: list[LintFinding]
    fixed_findings: list[LintFinding]


def collect_findings(workspace: Workspace, options: LintOptions) -> list[LintFinding]:
    """Return the findings in order of path, line and code."""
    settings = options.settings
    select = (*(settings.select or ("ALL",)), *settings.extend_select)
    findings = apply_rules(workspace, select, settings.ignore)
    findings = _drop_covered([one for one in findings if not any(matches(glob, one.path) for glob in settings.exclude)])
    if options.use_suppressions:
        rule_codes = [code for code in rules() if is_selected(code, select, settings.ignore)]
        findings = suppression.apply_suppressions(workspace, findings, rule_codes)
        codes = {code for code in {one.code for one in findings} if is_selected(code, select, settings.ignore)}
        findings = [one for one in findings if one.code in codes]
    ordered = sorted(drop_ignored(findings, settings), key=lambda one: (one.path, one.line, one.column or 0, one.code))
    return baseline.find_new(add_fingerprints(workspace, ordered), options.baseline_counts)


def _drop_covered(findings: list[LintFinding]) -> list[LintFinding]:
    """Leave out what is said of lines that another finding wants to go as a whole, of two such the inner one."""
    removals: dict[str, list[LintFinding]] = {}
    for finding in findings:
        if finding.code in _WHOLE_REMOVALS and finding.fix:
            removals.setdefault(finding.path, []).append(finding)
    covered_lines = {path: _CoveredLines(some) for path, some in removals.items()}
    return [
        finding
        for finding in findings
        if not (finding.path in covered_lines and covered_lines[finding.path].covers(finding))
    ]


class _CoveredLines:
    """Answer whether a finding lies in another one of its file that wants to go as a whole."""

    def __init__(self, removals: list[LintFinding]) -> None:
        ordered = sorted(removals, key=lambda one: one.line)
        self._lines = [one.line for one in ordered]
        self._last: list[list[int]] = []  # by rank: the last line that those up to a place, of a higher rank, reach
        for rank in range(1, len(_WHOLE_REMOVALS) + 1):
            higher = (one.end_line if _WHOLE_REMOVALS.index(one.code) < rank else 0 for one in ordered)
            self._last.append(list(accumulate(higher, max)))

    def covers(self, finding: LintFinding) -> bool:
        """Return whether a finding lies in another of higher rank: in reasoning, then in a log, then in a sentence."""
        if not finding.code.startswith((*_COVERED_RULES, "DUP")):
            return False
        rank = (
            _WHOLE_REMOVALS.index(finding.code)
            if finding.code in _WHOLE_REMOVALS
            else 1
            if finding.code.startswith("DUP")
            else len(_WHOLE_REMOVALS)
        )
        place = bisect_right(self._lines, finding.line)
        return rank > 0 and place > 0 and self._last[rank - 1][place - 1] >= finding.end_line


def fix_all(workspace: Workspace, options: LintOptions, *, unsafe: bool) -> LintResult:
    """Return what is left once everything that can be mended is; what was mended is looked at again."""
    fixed_findings: list[LintFinding] = []
    for _ in range(MAX_PASSES):
        findings = collect_findings(workspace, options)
        fix_result = apply_fixes(workspace, _drop_readonly(findings, options.readonly), unsafe=unsafe)
        if not fix_result.texts:
            return LintResult(workspace, findings, fixed_findings)
        workspace = replace_texts(workspace, fix_result.texts)
        fixed_findings += fix_result.findings
    return LintResult(workspace, collect_findings(workspace, options), fixed_findings)


def _drop_readonly(findings: list[LintFinding], readonly: frozenset[str]) -> list[LintFinding]:
    """Return the findings whose fixes touch no document that is read-only."""
    if not readonly:
        return findings
    return [one for one in findings if one.fix and not any(edit.path in readonly for edit in one.fix.edits)]


def replace_texts(workspace: Workspace, texts: Mapping[str, str]) -> Workspace:
    """Return a workspace with other texts in some documents."""
    documents = tuple(
        parse_document(one.path, one.encode(texts[one.path]), one.role, one.aliases) if one.path in texts else one
        for one in workspace.documents
    )
    return workspace._replace(documents=documents)
