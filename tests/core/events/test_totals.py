"""Events add up in groups."""

import pytest

from ctxkit.core.events import totals
from ctxkit.core.events.event import read_event
from ctxkit.core.events.totals import EventSummary, Price


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
