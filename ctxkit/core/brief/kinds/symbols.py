"""Lists of symbols: kinds and files with counts and ranges, undefined and rare ones with names, an index by name."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.detail_level import find_most_detail
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.symbol_rows import SymbolForm, SymbolGroup, SymbolReader, find_form
from ctxkit.core.text.quantity import pluralize

NAME = "symbols"
TYPES: Sequence[str] = ("nm", "ctags", "readelf")
CLUES = Clues(
    (
        *(" U ", " T ", " W ", " t ", " D ", ';"\t', " member ", " function ", " macro ", " variable ", " FUNC "),
        " class ",
    ),
    unless_log=True,
)
SHARE = 0.9
"""Minimum share of the lines that are symbols."""
NAME_WIDTH, WIDTH = 60, 160
MAX_FILES, MAX_OTHERS, PER_ENTRY = 300, 12, 6
RARE = 3
"""Maximum number of symbols of a kind that are all named early."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are symbols of one form."""
    return 0.96 if _read_form(document) else 0.0


def _read_form(document: InputDocument) -> SymbolForm | None:
    return find_form(document.head_lines, SHARE)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the kinds, the files and the names, or None if too many lines are not symbols."""
    form = _read_form(document)
    reader = SymbolReader(form).add_lines(document.lines.enumerate_lines()) if form else None
    if reader is None or reader.count < SHARE * (reader.count + reader.other_count):
        return None
    top = Section("", tuple(_summarize(reader, document)))
    others = Section("Other lines", tuple(quote(*row, rank=1, width=WIDTH) for row in reader.others[:MAX_OTHERS]))
    kinds = Section("Kinds", tuple(_list_kinds(reader)))
    files = Section("Files", tuple(_list_files(reader)), noun="files", tight=True)

    def build(number: int) -> Outline:
        return Outline(NAME, (top, others, kinds, files, _make_index(reader, number, document)))

    return [build(find_most_detail(build, max(reader.count // 4, 8), document))]


def _summarize(reader: SymbolReader, document: InputDocument) -> Iterator[Entry]:
    order = ", sorted by name" if reader.is_sorted and reader.count > 1 else ""
    files = f" in {pluralize(len(reader.files), 'file')}" if reader.files else ""
    yield Entry(f"{pluralize(reader.count, 'symbol')}{files}{order}", 1, document.lines.total)
    for number, _ in dict.fromkeys((reader.rows[0], reader.rows[-1])):
        yield quote(number, document.lines.at(number), rank=2, width=WIDTH)


def _list_kinds(reader: SymbolReader) -> Iterator[Entry]:
    """Yield the kinds, the most frequent first, with the names of undefined and rare symbols."""
    for group in sorted(reader.kinds.values(), key=lambda group: -group.count):
        meaning = reader.form.meanings.get(group.name, "")
        label = f"{group.name}{f' ({meaning})' if meaning else ''}: {group.count:,}"
        telling = group.count <= RARE or "undefined" in meaning or "UND" in group.name
        yield Entry(label, group.first, group.last, 1, children=tuple(_list_names(group) if telling else ()))


def _list_names(group: SymbolGroup) -> Iterator[Entry]:
    """Yield the first names of a group with their lines, a few in each entry."""
    for place, first in enumerate(range(0, len(group.names), PER_ENTRY)):
        some = group.names[first : first + PER_ENTRY]
        names = ", ".join(f"{name[:NAME_WIDTH]} ({number})" for name, number in some)
        yield Entry(names, rank=2 + place, hidden_count=len(some))


def _list_files(reader: SymbolReader) -> Iterator[Entry]:
    """Yield the files, those with the most symbols first, a few on each line."""
    ordered = sorted(reader.files.values(), key=lambda group: (-group.count, group.name))
    for place, first in enumerate(range(0, min(len(ordered), MAX_FILES), PER_ENTRY)):
        some = ordered[first : min(first + PER_ENTRY, MAX_FILES)]
        names = ", ".join(f"{group.name} {group.count:,}" for group in some)
        yield Entry(names, rank=1 + place, hidden_count=len(some))


def _make_index(reader: SymbolReader, number: int, document: InputDocument) -> Section:
    """Return a section with the names at about ``number`` places."""
    stride = -(-reader.count // max(number, 1))
    if 2 * stride > reader.count:  # one name
        return Section("", ())
    places = [reader.rows[at] for at in range(0, reader.count, stride)]
    ends = [line - 1 for line, _ in places[1:]] + [document.lines.total]
    entries = (
        Entry(name[:NAME_WIDTH], line, end, 6, dense=True) for (line, name), end in zip(places, ends, strict=True)
    )
    title = "Names" if stride == 1 else f"Every {stride:,}th name, each with the lines to the next"
    return Section(title, tuple(entries), noun="names", tight=True)
