"""Tell once of what is wrong in each of several equal files."""

from collections.abc import Sequence

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.workspace import Workspace

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
