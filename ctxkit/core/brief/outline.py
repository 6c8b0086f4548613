"""What a map says, before it is rendered: entries with their lines, in sections."""

from dataclasses import dataclass, field

from ctxkit.core.text.ansi import strip_escapes


@dataclass(frozen=True, slots=True)
class Entry:
    """Say one thing about lines ``start`` to ``end`` (1-based, inclusive; 0 when it is about no line).

    ``verbatim`` marks ``label`` as a quotation of line ``start``: it must occur there, control
    sequences aside, and may be cut at its end. ``rank`` orders entries when space is short: lower
    enters first, equal ranks in order. A ``dense`` entry may share a line with its neighbours. With
    ``in_bytes``, start and end count bytes: the only places there are in one long line. ``hidden_count`` is how many
    neighbours an entry stands for that is never shown.
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


@dataclass(frozen=True, slots=True)
class Section:
    """Group entries below a title; an empty title puts them right below the header.

    ``noun`` names what is left out when space is short ("12 more failures"). A ``bare`` section
    quotes consecutive lines without their numbers, which its heading gives as a range; what it leaves
    out is named too, unless another entry has ``covered`` it. A ``tight`` one saves the blanks between dense entries:
    one token in nine of a long list.
    """

    title: str
    entries: tuple[Entry, ...]
    noun: str = "entries"
    bare: bool = False
    covered: bool = False
    tight: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """Describe one document: its kind, its language if it has one, and what to say of it.

    ``example`` is the range that the hint shows; without one the renderer picks it. An ``urgent`` one
    has more to say than fits, so that its frame should take as little as it can. ``path`` is a path into
    JSON that the hint shows where only bytes place what there is.
    """

    kind: str
    sections: tuple[Section, ...]
    language: str = ""
    example: tuple[int, int] | None = field(default=None)
    urgent: bool = False
    path: str = ""


def quote(number: int, text: str, *, rank: int = 0, width: int = 200) -> Entry:
    """Return an entry that quotes line ``number``, cut to ``width`` characters."""
    return Entry(clean_line(text, width), number, number, rank, verbatim=True)


def clean_line(text: str, width: int = 200) -> str:
    """Return a line as a map quotes it: no control sequences, blanks trimmed, cut to ``width`` with a mark.

    Of a line redrawn with carriage returns, the last drawing counts, as on a terminal.
    """
    if not text.isprintable():
        text = strip_escapes(text)
    text = text.strip()
    return text if len(text) <= width else f"{text[:width].rstrip()} [+{len(text) - width} chars]"

