"""Making a map of content that does not fit, and proving that it does."""

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.core.brief import detect
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.focus import apply_focus
from ctxkit.core.brief.frame import BriefingFrame
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import render_within

ROOMY_FRAME_TOKENS = 110
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


def brief_document(document: InputDocument, frame: BriefingFrame) -> Briefing | None:
    """Return the best map of ``document`` within its target, or None when not even one line fits.

    Short of room for a map, the answer is the one-line envelope: what, how large, where.
    """
    kind, confidence = detect.detect_kind(document)
    outlines, doubt = _make_outlines(document, kind)
    if document.focus:
        outlines = apply_focus(outlines, document)
    if outlines[0].urgent or _is_frame_too_large(frame, document, outlines[0].kind):
        frame = frame.shorten()
    text = render_within(outlines, frame.wrap, document.count, document.target) or frame.render_one_line()
    tokens = document.count(text)
    if tokens > document.target:
        return None
    best = outlines[0]
    # Where the kind gave up, what it was sure of speaks against the one that stands in.
    adjusted_confidence = confidence if best.kind == kind.NAME else 1.0 - confidence
    return Briefing(best.kind, best.language, adjusted_confidence, tokens, text, doubt)


def _is_frame_too_large(frame: BriefingFrame, document: InputDocument, kind: str) -> bool:
    """Tell whether header and hint take room that the map needs; the generic map promises the rest to the end."""
    frame_tokens = document.count(frame.wrap(Outline("", ()), "", 1))
    share = document.target // 10 if kind != detect.FALLBACK else 0
    return frame_tokens > min(max(ROOMY_FRAME_TOKENS, share), document.target // 2)


def _make_outlines(document: InputDocument, kind: detect.ContentKind) -> tuple[Sequence[Outline], str]:
    """Return what ``kind`` says of the document, or the generic map where it doubts or fails."""
    doubt = ""
    try:
        outlines = kind.outline(document)
    except Exception as error:  # a broken map must never cost the caller the content
        reason = f"{type(error).__name__}: {error}"
        outlines, doubt = None, f"the {kind.NAME} map failed ({reason}); the generic one stands in"
    return outlines or detect.load_fallback().outline(document) or [Outline(kind.NAME, ())], doubt
