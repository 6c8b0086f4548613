"""Quote nothing that a link leads to outside the workspace: its author may have chosen a file of the user."""

from collections.abc import Sequence, Set

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.registry import rules

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
