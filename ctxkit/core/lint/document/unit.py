"""Define the statements of a document: headings, bullets, paragraphs, table rows, code blocks."""

from typing import Literal, NamedTuple

UnitKind = Literal["heading", "bullet", "paragraph", "row", "code"]


class Unit(NamedTuple):
    """A statement of a document.

    ``line`` and ``end_line`` are 1-based and inclusive; ``start`` and ``end`` are character offsets without the line
    ending. ``text`` is the original text, ``normal`` the text without formatting, case and extra blanks. ``section``
    contains the titles above it, outermost first. ``list`` numbers its list or table, 0 outside of any; ``depth`` is
    the nesting of a bullet, from 0. ``is_intro`` marks a line that introduces the next lines ("Commands:", a table
    header). ``intro`` is the introducing line above a bullet or row. ``parents`` are the bullets above a nested
    statement, outermost first; of a row, the header of its table. A code unit is the complete fence; its ``normal`` is
    the lines inside, without indents.
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
    parents: tuple[str, ...] = ()
