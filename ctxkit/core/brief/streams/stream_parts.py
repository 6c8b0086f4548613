"""Parts of a stream: ranges or selections of lines, each a document of its own."""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.lines import IndexedLines, LineIndex, lines_from_bytes

LINES = compile_lazily(
    r"(?P<words>(?:\(line|of this form(?:, such as)? at lines?|; also lines|, the last at line|, such as line"
    r"|, the first at|alike, at|key frames, also at|; the last block is lines|comes again [\d,]{1,12} times?, at"
    r"|[;,] again at|of another width, at line|Table at lines?) )(?P<lines>\d{1,9}(?:(?:, |-| to )\d{1,9})*)"
)
"""Pattern of line numbers inside a label or a title: the words of maps before them, and the numbers."""
OFFSET = compile_lazily(r"^(BROKEN) at byte \d+")
"""Pattern of an offset in the bytes of a part, which says nothing of the stream; the entry has its line."""
PIECE = 1 << 20
"""Number of bytes read at a time to index the lines of a part."""


@dataclass(frozen=True, slots=True)
class StreamPart:
    """Hold a part of a stream: lines ``start`` to ``end``, and what it is called.

    ``title_line`` is the line that says so, or 0; if ``is_titled``, it is a separator above the content. ``numbers``
    are the lines of a part that is interleaved with others, and ``data`` is its text without prefixes.
    """

    start: int
    end: int
    title: str
    numbers: Sequence[int] = ()
    data: bytes = b""
    title_line: int = 0
    is_titled: bool = False

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return len(self.numbers) or self.end - self.start + 1

    @property
    def body(self) -> int:
        """Return the first line of the content."""
        return self.start + (self.is_titled and self.start < self.end)

    def find_number(self, number: int) -> int:
        """Return the number in the stream of line ``number`` of the part."""
        if not self.numbers:
            return self.body + number - 1
        return self.numbers[min(max(number, 1), len(self.numbers)) - 1]


@dataclass(frozen=True, slots=True)
class Stream:
    """Hold the parts of a stream, what they are (files, commands), and the confidence that they are its parts.

    ``has_rest`` says that one of the parts is none of these, but the lines that belong to none.
    """

    parts: Sequence[StreamPart]
    noun: str
    confidence: float
    has_rest: bool = False


def make_part_document(document: InputDocument, part: StreamPart, target: int) -> InputDocument:
    """Return the document of a part, with its own token target, and the name of the file that it is."""
    if part.numbers:
        lines = lines_from_bytes(part.data)
        return replace(document, lines=lines, read=lines.read, target=target, name="", is_part=True)
    name = _find_file_name(part) if part.is_titled else ""
    begin, stop = document.lines.span(part.body, part.end)
    read = _make_reader(document.lines.read, begin, stop)
    index = LineIndex()
    for offset in range(0, stop - begin, PIECE):
        index.update(read(offset, PIECE))
    lines = IndexedLines(read, stop - begin, index.newline_counts, index.total)
    return replace(document, lines=lines, read=read, target=target, name=name, is_part=True)


def _find_file_name(part: StreamPart) -> str:
    """Return the file that a title names: ``a/b.yaml``, or ``cat a/b.yaml``."""
    words = part.title.split()
    return words[-1] if len(words) == 1 or (len(words) == 2 and words[0] == "cat") else ""


def _make_reader(read: Callable[[int, int], bytes], begin: int, stop: int) -> Callable[[int, int], bytes]:
    def read_part(offset: int, length: int) -> bytes:
        """Return bytes of the part."""
        at = begin + offset
        return read(at, min(length, stop - at)) if at < stop else b""

    return read_part


def move_outline(outline: Outline, part: StreamPart, ranks: dict[int, int], most: int) -> Outline:
    """Return the outline of a part with the line numbers of the stream, and with new ranks by entry.

    Sections without an entry of at most rank ``most`` are left out.
    """
    sections = (section for section in outline.sections if any(ranks.get(id(e), most) <= most for e in section.entries))
    return replace(outline, sections=tuple(_move_section(section, part, ranks) for section in sections), example=None)


def _move_section(section: Section, part: StreamPart, ranks: dict[int, int]) -> Section:
    """Return a section with moved entries; lines between interleaved lines are not mentioned as hidden."""
    rows = (_divide_entry(entry, part, ranks) for entry in section.entries if not entry.in_bytes)
    entries = tuple(chain.from_iterable(rows))
    section = replace(section, title=_move_lines(section.title, part), entries=entries)
    if not part.numbers:
        return section
    return replace(section, bare=False, noun="" if section.noun == "lines" else section.noun)


def _divide_entry(entry: Entry, part: StreamPart, ranks: dict[int, int]) -> Iterator[Entry]:
    """Yield a moved entry, or each of the lines that it quotes if other lines stand between them in the stream."""
    moved = _move_entry(entry, part, ranks)
    if not entry.verbatim or moved.end - moved.start == entry.end - entry.start:
        yield moved
        return
    for number, text in enumerate(entry.label.split("\n"), entry.start):
        place = part.find_number(number)
        yield replace(moved, label=text if number == entry.start else text[2:], start=place, end=place)


def _move_entry(entry: Entry, part: StreamPart, ranks: dict[int, int]) -> Entry:
    children = tuple(_move_entry(child, part, ranks) for child in entry.children if not child.in_bytes)
    start = part.find_number(entry.start) if entry.start else 0
    end = part.find_number(entry.end) if entry.end else 0
    label = entry.label if entry.verbatim else _move_lines(entry.label, part)
    rank = ranks.get(id(entry), entry.rank)
    return replace(entry, label=label, start=start, end=end, rank=rank, children=children)


def _move_lines(label: str, part: StreamPart) -> str:
    """Return a label or a title with the line numbers of the stream."""

    def move(match: "re.Match[str]") -> str:
        return match["words"] + re.sub(r"\d+", lambda number: str(part.find_number(int(number[0]))), match["lines"])

    return LINES.sub(move, OFFSET.sub(r"\1", label))


def select_lines(rows: Sequence[tuple[int, str]], title: str) -> StreamPart:
    """Return the part of lines that are interleaved with others, from their numbers and texts."""
    numbers = array("Q", [number for number, _ in rows])
    data = "".join(f"{text}\n" for _, text in rows).encode("utf-8", "replace")
    return StreamPart(numbers[0], numbers[-1], title, numbers, data)


def quote_part(lines: Sequence[tuple[int, str]]) -> Section:
    """Return a section that quotes all lines of a short part."""
    entries = tuple(Entry(text, number, number, 0, verbatim=True) for number, text in lines)
    return Section("", entries, noun="lines", bare=True)
