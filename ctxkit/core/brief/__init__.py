"""Making a map of content that does not fit, and proving that it does."""

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.core.brief import detect
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.focus import focused
from ctxkit.core.brief.frame import Frame
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import fit

ROOMY = 110
"""Tokens that header and hint may take even of a small map; above, the hint names one way in only."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """Hold a rendered map, what it is of, and its size in tokens.

    ``confidence`` is how sure the detection was (0 to 1); ``doubt`` says why the generic map was
    taken after all, empty when it was not.
    """

    kind: str
    language: str
    confidence: float
    tokens: int
    text: str
    doubt: str = ""


def brief(document: Document, frame: Frame) -> Briefing | None:
    """Return the best map of ``document`` within its target, or None when not even one line fits.

    Short of room for a map, the answer is the one-line envelope: what, how large, where.
    """
    kind, confidence = detect.kind_of(document)
    outlines, doubt = _outlines(document, kind)
    if document.focus:
        outlines = focused(outlines, document)
    if outlines[0].urgent or _crowds(frame, document, outlines[0].kind):
        frame = frame.lean()
    text = fit(outlines, frame.around, document.count, document.target) or frame.envelope()
    tokens = document.count(text)
    if tokens > document.target:
        return None
    first = outlines[0]
    # Where the kind gave up, what it was sure of speaks against the one that stands in.
    sure = confidence if first.kind == kind.NAME else 1.0 - confidence
    return Briefing(first.kind, first.language, sure, tokens, text, doubt)


def _crowds(frame: Frame, document: Document, kind: str) -> bool:
    """Tell whether header and hint take room that the map needs; the generic map promises the rest to the end."""
    around = document.count(frame.around(Outline("", ()), "", 1))
    share = document.target // 10 if kind != detect.FALLBACK else 0
    return around > min(max(ROOMY, share), document.target // 2)


def _outlines(document: Document, kind: detect.Kind) -> tuple[Sequence[Outline], str]:
    """Return what ``kind`` says of the document, or the generic map where it doubts or fails."""
    doubt = ""
    try:
        outlines = kind.outline(document)
    except Exception as error:  # a broken map must never cost the caller the content
        why = f"{type(error).__name__}: {error}"
        outlines, doubt = None, f"the {kind.NAME} map failed ({why}); the generic one stands in"
    return outlines or detect.fallback().outline(document) or [Outline(kind.NAME, ())], doubt
