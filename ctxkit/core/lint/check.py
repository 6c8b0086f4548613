"""Run the rules over a workspace."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.readings import is_default
from ctxkit.core.lint.registry import families
from ctxkit.core.text.json_value import JsonValue

ALL = "ALL"
"""Stands for all rules."""
DEFAULT = "DEFAULT"
"""Stands for the rules that run if none is selected."""


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
