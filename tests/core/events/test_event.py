"""An event is read from JSON, whoever wrote it."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.events.event import MAX_SPANS, EventFilter, find_map_ranges, overlaps, read_event, read_number

STAMP = "2026-11-22T23:59:30.500+02:00"


def make_event(**facts):
    return read_event({"v": 1, "ts": STAMP, "event": "gate", **facts})


def test_the_time_is_in_utc_and_missing_members_are_empty() -> None:
    event = make_event(verb="run", command="cargo test -q", session="s")
    assert event.at == datetime(2026, 11, 22, 21, 59, 30, 500_000, UTC)
    assert (event.command, event.program, event.session, event.model) == ("run cargo", "cargo", "s", "")
    assert read_event({"ts": "2026-11-22", "event": "x"}).at.tzinfo is UTC


@pytest.mark.parametrize("value", [None, 3, [], {}, {"event": "gate"}, {"event": 3, "ts": STAMP}, {"event": "gate", "ts": "soon"}])
def test_other_values_are_no_events(value) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_event(value)


@given(st.recursive(st.none() | st.integers() | st.text() | st.floats(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=8))
def test_any_member_may_have_any_value(value) -> None:
    keys = ("verb", "command", "session", "project", "model", "name", "ref")
    event = make_event(**dict.fromkeys(keys, value))
    assert all(isinstance(text, str) for text in event[2:9])


def test_a_filter_wants_commands_a_session_and_a_time() -> None:
    event = make_event(verb="cache get", session="s")
    assert EventFilter().accepts(event)
    assert [EventFilter((name,)).accepts(event) for name in ("cache get", "cache", "get")] == [True, True, False]
    assert EventFilter(("cargo", "gate")).accepts(make_event(verb="run", command="cargo"))
    assert [EventFilter(session=name).accepts(event) for name in "st"] == [True, False]
    assert EventFilter(since=event.at).accepts(event)
    assert not EventFilter(since=datetime(2027, 1, 1, tzinfo=UTC)).accepts(event)


def test_only_plausible_counts_are_numbers() -> None:
    assert [read_number(value) for value in (0, 7, -1, True, 1.5, "3", None, 1 << 60)] == [0, 7, *[None] * 6]


MAP = """\
# log (3,020 lines, about 90,181 tokens, log): a map, not the content

- Lines 1-3020: 2026-01-01 10:00:00 to 2026-01-01 10:49:59
- Lines 101-900: 5x, such as
  - 101: Traceback (most recent call last):
    - Lines 102-103: indented, continues the line above
- 104: ValueError: bad thing 99
- 105: outlines 5 of it
- 3 more of this form at lines 808, 1512-1513, 2216

To read a part: ctxkit cache get 2299ccef1c9044a8 --lines 96:116
"""


def test_lines_that_a_map_quotes_and_names_are_found() -> None:
    ranges = find_map_ranges(MAP, 3_020)
    assert ranges.quoted == ((101, 101), (104, 105))
    assert ranges.named == ((96, 900), (1512, 1513), (2216, 2216))


def test_ranges_overlap_if_they_share_a_line() -> None:
    assert overlaps((3, 5), [(1, 1), (5, 9)])
    assert not overlaps((3, 5), [(1, 2), (6, 9)])
    assert not overlaps((3, 5), [])


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300))), st.integers(1, 250))
def test_ranges_are_in_order_and_inside_the_source(pairs: list[tuple[int, int]], total: int) -> None:
    text = "".join(f"- {a}: x\nLines {a}-{b}\n" for a, b in pairs)
    for spans in find_map_ranges(text, total):
        assert len(spans) <= MAX_SPANS
        assert list(spans) == sorted(spans)
        assert all(1 <= start <= end <= total for start, end in spans)
        assert all(before[1] + 1 < after[0] for before, after in pairwise(spans))
