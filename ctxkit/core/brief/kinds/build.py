"""Output of builds, installations and CI jobs: closing lines, errors, and steps with their line ranges."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.build_evidence import BuildEvidence, collect_evidence
from ctxkit.core.brief.builds.build_outliner import BuildOutliner, read_build_log
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline

NAME = "build"
TYPES: Sequence[str] = ("ci",)


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is build output, from its steps, progress and closing lines."""
    return _score_evidence(collect_evidence(document))


def _score_evidence(evidence: BuildEvidence) -> float:
    if evidence.is_excluded:
        return 0.0
    if evidence.groups >= 2:
        return 0.9
    work = evidence.steps + evidence.progress
    if work * 4 >= evidence.lines * 3 and work >= 10:
        return 0.9 if evidence.closings else 0.87
    if evidence.steps >= 2 and (evidence.closings or work * 4 >= evidence.lines):
        return 0.8
    if evidence.closings and work >= 3 and (work + evidence.explained) * 4 >= evidence.lines:
        return 0.75
    return 0.6 if work >= 5 and work * 3 >= evidence.lines * 2 else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the closing lines, findings and steps, from the most detailed to the shortest."""
    build_log = read_build_log(document)
    if not build_log.groups and not build_log.closings and not build_log.steps:
        return None
    return BuildOutliner(NAME, document, build_log).build_outlines()
