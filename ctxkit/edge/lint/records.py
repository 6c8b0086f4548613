"""Findings as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.core.lint.finding import Finding, Fix
from ctxkit.core.lint.rule import Rule


def records(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    """Return findings as JSON objects, in their order."""
    return [_record(one, rules[one.code]) for one in findings]


def _record(one: Finding, rule: Rule) -> dict[str, Any]:
    return {
        "code": one.code,
        "name": rule.name,
        "severity": one.severity.word,
        "path": one.path,
        "line": one.line,
        "end_line": one.end_line,
        "column": one.column,
        "end_column": one.end_column,
        "message": one.message,
        "related": [place._asdict() for place in one.related],
        "tokens": one.tokens,
        "wasted": [{"load_set": name, "tokens": tokens} for name, tokens in one.wasted],
        "score": one.score,
        "fix": _fix(one.fix),
        "fingerprint": one.fingerprint,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [edit._asdict() for edit in fix.edits]
    return {"safe": fix.safe, "description": fix.description, "edits": edits}
