"""A file of findings that are known, so that only new ones are told."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.core.lint.finding import Finding

VERSION = 1


def written(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a baseline of these findings as a JSON object; fingerprints hold while their text stays."""
    keys = ("fingerprint", "code", "path", "message")
    rows = [{key: getattr(one, key) for key in keys} for one in findings]
    return {"version": VERSION, "findings": sorted(rows, key=_place)}




def _place(row: Mapping[str, str]) -> tuple[str, str, str]:
    return row["path"], row["code"], row["fingerprint"]


def read(value: Any) -> Mapping[str, int]:
    """Return how often each fingerprint is known; raises ValueError for what is no baseline."""
    rows = value.get("findings") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "fingerprint" in row for row in rows):
        raise ValueError("is no baseline: it has no findings with fingerprints")
    return Counter(str(row["fingerprint"]) for row in rows)


def beyond(findings: Sequence[Finding], known: Mapping[str, int]) -> list[Finding]:
    """Return the findings that a baseline does not know."""
    left = Counter(dict(known))
    new = []
    for one in findings:
        if left[one.fingerprint] > 0:
            left[one.fingerprint] -= 1
        else:
            new.append(one)
    return new
