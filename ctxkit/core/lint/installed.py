"""Leave out what is wrong with the text of installed skills: it is maintained in another repository."""

from collections.abc import Sequence

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.workspace import ProjectInfo

_KEPT = ("BUD", "HYG006", "HYG007")
"""Findings about what a skill costs here, and about text that may be an attack or a secret: the owner can remove it."""


def drop_installed(project: ProjectInfo, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return the findings without those in the text of installed skills: nobody edits it, the next update undoes it."""
    if not project.installed_skills:
        return list(findings)
    return [finding for finding in findings if finding.code.startswith(_KEPT) or not project.is_installed(finding.path)]
