"""Output of compilers and linters: every code with its count, every file with its lines, the first error verbatim."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.build_evidence import BuildEvidence, collect_evidence
from ctxkit.core.brief.builds.build_outliner import BuildOutliner, read_build_log
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Outline

NAME = "diagnostics"
TYPES: Sequence[str] = ("build", "ci", "compiler", "lint")
CLUES = Clues(unless_log=True)


def sniff(document: InputDocument) -> float:
    """Return the confidence that most of the text is findings in files."""
    return _score_evidence(collect_evidence(document))


def _score_evidence(evidence: BuildEvidence) -> float:
    placed = evidence.placed + evidence.passed
    if evidence.is_excluded or not placed:
        return 0.0
    share = evidence.explained / max(evidence.lines, 1)
    if share >= 0.9 and placed >= 3:
        return 0.94
    if share >= 0.6:
        return 0.88 if placed >= 3 or evidence.closings else 0.75
    if evidence.steps >= 2:
        return 0.0
    if share >= 0.25 and (evidence.closings or placed >= 3):
        return 0.8 if evidence.closings else 0.65
    return 0.6 if evidence.closings and placed >= 2 and not evidence.has_prose else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the findings by code and by file, from the most detailed to the shortest."""
    build_log = read_build_log(document)
    if not build_log.groups and not build_log.closings:
        return None
    return BuildOutliner(NAME, document, build_log).build_outlines()
