"""Read and write baselines: files of known findings, so that only new findings are reported."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.text.json_value import JsonValue

VERSION = 1


def make_baseline(findings: Sequence[LintFinding]) -> dict[str, JsonValue]:
    """Return a baseline of the findings as a JSON object; a fingerprint stays the same as long as its text."""
    keys = ("fingerprint", "code", "path", "message")
    rows = [{key: getattr(finding, key) for key in keys} for finding in findings]
    return {"version": VERSION, "findings": sorted(rows, key=_sort_key)}


def _sort_key(row: Mapping[str, str]) -> tuple[str, str, str]:
    return row["path"], row["code"], row["fingerprint"]


def parse_baseline(value: JsonValue) -> Mapping[str, int]:
    """Return how often each fingerprint occurs in a baseline; raise ValueError if the value is not a baseline."""
    rows = value.get("findings") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "fingerprint" in row for row in rows):
        raise ValueError("is not a baseline: it has no findings with fingerprints")
    return Counter(str(row["fingerprint"]) for row in rows)


def check_own_keys(value: JsonValue) -> None:
    """Raise ValueError if a baseline has keys that ``make_baseline`` does not write: another program owns the file."""
    if isinstance(value, dict) and not value.keys() <= {"version", "findings"}:
        raise ValueError("is not a baseline: it has other keys than version and findings")


def find_new(findings: Sequence[LintFinding], known: Mapping[str, int]) -> list[LintFinding]:
    """Return the findings that are not in the baseline."""
    remaining = Counter(dict(known))
    new = []
    for finding in findings:
        if remaining[finding.fingerprint] > 0:
            remaining[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return new
