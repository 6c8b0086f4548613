"""Choose what is listed: once for equal files, few of a rule for a file, no quotes from outside of the workspace."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.registry import rules

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


_PLACED = ("DUP", "BUD", "SUP")
"""Families whose findings are about the place of a file, not about its text."""


def join_equal_files(workspace: Workspace, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return the findings; those of equal files at the same line with the same message as one, with all its places.

    A finding with a fix stays: each of the files needs it.
    """
    first_paths: dict[str, str] = {}
    for document in workspace.documents:
        first_paths.setdefault(document.text, document.path)
    homes = {document.path: first_paths[document.text] for document in workspace.documents}
    joined: dict[tuple[str, str, int, int | None, str], LintFinding] = {}
    others: list[LintFinding] = []
    for finding in sorted(findings, key=lambda finding: finding.path != homes.get(finding.path)):
        home = homes.get(finding.path)
        if home is None or finding.fix or finding.code.startswith(_PLACED):
            others.append(finding)
            continue
        key = (home, finding.code, finding.line, finding.column, finding.message)
        first = joined.get(key)
        more = (finding.location, *finding.related)
        joined[key] = finding if first is None else first._replace(related=(*first.related, *more))
    return [*others, *joined.values()]


REASON = "nothing is quoted, because a link leads out of the workspace"


def hide_outside(findings: Sequence[LintFinding], outside: Set[str]) -> list[LintFinding]:
    """Return the findings; those in or about documents ``outside`` have no quotes, and no fix."""
    if not outside:
        return list(findings)
    return [_hide(finding) if _is_about(finding, outside) else finding for finding in findings]


def _is_about(finding: LintFinding, outside: Set[str]) -> bool:
    edited = (edit.path for edit in finding.fix.edits) if finding.fix else ()
    return not outside.isdisjoint({finding.path, *(place.path for place in finding.related), *edited})


def _hide(finding: LintFinding) -> LintFinding:
    message = f"{rules()[finding.code].name}: {REASON}"
    return finding._replace(message=message, essence=message, concept=rules()[finding.code].name, fix=None)
