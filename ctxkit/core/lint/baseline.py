"""A file of findings that are known, so that only new ones are told."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.core.lint.document.finding import LintFinding

VERSION = 1


def make_baseline(findings: Sequence[LintFinding]) -> dict[str, Any]:
    """Return a baseline of these findings as a JSON object; fingerprints hold while their text stays."""
    keys = ("fingerprint", "code", "path", "message")
    rows = [{key: getattr(one, key) for key in keys} for one in findings]
    return {"version": VERSION, "findings": sorted(rows, key=_sort_key)}




def _sort_key(row: Mapping[str, str]) -> tuple[str, str, str]:
    return row["path"], row["code"], row["fingerprint"]


def parse_baseline(value: Any) -> Mapping[str, int]:
    """Return how often each fingerprint is known; raises ValueError for what is no baseline."""
    rows = value.get("findings") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "fingerprint" in row for row in rows):
        raise ValueError("is not a baseline: it has no findings with fingerprints")
    return Counter(str(row["fingerprint"]) for row in rows)


def find_new(findings: Sequence[LintFinding], known: Mapping[str, int]) -> list[LintFinding]:
    """Return the findings that a baseline does not know."""
    remaining = Counter(dict(known))
    new = []
    for finding in findings:
        if remaining[finding.fingerprint] > 0:
            remaining[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return new
