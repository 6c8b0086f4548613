"""Lines outside tables are collected."""

from ctxkit.core.brief.grids.outside_lines import OutsideLines


def collect(rows: list[tuple[int, str]]) -> OutsideLines:
    outside = OutsideLines()
    for number, text in rows:
        outside.add_line(number, text)
    return outside


def test_rulers_are_counted_but_not_quoted() -> None:
    outside = collect([(1, "-------"), (2, "show it"), (3, "-------")])
    assert (outside.count, outside.first, list(outside.latest)) == (3, [(2, "show it")], [(2, "show it")])


def test_errors_are_kept_wherever_they_stand() -> None:
    outside = collect([(number, "row") for number in range(1, 400)] + [(400, "ERROR: no such table"), (401, "end")])
    assert outside.errors == [(400, "ERROR: no such table")]


def test_a_title_and_a_table_begin_a_run() -> None:
    outside = collect([(1, "-----"), (2, "a"), (3, "b"), (4, "== log"), (5, "c")])
    outside.end_run()
    outside.add_line(30, "d")
    assert [(run.start, run.end, run.text) for run in outside.runs] == [(1, 3, "a"), (4, 5, "== log"), (30, 30, "d")]
