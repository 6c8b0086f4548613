"""Briefings of content that does not fit, within a token target."""

from collections.abc import Sequence

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame, offer_unquoted_range
from ctxkit.core.brief.custom_kinds import KindRule, apply_kind_rule
from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.focus.section import FocusLines, choose_focus_lines
from ctxkit.core.brief.generic.remainder import fill_remainder, reserve_tokens
from ctxkit.core.brief.kind_detection import Explanation, explain_kind
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import Rendering, render_within
from ctxkit.core.quick_dataclass import dataclass, replace

ROOMY_FRAME_TOKENS = 110
"""Maximum tokens of header and hint before the hint is shortened to one command, even for a small briefing."""

_WIDEST_FRAME = Outline(kind_detection.FALLBACK, (), example=(1_000, 1_000))


@dataclass(frozen=True, slots=True)
class Briefing:
    """Hold a rendered briefing, its content kind, and its size in tokens.

    ``confidence`` is the confidence of the detection (0 to 1). ``doubt`` is the reason for using the generic briefing
    instead of the detected kind, or empty. ``explanation`` says which kind or rule spoke and why, if it was asked for.
    """

    kind: str
    language: str
    confidence: float
    tokens: int
    text: str
    doubt: str = ""
    explanation: Explanation | None = None


def brief_document(
    document: InputDocument, frame: BriefingFrame, rule: KindRule | None = None, *, explain: bool = False
) -> Briefing | None:
    """Return the most detailed briefing of ``document`` within its target, or None if not even one line fits.

    If there is no space for an outline, return one line with the name, the size and the location. ``rule`` is the rule
    of the user that matches the document.
    """
    document = replace(document, frame_tokens=_measure_frame(frame, document))
    focus = choose_focus_lines(document) if document.focus else None
    content = replace(document, target=document.target - focus.tokens) if focus else document
    outlines, confidence, doubt = _make_outlines(content)
    used = outlines[0].kind
    if rule is not None:
        outlines = apply_kind_rule(outlines, document, rule)
    if focus:
        outlines = [focus.raise_entries(outline, document.lines.total) for outline in outlines]
    if _is_frame_too_large(frame, document, outlines[0]):
        frame = frame.shorten()
    rendering = _render(outlines, frame, content)
    if focus:
        rendering = _add_focus(focus, rendering or _render(outlines, frame, document), document, frame)
    text = rendering.text if rendering else frame.render_one_line()
    tokens = document.count(text)
    if tokens > document.target:
        return None
    best = outlines[0]
    explanation = explain_kind(document, rule, used, doubt) if explain else None
    return Briefing(best.kind, best.language, confidence, tokens, text, doubt, explanation)


def _add_focus(
    focus: FocusLines, rendering: Rendering | None, document: InputDocument, frame: BriefingFrame
) -> Rendering | None:
    """Return a rendering with the lines of the focus."""
    return focus.add_to(rendering, document, frame.wrap) if rendering else None


def _measure_frame(frame: BriefingFrame, document: InputDocument) -> int:
    """Return the tokens of a header and a hint; at a small target, those of the shortest."""
    widest = frame if document.target >= ROOMY_TARGET else frame.shorten()
    return document.count(widest.wrap(_WIDEST_FRAME, "", 999))


def _render(outlines: Sequence[Outline], frame: BriefingFrame, document: InputDocument) -> Rendering | None:
    """Return the rendering that fits the target; if it hides entries, a share of the target is for lines verbatim.

    A map of a test run that is cut even in its shortest form names as many failing tests as fit instead.
    """
    rendering = render_within(outlines, frame.wrap, document.count, document.target)
    if rendering is None:
        return None
    is_cut = rendering.admitted is not None
    names_tests = outlines[0].is_run
    is_crowded = is_cut and names_tests and rendering.outline.urgent
    reserve = 0 if is_crowded else reserve_tokens(outlines[0].kind, document.target)
    if is_cut or rendering.outline is not outlines[0]:
        offering = _offer_focus(frame, document)
        shorter = render_within(outlines, offering.wrap, document.count, document.target - reserve)
        if shorter and (is_cut or shorter.admitted is None or not names_tests):
            frame, rendering = offering, shorter
    rendering = offer_unquoted_range(rendering, frame.wrap, document.count, document.target)
    return fill_remainder(document, rendering, frame.wrap)


def _offer_focus(frame: BriefingFrame, document: InputDocument) -> BriefingFrame:
    """Return the frame that offers to look for a text, if there is space for it and no text is looked for."""
    return frame.offer_focus() if document.target >= ROOMY_TARGET and not document.focus else frame


def _is_frame_too_large(frame: BriefingFrame, document: InputDocument, outline: Outline) -> bool:
    """Return whether header and hint take space that the outline needs."""
    if outline.urgent or document.target < ROOMY_TARGET:
        return True
    frame_tokens = document.count(frame.wrap(Outline("", ()), "", 1))
    share = document.target // 10 if outline.kind != kind_detection.FALLBACK else 0
    return frame_tokens > min(max(ROOMY_FRAME_TOKENS, share), document.target // 2)


def _make_outlines(document: InputDocument) -> tuple[Sequence[Outline], float, str]:
    """Return the outlines of the most likely kind that fits, its confidence, and the reason if a kind failed.

    If no kind fits, return the generic outlines; the confidence of the first kind counts against them.
    """
    doubt = ""
    ranked = kind_detection.rank_kinds(document)
    for kind, confidence in ranked:
        try:
            outlines = kind.outline(document)
        except Exception as error:  # a broken outliner must never cost the caller the content
            reason = f"{type(error).__name__}: {error}"
            outlines, doubt = None, f"the {kind.NAME} map failed ({reason}); the generic one stands in"
        if outlines:
            return outlines, confidence if outlines[0].kind == kind.NAME else 1.0 - confidence, doubt
    outlines = kind_detection.load_fallback().outline(document) or [Outline(kind_detection.FALLBACK, ())]
    return outlines, 1.0 - ranked[0][1], doubt
