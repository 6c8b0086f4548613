"""Totals as a table, as CSV and as a chart."""

import csv
from io import StringIO

from ctxkit.core.events.event import read_event
from ctxkit.core.events.table import format_csv, format_event, format_table, make_chart
from ctxkit.core.events.totals import EventTotals

GROUPS = [
    EventTotals("a", 2, kept_out=5000, maps=200, brought_back=100, estimates=1, cost=0.5, priced=1, unpriced=1),
    EventTotals("evil\x1b[31m,\n", 1, beyond=700, unmeasured=1),
]
TOTAL = EventTotals("total", 3, 5000, 200, 100, 700, estimates=1, unmeasured=1, cost=0.5, priced=1, unpriced=1)


def test_an_event_is_one_line_without_control_characters() -> None:
    event = read_event({"ts": "2026-11-22T21:00:00Z", "event": "gate", "verb": "gate", "name": "a\nb\x1b", "after_tokens": 7})
    assert format_event(event) == "2026-11-22 21:00:00  gate  gate  a\\nb\\x1b  ? -> 7"


def test_a_table_has_a_row_for_each_group_and_says_what_is_not_in_it() -> None:
    lines = format_table("model", GROUPS, TOTAL, cost=True).splitlines()
    assert lines[0].split("  ")[0] == "model"
    assert lines[1].split() == ["a", "2", "5,000", "200", "100", "0", "4,700", "0", "$0.5000"]
    assert lines[2].startswith("evil\\x1b[31m,\\n")
    assert lines[2].split()[-3:] == ["-700", "0", "-"]
    assert lines[4:] == [
        "1 event with an estimate",
        "1 event without a count, not in the sums",
        "1 event of a model without a price, not in the cost",
    ]


def test_csv_has_a_row_for_each_group() -> None:
    rows = list(csv.DictReader(StringIO(format_csv("model", GROUPS))))
    assert [(row["model"], row["net"]) for row in rows] == [("a", "4700"), ("evil\\x1b[31m,\\n", "-700")]


def test_a_chart_splits_what_was_kept_out() -> None:
    chart = make_chart("model", GROUPS)
    assert {series.name: series.values for series in chart.series} == {
        "net savings": (4700, 0), "maps": (200, 0), "brought back": (100, 0), "beyond truncation": (0, 700),
    }  # fmt: skip
