"""The index of the parts of a stream: their lines and titles, first errors, and lines of a single part."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.outline import Entry, Section, clean_line, quote
from ctxkit.core.brief.streams.odd_lines import find_odd_lines
from ctxkit.core.brief.streams.part_map import FEW_PARTS, GENERIC, RANKS, PartMap
from ctxkit.core.brief.streams.stream_parts import Stream
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.text.severity import MENTION, rate_severity

DATA_KINDS = frozenset(("lock", "json", "jsonl", "yaml", "xml", "csv", "source", "listing", "diff", "history"))
"""Kinds whose lines may contain words such as error without reporting any."""
LEAST_RUN = 4
"""Minimum number of neighbours whose titles differ only in numbers that share an entry of the index."""
NUMBER = compile_lazily(r"\d+")
NAMED_PARTS = 30
"""Number of parts up to which each is named before odd lines are quoted."""
READ_AT_ONCE = 120
"""Maximum number of lines of a part that stands in one row with the line that names it: the beginning of a longer part
is a place to read on by itself."""
OPENING_WIDTH, SMALL_OPENING = 120, 70
"""Maximum number of characters of the line that names a part, and in a small map."""
MAX_ERRORS = 10
"""Maximum number of parts of a long index whose first errors are quoted."""


def make_index(document: InputDocument, maps: Sequence[PartMap], stream: Stream) -> Section:
    """Return a section that lists all parts with their lines."""
    if len(maps) <= FEW_PARTS:
        entries = tuple(_make_index_entry(document, part_map) for part_map in maps)
        mixed = ", whose lines alternate: a range may contain lines of others" if maps[0].part.numbers else ""
        return Section(f"{_count_parts(stream)}{mixed}", entries, noun=stream.noun)
    shared = _find_shared_path([part_map.part.title for part_map in maps if part_map.part.title])
    entries = tuple(_make_dense_entries(maps, shared))
    below = f" below {shared}" if shared else ""
    title = f"{_count_parts(stream)}{below}, each after its first line, up to the next"
    return Section(title, entries, noun=stream.noun)


def _count_parts(stream: Stream) -> str:
    """Return the number of parts that are what the stream consists of, and whether there are other lines."""
    number = pluralize(len(stream.parts) - stream.has_rest, stream.noun.removesuffix("s"))
    return f"{number} and lines of none" if stream.has_rest else number


def make_notes(document: InputDocument, maps: Sequence[PartMap]) -> Iterator[Section]:
    """Yield what a long index leaves out: short parts without a title, odd lines, and the first errors."""
    if len(maps) <= FEW_PARTS:
        return
    rows = [row for part_map in maps if not part_map.part.title for row in part_map.rows]
    odd = find_odd_lines(document.lines, [part_map.part for part_map in maps if part_map.part.title])
    errors = [part_map.trouble for part_map in maps if part_map.trouble and _states_error(part_map)]
    kept = {number for number, _ in [*rows, *odd]}
    if len(errors) * 2 > len(maps):
        errors = []  # a word of all parts
    yield Section("", tuple(quote(*row, rank=RANKS // 20) for row in rows if row[1].strip()))
    yield Section("Lines of a single part", tuple(quote(*row, rank=RANKS // 10) for row in odd), "odd lines")
    first = [quote(*row, rank=RANKS // 10) for row in errors[:MAX_ERRORS] if row[0] not in kept]
    yield Section("First errors", tuple(first), "errors")


def _states_error(part_map: PartMap) -> bool:
    """Return whether the first line with an error word states an error, which a sentence about errors does not."""
    trouble = part_map.trouble
    return trouble is not None and part_map.kind not in DATA_KINDS and rate_severity(trouble[1]) > MENTION


def _make_index_entry(document: InputDocument, part_map: PartMap) -> Entry:
    """Return the line of a part in the index, with its title and its first error, or all lines of a short part."""
    part = part_map.part
    if len(part_map.rows) == 1 and not part.numbers:
        return quote(*part_map.rows[0])
    rows = [row for row in _select_index_rows(document, part_map) if row[1].strip()]
    is_short = part.line_count <= READ_AT_ONCE and _is_opened(part_map, rows)
    width = SMALL_OPENING if document.target < ROOMY_TARGET else OPENING_WIDTH
    opening = f": {clean_line(rows[0][1], width)}" if is_short else ""
    children = [quote(*row, rank=RANKS // 25) for row in rows[1 if opening else 0 :]]
    count = f"{pluralize(len(part.numbers), 'line')} among these" if part.numbers else ""
    kind = part_map.kind if part_map.kind != GENERIC else ""
    name = part.title if not part.title_line else ""
    label = ", ".join(filter(None, [f"part {part_map.number}", clean_line(name, 80), kind, count]))
    return Entry(label + opening, part.start, part.end, 0, children=tuple(children))


def _is_opened(part_map: PartMap, rows: Sequence[tuple[int, str]]) -> bool:
    """Return whether the first of the rows names a part: it opens the part, and is neither data nor a bracket."""
    is_data = part_map.kind in DATA_KINDS and not part_map.part.title_line
    return bool(rows) and rows[0][0] == find_opening(part_map) and not is_data and any(map(str.isalpha, rows[0][1]))


def find_opening(part_map: PartMap) -> int:
    """Return the line that the index shows beside the name of a part, 0 if there is none."""
    part = part_map.part
    if part_map.rows:
        return 0
    return part.title_line or (0 if part.title or part.numbers else part.start)


def _select_index_rows(document: InputDocument, part_map: PartMap) -> Sequence[tuple[int, str]]:
    """Return the lines of a part that the index quotes."""
    if part_map.rows:
        return part_map.rows
    line = find_opening(part_map)
    rows = [(line, document.lines.at(line))] if line else []
    is_quoted = part_map.trouble and part_map.kind not in DATA_KINDS and part_map.trouble[0] != line
    return [*rows, part_map.trouble] if is_quoted and part_map.trouble else rows


def _make_dense_entries(maps: Sequence[PartMap], shared: str) -> Iterator[Entry]:
    """Yield an entry for each part, and an entry for neighbours whose titles differ only in numbers."""
    for _, group in groupby(maps, lambda part_map: NUMBER.sub("#", part_map.part.title)):
        run = list(group)
        if len(run) < LEAST_RUN:
            yield from (_make_dense_entry(part_map, shared, _rank_part(part_map, maps)) for part_map in run)
            continue
        names = f"{_shorten(run[0], shared)} to {_shorten(run[-1], '').rpartition('/')[2]}"
        few = len(maps) <= NAMED_PARTS
        ranks = [RANKS // 20 if few else RANKS // 2 + _rank_part(part, maps) for part in run]
        children = tuple(_make_dense_entry(part, shared, rank) for part, rank in zip(run, ranks, strict=True))
        yield Entry(names, run[0].part.start, run[-1].part.end, dense=True, children=children)


def _make_dense_entry(part_map: PartMap, shared: str, rank: int) -> Entry:
    return Entry(_shorten(part_map, shared), part_map.part.start, part_map.part.end, rank, dense=True)


def _rank_part(part_map: PartMap, maps: Sequence[PartMap]) -> int:
    """Return the rank of a part in a long index: the first and the last precede others."""
    return 0 if part_map.number in (1, 2, 3, len(maps)) else part_map.number * RANKS // len(maps)


def _find_shared_path(titles: Sequence[str]) -> str:
    """Return the directory that all titles share, or an empty string."""
    first, last = min(titles), max(titles)
    same = next((at for at, (left, other) in enumerate(zip(first, last, strict=False)) if left != other), len(first))
    directory, slash, _ = first[:same].rpartition("/")
    return directory + slash if len(titles) > 1 else ""


def _shorten(part_map: PartMap, shared: str) -> str:
    return clean_line(part_map.part.title.removeprefix(shared), 80) or "before the first"
