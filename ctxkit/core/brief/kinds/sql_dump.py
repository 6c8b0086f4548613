"""SQL dumps: the rows of each table with their lines, the rows that differ, and the other statements."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.sql_dump import INSERT, DumpedTable, SqlDump
from ctxkit.core.brief.grids.sql_rows import split_rows
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.quantity import pluralize

NAME = "sql_dump"
TYPES: Sequence[str] = ()
CLUES = Clues((" INTO ", " into ", "COPY "), unless_log=True)
SAMPLE = 2_000
"""Number of lines read to detect a dump."""
MIN_ROWS = 3
MAX_DETAILED = 8
"""Maximum number of tables whose columns and unusual rows are described."""
BANNERS = ("-- MySQL dump", "-- MariaDB dump", "-- PostgreSQL database dump", "PRAGMA foreign_keys=OFF;", "/*!999999")
"""Beginnings of dumps by their programs."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that most statements insert rows, or that a dump program wrote the text."""
    lines = document.head_lines[:SAMPLE]
    dump = SqlDump().read_rows(enumerate(lines, 1))
    rows = sum(table.rows for table in dump.tables.values())
    if rows < MIN_ROWS:
        return 0.0
    if document.head.lstrip("\ufeff-\r\n ").startswith(tuple(banner.lstrip("- ") for banner in BANNERS)):
        return 0.97
    written = sum(bool(line.strip()) for line in lines)
    return 0.95 if dump.data_lines >= 0.5 * written else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the tables, the unusual rows of the largest, and the other statements."""
    from ctxkit.core.brief.grids.table_model import Table
    from ctxkit.core.brief.grids.table_outlines import build_table_outlines

    dump = SqlDump().read(document.lines)
    tables = list(dump.tables.values())
    if not any(table.rows for table in tables):
        return None
    top = Section("", tuple(_list_tables(tables, document)), noun="tables")
    statements = tuple(quote(number, text, rank=10, width=120) for number, text in dump.statements)
    rest = dump.statement_count - len(statements)
    more = (Entry(f"{pluralize(rest, 'more statement')}", rank=11),) if rest else ()
    around = Section("Other statements", (*statements, *more), noun="statements")
    filled = sorted((table for table in tables if table.grid), key=lambda table: -table.rows)[:MAX_DETAILED]
    filled.sort(key=lambda table: table.created or (table.grid.first if table.grid else 0))
    detailed = [Table(table.grid, _split_cells, (), table.name) for table in filled if table.grid]
    variants = build_table_outlines(NAME, detailed, (), document)
    # A list of many tables, with their number, would repeat that of the top.
    kept = ([part for part in variant.sections if part.title not in ("", "Tables")] for variant in variants)
    return [Outline(NAME, (top, around, *sections)) for sections in kept]


def _list_tables(tables: Sequence[DumpedTable], document: InputDocument) -> Iterator[Entry]:
    rows = sum(table.rows for table in tables)
    yield Entry(f"{pluralize(len(tables), 'table')}, {pluralize(rows, 'row')}", 1, document.lines.total)
    for table in tables:
        grid = table.grid or Grid([])
        names = ", ".join(table.columns[:40]) or ", ".join(field.name for field in grid.fields[:40])
        start, end = grid.first or table.created, max(grid.last, grid.first) or table.created
        created = (quote(table.created, document.lines.at(table.created), rank=2, width=160),) if table.created else ()
        yield Entry(f"table {table.name}: {pluralize(table.rows, 'row')} ({names})", start, end, 1, children=created)


def _split_cells(line: str) -> Sequence[str]:
    """Return the values of all rows on a line."""
    head = INSERT.match(line)
    if head is None and "\t" in line:
        return line.split("\t")
    return [value for _, row in split_rows(line[head.end() if head else 0 :]) for value in row]
