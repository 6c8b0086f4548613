"""Format findings as a Code Quality report of GitLab, which shows them in a merge request.

Source, read in November 2026: docs.gitlab.com/ci/testing/code_quality (import of custom tools).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.rule import Rule

SEVERITIES = {"info": "info", "warning": "minor", "error": "major"}


def make_issues(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    """Return the issues of a report, one for each finding."""
    return [
        {
            "description": f"{finding.code} {rules[finding.code].name}: {finding.message}",
            "check_name": finding.code,
            "fingerprint": finding.fingerprint,
            "severity": SEVERITIES[finding.severity.word],
            "location": {"path": finding.path, "lines": {"begin": finding.line, "end": finding.end_line}},
        }
        for finding in findings
    ]
