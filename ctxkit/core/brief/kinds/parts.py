"""Streams of several parts, such as the output of several commands: an index of the parts and a map of each."""

from collections.abc import Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.streams.form_parts import divide_parts, find_form_parts
from ctxkit.core.brief.streams.separators import find_separated_parts
from ctxkit.core.brief.streams.services import find_services
from ctxkit.core.brief.streams.stream_outline import build_stream_outline
from ctxkit.core.brief.streams.stream_parts import Stream

NAME = "parts"
TYPES: Sequence[str] = ()
CLUES = Clues()
SUFFIXES = ("", "txt", "log", "out")


def sniff(document: InputDocument) -> float:
    """Return the confidence that separators, prefixes or different known forms divide the text."""
    stream = _find_stream(document)
    return stream.confidence if stream else 0.0


def _find_stream(document: InputDocument) -> Stream | None:
    if document.is_part or document.suffix not in SUFFIXES:
        return None
    return find_services(document) or find_separated_parts(document) or find_form_parts(document)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline with an index of the parts, and the map of each in its share of the target."""
    stream = _find_stream(document)
    return [build_stream_outline(NAME, document, divide_parts(document, stream))] if stream else None
