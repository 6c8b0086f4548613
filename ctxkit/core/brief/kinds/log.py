"""Plain logs: the first error, and the lines that tell most, with their times."""

from collections.abc import Sequence

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.generic_outline import WHOLE_LINES, QuoteStyle, make_generic_outline
from ctxkit.core.brief.logs.log_detection import (
    drop_timestamp,
    find_timestamp,
    is_log_throughout,
    read_sample,
    score_log,
)
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line

NAME = "log"
TYPES: Sequence[str] = ()
CLUES = Clues()
TIMES_TARGET = 1_500
"""Target in tokens below which a map quotes lines without their times: a time takes as many tokens as a short message.
"""
WITHOUT_TIMES = QuoteStyle("Lines without the times before them", drop_timestamp)


def sniff(document: InputDocument) -> float:
    """Return the confidence that most lines begin with a time, or have a level in the same column."""
    return score_log(document)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return the outline of the text with the first error in front, or None if only its beginning is a log."""
    if not document.content_type and not is_log_throughout(document):
        return None
    forms = LineForms(document.lines)
    number = forms.find_first_error()
    error = Entry(clean_line(document.lines.at(number)), number, number, verbatim=True) if number else None
    first = (Section("The first error", (error,), noun="lines"),) if error else ()
    has_times = any(map(find_timestamp, read_sample(document)))
    style = WITHOUT_TIMES if document.target < TIMES_TARGET and has_times else WHOLE_LINES
    return [make_generic_outline(document, NAME, first, style, forms)]
