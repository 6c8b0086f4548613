"""Outlines: the entries and sections of a briefing before it is rendered."""

from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes

MARK_LENGTH = 12
"""Number of characters that are not cut off: the mark of a cut takes as much."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Describe lines ``start`` to ``end`` (1-based, inclusive; 0 if the entry is not about lines).

    ``verbatim`` marks ``label`` as a quotation of line ``start``: it must occur there, without control sequences, and
    may be truncated. If ``end`` is greater, ``label`` quotes all these lines, indented by two blanks from the second
    on. ``rank`` orders entries if space is short: lower ranks enter first, equal ranks in order. A
    ``dense`` entry may share a line with its neighbours. With ``in_bytes``, start and end are byte numbers, for content
    on very long lines. ``hidden_count`` is the number of never-shown neighbours that the entry represents.
    ``repeats`` are further lines with the same label, for a dense entry without children. ``counts_children`` means
    that the label says how many children there are.
    """

    label: str
    start: int = 0
    end: int = 0
    rank: int = 0
    verbatim: bool = False
    dense: bool = False
    in_bytes: bool = False
    children: tuple["Entry", ...] = ()
    hidden_count: int = 1
    repeats: tuple[int, ...] = ()
    counts_children: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Group entries below a title; without a title, they follow the header directly.

    ``noun`` names the omitted entries if space is short ("12 more failures"). A ``bare`` section quotes consecutive
    lines without numbers below a heading with their range. It also names the lines that it omits. If another entry has
    ``covered`` its lines, a section does not name what it omits when it is bare or omits everything. A ``tight``
    section saves the blanks between dense entries: one token in nine of a long list. ``preposition`` precedes the first
    number of each line of dense entries. The entries of a ``complete`` section state the content of all their lines.
    """

    title: str
    entries: tuple[Entry, ...]
    noun: str = "entries"
    bare: bool = False
    covered: bool = False
    tight: bool = False
    preposition: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """Describe one document: its kind, its language if there is one, and its sections.

    ``example`` is the line range in the hint; without an example, the renderer chooses a range. An ``urgent`` outline
    has more content than fits, so its frame should be short. ``path`` is a JSON path for the hint, used if only byte
    ranges locate the content. ``is_run`` marks a test run, whose failing tests matter more than any other line.
    """

    kind: str
    sections: tuple[Section, ...]
    language: str = ""
    example: tuple[int, int] | None = field(default=None)
    urgent: bool = False
    path: str = ""
    is_run: bool = False


def quote(number: int, text: str, *, rank: int = 0, width: int = 200, hidden: int = 0) -> Entry:
    """Return an entry that quotes line ``number``, cut to ``width`` characters; ``hidden`` more follow the text."""
    return Entry(clean_line(text, width, hidden), number, number, rank, verbatim=True)


def clean_line(text: str, width: int = 200, hidden: int = 0) -> str:
    """Return a line without control sequences and outer blanks, cut to ``width`` with a mark of a longer rest.

    For a line redrawn with carriage returns, keep the last drawing, as a terminal does. ``hidden`` is the number of
    characters of the line that follow ``text``.
    """
    if not text.isprintable():
        text = strip_escapes(text)
    text = text.strip()
    if not hidden and len(text) <= width + MARK_LENGTH:
        return text
    head = text[:width].rstrip()
    return f"{head} [+{len(text) + hidden - len(head)} chars]"
