from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.gitlab import make_issues
from tests.edge.lint.findings import COPY, STALE


def test_an_issue_has_what_gitlab_needs() -> None:
    copy, stale = make_issues([COPY, STALE], rules())
    assert copy == {
        "description": "DUP002 duplicate-across-files: also in AGENTS.md:7",
        "check_name": "DUP002",
        "fingerprint": "f" * 16,
        "severity": "minor",
        "location": {"path": "MEMORY.md", "lines": {"begin": 3, "end": 3}},
    }
    assert (stale["severity"], stale["location"]["lines"]["begin"]) == ("major", 2)
