"""Output of compilers and linters: every code with its count, every file with its lines, the first error verbatim."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.build_evidence import BuildEvidence, collect_evidence
from ctxkit.core.brief.builds.build_outliner import BuildOutliner, read_build_log
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Outline

NAME = "diagnostics"
TYPES: Sequence[str] = ("build", "ci", "compiler", "lint")
CLUES = Clues(unless_log=True)
_CONFIDENCES = (
    (0.9, 3, False, 0.94),
    (0.6, 3, False, 0.88),
    (0.6, 1, True, 0.88),
    (0.6, 1, False, 0.75),
    (0.25, 1, True, 0.8),
    (0.25, 3, False, 0.65),
    (0, 2, True, 0.6),
)
"""Least share of explained lines, least number of findings, whether a closing line is needed, and the confidence."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that most of the text is findings in files."""
    return _score_evidence(collect_evidence(document))


def _score_evidence(evidence: BuildEvidence) -> float:
    placed = evidence.placed + evidence.passed
    share = evidence.explained / max(evidence.lines, 1)
    is_step_log = share < 0.6 and evidence.steps >= 2
    is_prose = share < 0.25 and evidence.has_prose
    if not placed or evidence.is_excluded or is_step_log or is_prose:
        return 0.0
    for least_share, least_placed, closed, confidence in _CONFIDENCES:
        if share >= least_share and placed >= least_placed and (evidence.closings or not closed):
            return confidence
    return 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the findings by code and by file, from the most detailed to the shortest."""
    build_log = read_build_log(document)
    if not build_log.groups and not build_log.closings:
        return None
    return BuildOutliner(NAME, document, build_log).build_outlines()
