"""Briefings of content that does not fit, within a token target."""

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.core.brief import detect
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.focus import apply_focus
from ctxkit.core.brief.frame import BriefingFrame
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import render_within

ROOMY_FRAME_TOKENS = 110
"""Maximum tokens of header and hint before the hint is shortened to one command, even for a small briefing."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """Hold a rendered briefing, its content kind, and its size in tokens.

    ``confidence`` is the confidence of the detection (0 to 1). ``doubt`` is the reason for using the generic briefing
    instead of the detected kind, or empty.
    """

    kind: str
    language: str
    confidence: float
    tokens: int
    text: str
    doubt: str = ""


def brief_document(document: InputDocument, frame: BriefingFrame) -> Briefing | None:
    """Return the most detailed briefing of ``document`` within its target, or None if not even one line fits.

    If there is no space for an outline, return one line with the name, the size and the location.
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
    # If the detected kind gives up, its confidence counts against the fallback.
    adjusted_confidence = confidence if best.kind == kind.NAME else 1.0 - confidence
    return Briefing(best.kind, best.language, adjusted_confidence, tokens, text, doubt)


def _is_frame_too_large(frame: BriefingFrame, document: InputDocument, kind: str) -> bool:
    """Return whether header and hint take space that the outline needs; the generic kind gives all space to the end."""
    frame_tokens = document.count(frame.wrap(Outline("", ()), "", 1))
    share = document.target // 10 if kind != detect.FALLBACK else 0
    return frame_tokens > min(max(ROOMY_FRAME_TOKENS, share), document.target // 2)


def _make_outlines(document: InputDocument, kind: detect.ContentKind) -> tuple[Sequence[Outline], str]:
    """Return the outlines of ``kind`` and an empty string, or the generic outlines and the reason for using them."""
    doubt = ""
    try:
        outlines = kind.outline(document)
    except Exception as error:  # a broken outliner must never cost the caller the content
        reason = f"{type(error).__name__}: {error}"
        outlines, doubt = None, f"the {kind.NAME} map failed ({reason}); the generic one stands in"
    return outlines or detect.load_fallback().outline(document) or [Outline(kind.NAME, ())], doubt
