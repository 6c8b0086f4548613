"""Output of builds, installations and CI jobs: how it closed, its errors, its steps with their lines."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.claims import Claim, claim
from ctxkit.core.brief.builds.diagnosis import Diagnosis, findings_of
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline

NAME = "build"
TYPES: Sequence[str] = ("ci",)


def sniff(document: Document) -> float:
    """Claim text with the steps, the progress and the closing lines of build tools."""
    return _sure(claim(document))


def _sure(seen: Claim) -> float:
    if seen.barred:
        return 0.0
    if seen.groups >= 2:
        return 0.9
    work = seen.steps + seen.progress
    if work * 4 >= seen.lines * 3 and work >= 10:
        return 0.9 if seen.closings else 0.87
    if seen.steps >= 2 and (seen.closings or work * 4 >= seen.lines):
        return 0.8
    if seen.closings and work >= 3 and (work + seen.explained) * 4 >= seen.lines:
        return 0.75
    return 0.6 if work >= 5 and work * 3 >= seen.lines * 2 else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return closing lines, findings and steps, with as much of them as there is room for."""
    tally = findings_of(document)
    if not tally.groups and not tally.closings and not tally.steps:
        return None
    return Diagnosis(NAME, document, tally).outlines()
