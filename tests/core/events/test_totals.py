"""Events add up in groups."""

import csv
from io import StringIO

import pytest

from ctxkit.core.events import totals
from ctxkit.core.events.event import read_event
from ctxkit.core.events.totals import (
    EventSummary,
    EventTotals,
    Price,
    SavingsMeter,
    TokenFlow,
    format_csv,
    format_event,
    format_table,
    is_measurable,
    make_chart,
)


def make_event(kind="tool_output_truncated", before=1000, after=100, ts="2026-11-22T23:30:00-01:00", **facts):
    return read_event({"ts": ts, "event": kind, "before_tokens": before, "after_tokens": after, "method": "exact", **facts})


def summarize(grouping, *events, **more):
    summary = EventSummary(grouping, **more)
    for event in events:
        summary.add(event)
    return summary


def test_groups_are_sorted_and_add_up_to_the_total() -> None:
    events = (make_event(project="/b"), make_event(project="/a"), make_event(project="/b"), make_event("usage"))
    summary = summarize("project", *events)
    assert [(group.key, group.events, group.net) for group in summary.groups()] == [("-", 1, 0), ("/a", 1, 900), ("/b", 2, 1800)]
    assert (summary.total.events, summary.total.net, summary.total.unmeasured) == (4, 2700, 0)


@pytest.mark.parametrize(
    ("grouping", "key"), [("day", "2026-11-23"), ("project", "/p"), ("model", "m"), ("command", "run make")]
)
def test_each_grouping_has_its_key(grouping, key) -> None:
    event = make_event(project="/p", model="m", verb="run", command="make all")
    assert [group.key for group in summarize(grouping, event).groups()] == [key]


def test_a_cost_needs_a_price() -> None:
    prices = {"m": Price(3.0, "2026-11-01")}
    events = (make_event(model="m"), make_event(model="n"))
    total = summarize("model", *events, find_price=prices.get).total
    assert (total.cost, total.priced, total.unpriced) == (pytest.approx(900 * 3 / 1e6), 1, 1)


def test_a_compaction_is_counted_apart() -> None:
    total = summarize("day", make_event("context_compaction_end"), make_event("context_compaction_end", 5, 5)).total
    assert (total.compactions, total.compacted, total.net, total.unmeasured) == (1, 900, 0, 0)


def test_what_is_not_counted_is_said() -> None:
    assert summarize("day", make_event(before=None)).total.unmeasured == 1


def test_groups_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "MAX_GROUPS", 2)
    groups = summarize("model", *(make_event(model=f"m{number}") for number in range(5))).groups()
    assert [(group.key, group.events) for group in groups] == [("m0", 1), ("m1", 1), (totals.OTHERS, 3)]


STAMP = "2026-11-22T21:00:00+00:00"


def event(kind="tool_output_truncated", result="briefing", before=1000, after=100, *, size=4000, lines=100, **facts):
    original = {"bytes": size, "lines": lines, "method": "exact"}
    counts = {"before_tokens": before, "after_tokens": after, "method": "exact", "original": original}
    return read_event({"ts": STAMP, "event": kind, "result": result, **counts, **facts})


def test_a_map_keeps_out_what_truncation_would_let_in() -> None:
    assert SavingsMeter().measure(event()) == TokenFlow(kept_out=1000, maps=100)


def test_the_baseline_is_capped_at_2000_lines_and_50_kb() -> None:
    """Issue: "against a baseline capped at what 2,000 lines / 50 KB would have let in"."""
    meter = SavingsMeter()
    assert meter.measure(event(before=100_000, size=512_000)) == TokenFlow(10_000, 100, estimated=True)
    assert meter.measure(event(before=100_000, lines=20_000)) == TokenFlow(10_000, 100, estimated=True)
    assert meter.measure(event(before=100_000, size=51_200, lines=2000)) == TokenFlow(100_000, 100)


def test_what_passes_beyond_the_baseline_counts_against_it() -> None:
    assert SavingsMeter().measure(event("gate", "raw", 900, 900)) == TokenFlow()
    flow = SavingsMeter().measure(event("gate", "raw", 9000, 9000, size=102_400))
    assert flow == TokenFlow(beyond=4500, estimated=True)
    assert flow.net == -4500


def test_drill_downs_and_repeated_reads_are_brought_back() -> None:
    meter = SavingsMeter()
    meter.measure(event(name="big.rs", ref="abcdef012345", session="s"))
    again = meter.measure(event(name="cat big.rs", ref="abcdef012345", session="s"))
    passed = meter.measure(event("gate", "raw", 40, 40, name="big.rs", session="s"))
    part = meter.measure(event("cache_get", "", 0, 70, session="s"))
    assert [again, passed, part] == [TokenFlow(brought_back=number) for number in (100, 40, 70)]
    elsewhere = meter.measure(event("gate", "raw", 40, 40, name="big.rs", session="t"))
    assert elsewhere == TokenFlow()


def test_new_output_of_the_same_command_is_kept_out_again() -> None:
    meter = SavingsMeter()
    flows = [meter.measure(event(name="cargo test", ref=ref)) for ref in ("a" * 12, "b" * 12)]
    assert flows == [TokenFlow(1000, 100)] * 2


def test_what_is_still_in_the_window_is_kept_out_each_time() -> None:
    meter = SavingsMeter()
    flows = [meter.measure(event("gate", "repeated", after=20, name="make", ref="a" * 12)) for _ in range(3)]
    assert flows == [TokenFlow(1000, 20)] * 3


def test_what_was_not_counted_is_not_measured() -> None:
    for facts in ({"before": None}, {"after": None}, {"after": -3}, {"kind": "usage"}, {"verb": "compact"}):
        assert SavingsMeter().measure(event(**facts)) is None


def test_results_that_a_compaction_shortened_are_measured_with_it() -> None:
    for result in ("cleared", "truncated"):
        cleared = event(result=result, before=None, after=None, verb="turn")
        assert not is_measurable(cleared)
        assert SavingsMeter().measure(cleared) is None


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
