"""Run the rules over a workspace under the settings, and repeat it after fixes."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate
from typing import NamedTuple

from ctxkit.core.lint import baseline, suppression
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import ProjectInfo, Workspace
from ctxkit.core.lint.fixes.apply_fixes import apply_fixes
from ctxkit.core.lint.lint_settings import LintSettings, drop_ignored
from ctxkit.core.lint.listing import FindingList, hide_outside, join_equal_files, limit_findings
from ctxkit.core.lint.readings import is_default
from ctxkit.core.lint.registry import families, rules
from ctxkit.core.text.json_value import JsonValue

ALL = "ALL"
"""Stands for all rules."""
DEFAULT = "DEFAULT"
"""Stands for the rules that run if none is selected."""
_MAX_PASSES = 10
"""Maximum number of runs after fixes: a fix may reveal other findings."""
_WHOLE_REMOVALS = ("HYG001", "HYG003", "HYG002")
"""Rules that remove complete text, by rank; the format of text inside is not checked."""
_COVERED_RULES = ("MEM001", "MEM003", "HYG002", "HYG003", "CTX004")
"""Rules about format, which are skipped inside such text; duplicates in a log are still reported."""
_INSTALLED_RULES = ("BUD", "HYG006", "HYG007")
"""Rules about what an installed skill costs, and about text that may be an attack or a secret: the owner can remove
it."""


class LintOptions(NamedTuple):
    """Options of a run: settings, whether suppression comments apply, and the baseline.

    ``readonly`` are paths of documents that no fix may change.
    """

    settings: LintSettings = LintSettings()
    use_suppressions: bool = True
    baseline_counts: Mapping[str, int] = {}
    readonly: frozenset[str] = frozenset()


class LintResult(NamedTuple):
    """The result of a run: the fixed workspace, the remaining findings, and the fixed findings."""

    workspace: Workspace
    remaining: list[LintFinding]
    fixed_findings: list[LintFinding]


def collect_findings(workspace: Workspace, options: LintOptions) -> list[LintFinding]:
    """Return the findings, sorted by path, line and code."""
    findings = add_fingerprints(workspace, _find_ordered(workspace, options))
    return baseline.find_new(findings, options.baseline_counts)


def collect_listed(workspace: Workspace, options: LintOptions) -> FindingList:
    """Return the findings of ``collect_findings``, but list only the first thousand of each rule in each file."""
    if options.baseline_counts:  # only fingerprints tell which findings are new
        return limit_findings(collect_findings(workspace, options))
    findings = limit_findings(_find_ordered(workspace, options))
    return findings._replace(listed=add_fingerprints(workspace, findings.listed))


def _drop_installed(project: ProjectInfo, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return the findings without those in the text of installed skills: another repository maintains it."""
    return [
        finding
        for finding in findings
        if finding.code.startswith(_INSTALLED_RULES) or not project.is_installed(finding.path)
    ]


def _find_ordered(workspace: Workspace, options: LintOptions) -> list[LintFinding]:
    """Return the sorted findings without fingerprints, whether they are in the baseline or not."""
    settings = options.settings
    select = (*(settings.select or (DEFAULT,)), *settings.extend_select)
    findings = _drop_installed(workspace.project, apply_rules(workspace, select, settings.ignore))
    findings = join_equal_files(workspace, findings)
    findings = _drop_covered(
        [finding for finding in findings if not any(matches(glob, finding.path) for glob in settings.exclude)]
    )
    if options.use_suppressions:
        rule_codes = [code for code in rules() if is_selected(code, select, settings.ignore)]
        findings = suppression.apply_suppressions(workspace, findings, rule_codes)
        codes = {code for code in {finding.code for finding in findings} if is_selected(code, select, settings.ignore)}
        findings = [finding for finding in findings if finding.code in codes]
    return sorted(
        hide_outside(drop_ignored(findings, settings), workspace.outside),
        key=lambda finding: (finding.path, finding.line, finding.column or 0, finding.code),
    )


def _drop_covered(findings: list[LintFinding]) -> list[LintFinding]:
    """Return the findings without those about lines that another finding removes completely."""
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
    """Index of the lines that findings of a file remove completely."""

    def __init__(self, removals: list[LintFinding]) -> None:
        ordered = sorted(removals, key=lambda removal: removal.line)
        self._lines = [removal.line for removal in ordered]
        self._last: list[list[int]] = []  # by rank: the last line of higher ranks up to each place
        for rank in range(1, len(_WHOLE_REMOVALS) + 1):
            higher = (removal.end_line if _WHOLE_REMOVALS.index(removal.code) < rank else 0 for removal in ordered)
            self._last.append(list(accumulate(higher, max)))

    def covers(self, finding: LintFinding) -> bool:
        """Return whether a finding is inside another of higher rank: reasoning, then logs, then sentences."""
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
    """Apply all fixes, and repeat the run until nothing is left to fix."""
    fixed_findings: list[LintFinding] = []
    for _ in range(_MAX_PASSES):
        findings = collect_findings(workspace, options)
        fix_result = apply_fixes(workspace, _drop_readonly(findings, options.readonly), unsafe=unsafe)
        if not fix_result.texts:
            return LintResult(workspace, findings, fixed_findings)
        workspace = replace_texts(workspace, fix_result.texts)
        fixed_findings += fix_result.findings
    return LintResult(workspace, collect_findings(workspace, options), fixed_findings)


def _drop_readonly(findings: list[LintFinding], readonly: frozenset[str]) -> list[LintFinding]:
    """Return the findings whose fixes change no read-only document."""
    if not readonly:
        return findings
    return [
        finding for finding in findings if finding.fix and not any(edit.path in readonly for edit in finding.fix.edits)
    ]


def replace_texts(workspace: Workspace, texts: Mapping[str, str]) -> Workspace:
    """Return a workspace with the texts of some documents replaced."""
    documents = tuple(
        parse_document(document.path, document.encode(texts[document.path]), document.role, document.aliases)
        if document.path in texts
        else document
        for document in workspace.documents
    )
    return workspace._replace(documents=documents)


def apply_rules(workspace: Workspace, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[LintFinding]:
    """Return the findings of the rules without fingerprints, sorted by path, line and code.

    ``select`` and ``ignore`` contain rule codes or prefixes of codes; an empty ``select`` means all. If both match a
    rule, the longer prefix wins.
    """
    findings: list[LintFinding] = []
    for family in families():
        codes = {rule.code for rule in family.rules if is_selected(rule.code, select, ignore)}
        if codes:
            findings.extend(finding for finding in family.findings(workspace) if finding.code in codes)
    return sorted(findings, key=_sort_key)


def is_selected(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Return whether a rule is selected."""
    return _match_length(select, code, -1 if select else 0) > _match_length(ignore, code, -1)


def _match_length(patterns: Sequence[str], code: str, default: int) -> int:
    """Return the length of the longest pattern that is a prefix of a code; 0 for a set of rules that contains it."""
    lengths = [len(pattern) for pattern in patterns if code.startswith(pattern)]
    is_in_set = ALL in patterns or (DEFAULT in patterns and is_default(code))
    return max(lengths, default=0 if is_in_set else default)


def _sort_key(finding: LintFinding) -> tuple[str, int, int, int, str, str]:
    return (finding.path, finding.line, finding.column or 0, finding.end_line, finding.code, finding.message)


def _normalize_lines(document: MarkdownDocument, line: int, end_line: int) -> str:
    """Return the normalized text of a range of lines."""
    start, end = document.span(line, min(end_line, document.lines))
    return normalize_text(document.text[start:end])


def add_fingerprints(workspace: Workspace, findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Return findings with fingerprints, which stay the same as long as the text they are about.

    A counter distinguishes equal findings in a file.
    """
    documents = {document.path: document for document in workspace.documents}
    times: dict[tuple[str, str, str], int] = {}
    results = []
    digests: dict[tuple[str, str, str], JsonValue] = {}
    find_essence = lru_cache(maxsize=8)(lambda path, line, end_line: _normalize_lines(documents[path], line, end_line))
    for finding in findings:
        essence = finding.essence
        document = documents.get(finding.path)
        if not essence and document and 0 < finding.line <= document.lines:
            essence = find_essence(finding.path, finding.line, finding.end_line)
        key = (finding.code, finding.path, essence)
        number = times.get(key, 0)
        times[key] = number + 1
        digest = digests[key].copy() if number > 1 else sha256("\0".join((*key, "")).encode("utf-8", "replace"))
        if number == 1:  # most findings have no equal: only others need a copy
            digests[key] = digest.copy()
        digest.update(str(number).encode())
        results.append(finding._replace(fingerprint=digest.hexdigest()[:16]))
    return results
