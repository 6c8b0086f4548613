"""Outlines of a table: columns first, then unusual rows, then an index."""

from ctxkit.core.brief.grids.table_model import Table
from ctxkit.core.brief.grids.table_outlines import build_table_outlines
from ctxkit.core.brief.grids.tables import TableFinder
from tests.core.brief.kinds.test_table import document


def outlines(rows, target=2_000):
    held = document("NAME     STATE    AGE\n" + "".join(rows), target)
    finder = TableFinder()
    finder.read(held.lines)
    tables = [Table(found.grid, found.layout.split) for found in finder.tables]
    return held, build_table_outlines("table", tables, (), held)


def entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


def test_the_odd_row_is_quoted_on_its_line() -> None:
    rows = [f"web-{n:<4} Running  {n}d\n" for n in range(40)]
    rows[17] = "web-17   Failed   17d\n"
    held, variants = outlines(rows)
    quoted = {entry.start: entry.label for entry in entries(variants[0]) if entry.verbatim}
    assert "Failed" in quoted[19]
    for outline in variants:
        assert all(held.lines.at(entry.start).strip().startswith(entry.label[:20]) for entry in entries(outline) if entry.verbatim)


def test_every_row_is_in_a_range() -> None:
    _, variants = outlines([f"web-{n:<4} Running  {n}d\n" for n in range(400)], 1_000)
    covered = set()
    for entry in entries(variants[0]):
        covered.update(range(entry.start, entry.end + 1))
    assert set(range(2, 402)) <= covered


def test_the_first_outline_describes_each_column_and_the_last_the_widest_ranges() -> None:
    _, variants = outlines([f"web-{n:<4} Running  {n}d\n" for n in range(600)], 300)
    columns = next(section for section in variants[0].sections if section.title.startswith("Columns"))
    assert [entry.label.partition(":")[0] for entry in columns.entries] == ["NAME", "STATE", "AGE"]
    sizes = [sum(1 for entry in entries(outline) if entry.start and not entry.verbatim) for outline in variants]
    assert sizes[0] > sizes[-1]
    assert variants[0].sections[0].entries[0].label == "600 rows, 3 columns: NAME, STATE, AGE"


def test_more_than_four_tables_are_listed() -> None:
    text = "".join(f"NAME     STATE{at}   AGE\n" + "web-1    Running  3d\nweb-2    Running  4d\n\n" for at in range(5))
    held = document(text)
    finder = TableFinder()
    finder.read(held.lines)
    outline, *rest = build_table_outlines("table", [Table(t.grid, t.layout.split) for t in finder.tables], (), held)
    assert not rest
    assert [section.title for section in outline.sections if section.entries][:2] == ["", "Tables"]
