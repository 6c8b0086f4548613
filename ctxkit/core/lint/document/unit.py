"""One statement of a document: a heading, a bullet, a paragraph, a row of a table or a block of code."""

from typing import Literal, NamedTuple

UnitKind = Literal["heading", "bullet", "paragraph", "row", "code"]


class Unit(NamedTuple):
    """Hold one statement.

    ``line`` and ``end_line`` are 1-based and inclusive, ``start`` and ``end`` characters of the document's text
    (the line's ending is not part of it). ``text`` is as written, ``normal`` what is left when marks of format,
    case and blanks make no difference. ``section`` holds the titles above it, outermost first. ``list`` numbers
    the list or table that it stands in, 0 outside of any; ``depth`` is how far a bullet is nested, from 0.
    ``is_intro`` is true of a line that only introduces what follows it ("Commands:", the head of a table), and
    ``intro`` is the introducing line that a bullet or row stands below. Of code, a unit is the whole fence, and
    ``normal`` its lines without the fence and without their indents.
    """

    path: str
    kind: UnitKind
    line: int
    end_line: int
    start: int
    end: int
    text: str
    normal: str
    section: tuple[str, ...] = ()
    list: int = 0
    depth: int = 0
    is_intro: bool = False
    intro: str = ""
