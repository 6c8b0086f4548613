"""Convert findings to JSON objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.core.lint.document.finding import Fix, LintFinding
from ctxkit.core.lint.document.rule import Rule


def finding_objects(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    """Return findings as JSON objects, in order."""
    return [_make_finding_object(finding, rules[finding.code]) for finding in findings]


def _make_finding_object(finding: LintFinding, rule: Rule) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": rule.name,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "column": finding.column,
        "end_column": finding.end_column,
        "message": finding.message,
        "related": [place._asdict() for place in finding.related],
        "tokens": finding.tokens,
        "wasted": [{"load_set": name, "tokens": tokens} for name, tokens in finding.wasted],
        "score": finding.score,
        "fix": _make_fix_object(finding.fix),
        "fingerprint": finding.fingerprint,
    }


def _make_fix_object(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [edit._asdict() for edit in fix.edits]
    return {"safe": fix.safe, "description": fix.description, "edits": edits}
