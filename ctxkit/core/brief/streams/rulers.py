"""Rulers without a title between the outputs of commands, as ``echo ---`` prints them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.brief.document import InputDocument

KEY = re.compile(r"[\w\"'.-]{1,60}:(?: |$)")
"""Pattern of a key, with which documents and records begin."""
NUMBER = re.compile(r"\d+")
WIDEST = 400


class RulerSurroundings(NamedTuple):
    """Hold a ruler, the line before it and the line after it."""

    ruler: str
    before: str
    after: str


def are_rulers_between_outputs(document: InputDocument, lines: Sequence[int]) -> bool:
    """Return whether what follows the rulers is different each time, and no ruler underlines or frames text."""
    places = [place for place in _read_surroundings(document, lines) if place.after.strip()]
    if len(places) < 2 or lines[0] == 1:
        return False
    if any("|" in place.before + place.after for place in places) or sum(map(_is_underline, places)) * 3 > len(places):
        return False
    keys = sum(KEY.match(place.after) is not None for place in places)
    forms = {NUMBER.sub("#", place.after.split()[0]) for place in places}
    return keys * 2 <= len(places) and len(forms) == len(places)


def _read_surroundings(document: InputDocument, lines: Sequence[int]) -> Iterator[RulerSurroundings]:
    for line in lines:
        rows = document.lines.texts(max(line - 1, 1), min(line + 1, document.lines.total))
        before = rows[0] if line > 1 else ""
        yield RulerSurroundings(
            rows[line > 1][:WIDEST], before[:WIDEST], rows[-1][:WIDEST] if line < document.lines.total else ""
        )


def _is_underline(place: RulerSurroundings) -> bool:
    """Return whether a ruler is about as long as the line before it, or that line is a title of few words."""
    width = len(place.before.strip())
    return bool(width) and len(place.ruler) > 3 and abs(width - len(place.ruler)) <= 2
