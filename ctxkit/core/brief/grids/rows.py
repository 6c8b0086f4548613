"""The map of tables: columns, rows that differ, and an index of the others, in any size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.data.literals import quoted
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.grids.grid import REACH, Cells, Grid
from ctxkit.core.brief.grids.strays import PATH, Stray, strays
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.signs import means_trouble, signs
from ctxkit.core.measure import plural

TRACED = 64 << 20
"""Bytes up to which all rows of a rare value are looked up."""
LISTED = 24
"""Lines of rows of a value that sounds like trouble that are named."""
SOME = 6
"""Lines of rows of any other rare value that are named."""
SIZES = ((60, 1, 8, REACH), (40, 1, 4, REACH), (40, 2, 4, REACH), (24, 2, 2, REACH), (16, 2, 1, REACH))
"""From rich to poor: strays, form of the index (1 a line each, 2 close together), sample rows, lines of a range."""
WIDER = (2, 4, 8, 16, 32, 64, 256, 1_024, 8_192)
TROUBLED = 12


@dataclass(frozen=True, slots=True)
class Table:
    """Hold what was read of one table: ``cells`` splits a line, ``notes`` are words on its form."""

    grid: Grid
    cells: Cells
    notes: Sequence[Entry] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """Say how much a map may hold: strays, the form of the index, sample rows, lines of a range."""

    strays: int
    form: int
    samples: int
    width: int


def outlines(kind: str, tables: Sequence[Table], around: Sequence[Section], document: Document) -> list[Outline]:
    """Return maps of tables from rich to poor; ``around`` is what stands outside them."""
    sizes = [Size(*size) for size in SIZES]
    sizes += [Size(12, 2, 1, REACH * times) for times in WIDER if REACH * times < 2 * document.lines.total]
    found = [(table, _told(table, document)) for table in tables]
    made = []
    for size in sizes:
        sections = [section for table, told in found for section in _sections(table, told, size, document)]
        made.append(Outline(kind, (*sections, *around)))
    return made


def _sections(table: Table, told: Sequence[Entry], size: Size, document: Document) -> Iterator[Section]:
    grid = table.grid
    title = f"{table.title}: " if table.title else ""
    yield Section(table.title and f"Table at {_at(grid)}", tuple(_summary(table, document)))
    few = tuple(told[: size.strays])
    if few:
        more = len(told) - len(few)
        rest = (Entry(f"{more:,} more rows that differ, not shown", rank=9),) if more else ()
        yield Section(f"{title}Rows that differ", few + rest, noun="rows that differ")
    columns = tuple(Entry(f"{f.name}: {f.says()}", rank=20 + place // 4) for place, f in enumerate(grid.fields))
    yield Section(f"{title}Columns (types and ranges, no rows)", columns, noun="columns")
    yield Section(f"{title}Rows by line", tuple(_index(table, size, document)), noun="rows")
    samples = tuple(_samples(grid, size.samples, document))
    yield Section(f"{title}Some rows as they stand" if samples else "", samples, noun="sample rows")


def _at(grid: Grid) -> str:
    return f"lines {grid.header or grid.first}-{grid.last}"


def _summary(table: Table, document: Document) -> Iterator[Entry]:
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:100])
    more = f", +{len(grid.fields) - 100:,} more" if len(grid.fields) > 100 else ""
    label = f"{plural(grid.rows, 'row')}, {plural(len(grid.fields), 'column')}: {names}{more}"
    yield Entry(label, grid.first, max(grid.last, grid.first)) if grid.rows else Entry(label)
    yield from table.notes
    if grid.uneven.count:
        where = ", ".join(f"{line} ({plural(cells, 'cell')})" for line, cells in grid.uneven.first)
        more = " and more" if grid.uneven.count > len(grid.uneven.first) else ""
        label = f"{plural(grid.uneven.count, 'row')} of another width, at line {where}{more}"
        below = _quotes([line for line, _ in grid.uneven.first[:2]], document, set())
        yield Entry(label, rank=1, children=tuple(below))


def _told(table: Table, document: Document) -> list[Entry]:
    """Return the rows that differ, each quoted once, with why."""
    done: set[int] = set()
    found = strays(table.grid.fields)
    traced = _traced(table, found, document)
    entries = [_stray(stray, traced.get(stray.value, stray.lines), document, done) for stray in found]
    return entries + list(_trouble(table, document, done))


def _stray(stray: Stray, lines: Sequence[int], document: Document, done: set[int]) -> Entry:
    most = LISTED if stray.weight == 0 else SOME
    also = ", ".join(map(str, lines[1:most]))
    more = stray.count - min(len(lines), most)
    label = stray.text + (f"; also lines {also}" if also else "") + (f" and {more:,} more" if more > 0 else "")
    below = tuple(_quotes(lines[: 3 if stray.weight < 2 else 1], document, done))
    return Entry(label, lines[0], lines[0], 2 + stray.weight, children=below)


def _quotes(lines: Sequence[int], document: Document, done: set[int]) -> Iterator[Entry]:
    for line in lines:
        text = document.lines.at(line)
        if line not in done and text.strip():
            done.add(line)
            yield quote(line, text, rank=3)


def _traced(table: Table, found: Sequence[Stray], document: Document) -> dict[str, list[int]]:
    """Return all lines of the rows that hold one of the rare values, up to a number."""
    wanted = {stray.value for stray in found if stray.count > 1 and stray.value}
    traced: dict[str, list[int]] = {}
    if not wanted or document.lines.size > TRACED:
        return traced
    grid, number = table.grid, table.grid.first
    for block in document.lines.blocks(grid.first, grid.last):
        for value in wanted:
            if value in block and len(traced.get(value, ())) < LISTED:
                hits = _holding(block, value, table.cells)
                traced.setdefault(value, []).extend(number + row for row in hits)
        number += block.count("\n") + 1
    return {value: lines[:LISTED] for value, lines in traced.items()}


def _holding(block: str, value: str, cells: Cells) -> Iterator[int]:
    """Yield which rows of a block hold a value as a cell, the first being 0."""
    at, row, counted = block.find(value), 0, 0
    while at >= 0:
        begin, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        row += block.count("\n", counted, begin)
        counted = begin
        if any(cell.strip() == value for cell in cells(block[begin:stop])):
            yield row
        at = block.find(value, stop)


def _trouble(table: Table, document: Document, done: set[int]) -> Iterator[Entry]:
    """Yield rows that hold words of trouble, unless so many do that they are the rule."""
    grid = table.grid
    if document.lines.size > TRACED:
        return
    rows = []
    for row in signs(document.lines, grid.first, grid.last):
        if not _only_named(table.cells(row[1])):
            rows.append(row)
        if len(rows) > TROUBLED:
            return
    yield from (quote(line, text, rank=7) for line, text in rows if line not in done)


def _only_named(cells: Sequence[str]) -> bool:
    """Tell whether only paths hold words of trouble: a file may be called so."""
    return not any(means_trouble(cell) and not PATH.fullmatch(cell.strip()) for cell in cells if cell)


def _index(table: Table, size: Size, document: Document) -> Iterator[Entry]:
    """Yield where which rows are, by the cell of the column that tells them apart."""
    grid, place = table.grid, table.grid.key()
    found = grid.landmarks.stretches(max(grid.last, grid.first), size.width)
    if len(found) < 2 or len(found) > document.target // 2:
        return
    name = grid.fields[place].name if place >= 0 else "row"
    if size.form == 1:
        for one in found:
            said = f"{name} {_key(one.begins, place)} to {_key(one.ends, place)}" if place >= 0 else "rows"
            yield Entry(said, one.start, one.end, 30)
        return
    yield Entry(f"each line number is followed by the {name} there, the last to {grid.last}", rank=30)
    for one in found:
        yield Entry(_key(one.begins, max(place, 0)), one.start, one.end, 30, dense=True)


def _key(cells: Sequence[str], place: int) -> str:
    """Return a cell as a key, in quotes where it is not one short word."""
    cell = cells[place].strip() if place < len(cells) else ""
    plain = cell.isprintable() and " " not in cell and 0 < len(cell) <= 30
    return cell.rstrip(",:") if plain else quoted(cell, 30)


def _samples(grid: Grid, most: int, document: Document) -> Iterator[Entry]:
    """Quote the first rows, one in the middle and the last."""
    lines = grid.landmarks.lines
    if not lines:
        return
    head = lines[: max(most // 2, 1)]
    some = sorted({*head, lines[len(lines) // 2], lines[-1]} if most > 1 else {lines[0]})
    for step, line in enumerate(some):
        yield quote(line, document.lines.at(line), rank=40 + step)
