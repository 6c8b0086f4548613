"""Tag elements in text: an opening tag, its content, and the next matching closing tag, found in linear time."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

_CLOSING = re.compile(r"</([\w: -]+)>")


class TagElement(NamedTuple):
    """An element: the first group of its opening tag, its content, its start and its end."""

    name: str
    content: str
    start: int
    end: int


def find_elements(opening: re.Pattern[str], text: str, closing: str = "{}") -> Iterator[TagElement]:
    """Yield the elements whose opening tag matches a pattern, in order; skip tags without a closing tag.

    ``closing`` is the name in the closing tag; {} in it stands for the first group of the opening tag.
    """
    places: dict[str, list[int]] = {}
    for match in _CLOSING.finditer(text):
        places.setdefault(match[1], []).append(match.start())
    at = 0
    while places and (tag := opening.search(text, at)):
        at = tag.end()
        name = closing.format(tag[1])
        ends = places.get(name, [])
        place = bisect_left(ends, at)
        if place < len(ends):
            end = ends[place] + len(name) + 3
            yield TagElement(tag[1], text[at : ends[place]], tag.start(), end)
            at = end


def replace_elements(opening: re.Pattern[str], text: str, replacement: str, closing: str = "{}") -> str:
    """Return a text with each element replaced."""
    parts, at = [], 0
    for element in find_elements(opening, text, closing):
        parts += [text[at : element.start], replacement]
        at = element.end
    return "".join([*parts, text[at:]])


def strip_line_ends(content: str) -> str:
    """Return the content of an element without the newline after its opening tag and before its closing tag."""
    return content.removeprefix("\n").removesuffix("\n")
