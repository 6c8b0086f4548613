"""Limit how many findings of a rule are listed for a file."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LintFinding

MAX_LISTED = 1_000
"""Findings of one rule that are listed for one file: nobody reads more, and each takes time and output."""


class FindingList(NamedTuple):
    """The findings to list, and the others: the latter have no fingerprints."""

    listed: list[LintFinding]
    omitted: list[LintFinding]


def limit_findings(findings: Sequence[LintFinding], max_listed: int = MAX_LISTED) -> FindingList:
    """Return the first findings of each rule in each file, and the rest."""
    if len(findings) <= max_listed:
        return FindingList(list(findings), [])
    counts: Counter[tuple[str, str]] = Counter()
    result = FindingList([], [])
    for finding in findings:
        key = finding.path, finding.code
        counts[key] += 1
        (result.listed if counts[key] <= max_listed else result.omitted).append(finding)
    return result


def describe_omitted(omitted: Sequence[LintFinding], prefix: str = "") -> Iterator[str]:
    """Yield a line for each file and rule with findings that are not listed."""
    for (path, code), count in Counter((finding.path, finding.code) for finding in omitted).items():
        noun = "finding" if count == 1 else "findings"
        yield f"{prefix}{path}: {count:,} more {noun} of {code} not listed"
