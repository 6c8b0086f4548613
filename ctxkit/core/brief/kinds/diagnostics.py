"""Output of compilers and linters: every code with its count, every file with its lines, the first error verbatim."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.claims import Claim, claim
from ctxkit.core.brief.builds.diagnosis import Diagnosis, findings_of
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline

NAME = "diagnostics"
TYPES: Sequence[str] = ("compiler", "lint")


def sniff(document: Document) -> float:
    """Claim text most of which is findings in files."""
    return _sure(claim(document))


def _sure(seen: Claim) -> float:
    if seen.barred or not seen.placed:
        return 0.0
    share = seen.explained / max(seen.lines, 1)
    if share >= 0.9 and seen.placed >= 3:
        return 0.94
    if share >= 0.6:
        return 0.88 if seen.placed >= 3 or seen.closings else 0.75
    if seen.steps >= 2:
        return 0.0
    if share >= 0.25 and (seen.closings or seen.placed >= 3):
        return 0.8 if seen.closings else 0.65
    return 0.6 if seen.closings and seen.placed >= 2 and not seen.prose else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return findings by code and by file, with as much of them as there is room for."""
    tally = findings_of(document)
    if not tally.groups and not tally.closings:
        return None
    return Diagnosis(NAME, document, tally).outlines()
