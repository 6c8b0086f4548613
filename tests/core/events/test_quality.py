from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.events.event import read_event
from ctxkit.core.events.quality import (
    NEXT_CALLS,
    WORST,
    MapUse,
    QualityMeter,
    describe_quality,
    find_worst,
    format_quality,
    suggest_exclusions,
    suggest_kinds,
    suggest_targets,
    sum_uses,
)


def make_event(event: str, **facts: Any) -> Any:
    return read_event({"event": event, "ts": "2026-11-01T00:00:00", "verb": "run", "session": "s", "after_tokens": 100, **facts})


def make_map(ref: str, **facts: Any) -> Any:
    more = {"result": "briefing", "ref": ref, "kind": "pytest", "command": "make -k", "before_tokens": 900, "command_hash": f"h{ref}"}
    return make_event("tool_output_truncated", **{**more, **facts})


def read_part(ref: str, **facts: Any) -> Any:
    return make_event("cache_get", ref=ref, verb="cache get", after_tokens=50, **facts)


def follow(*events: Any) -> list[MapUse]:
    meter = QualityMeter()
    for event in events:
        meter.add(event)
    return meter.finish()


def test_a_map_is_enough_unless_it_is_read_or_its_command_runs_again() -> None:
    assert [use.outcome for use in follow(make_map("a"))] == ["enough"]
    assert [use.outcome for use in follow(make_map("a"), read_part("b"))] == ["enough"]
    assert [(use.outcome, use.net) for use in follow(make_map("a"), read_part("a"))] == [("read_once", 750)]
    assert [(use.outcome, use.net) for use in follow(make_map("a"), read_part("a"), read_part("a"))] == [("read_often", 700)]
    again, last = follow(make_map("a"), make_map("b", command_hash="ha"))
    assert (again.outcome, again.net, last.outcome) == ("rerun", 700, "enough")
    raw = make_event("gate", result="raw", command_hash="ha", after_tokens=400)
    assert [(use.outcome, use.net) for use in follow(make_map("a"), read_part("a"), raw)] == [("rerun", 350)]


def test_only_the_next_calls_of_the_same_session_count() -> None:
    others = [make_event("gate", result="raw")] * NEXT_CALLS
    assert [use.outcome for use in follow(make_map("a"), *others, read_part("a"))] == ["enough"]
    assert [use.outcome for use in follow(make_map("a"), *others[1:], read_part("a"))] == ["read_once"]
    assert [use.outcome for use in follow(make_map("a"), read_part("a", session="t"))] == ["enough"]
    noise = [make_event("usage"), make_event("context_compaction_end"), make_event("tool_output_truncated", verb="compact")]
    assert [use.outcome for use in follow(make_map("a"), *noise * 9, read_part("a"))] == ["read_once"]


def test_a_read_and_a_rerun_count_once() -> None:
    first, second = follow(make_map("a"), make_map("a"), read_part("a"))
    assert [(use.outcome, use.net) for use in (first, second)] == [("rerun", 700), ("read_once", 750)]
    again = follow(*[make_map("a")] * 3)
    assert [(use.reruns, use.net) for use in again] == [(1, 700), (1, 700), (0, 800)]


def test_sums_are_by_a_key_with_the_most_lacking_first() -> None:
    uses = follow(make_map("a"), make_map("b", kind="json", command="jq x"), read_part("b"), make_map("c", kind=7, command=""))
    assert [(row.key, row.maps, row.enough) for row in sum_uses(uses, lambda use: use.kind)] == [("json", 1, 0), ("-", 1, 1), ("pytest", 1, 1)]
    text = format_quality(uses)
    assert text.startswith("kind    maps  enough  read once  read often  rerun  net\njson       1      0%       100%")
    assert "\nprogram  maps" in text
    assert "least enough" not in text


def test_the_worst_maps_are_named() -> None:
    uses = [MapUse("k", "p\x1b", f"r{number:02}", "", 5, ("grep",) * number, number % 2) for number in range(60)]
    worst = find_worst(uses)
    assert len(worst) == WORST
    assert (worst[0].ref, worst[0].reads) == ("r59", 59)
    assert "\x1b" not in format_quality(uses)
    assert describe_quality(uses)["maps"] == 60


def test_a_program_is_excluded_if_its_commands_mostly_run_again() -> None:
    again = [MapUse("k", "make", "r", "h", 5, (), 1)] * 3
    enough = [MapUse("k", "make", "r", "h", 5)] * 2
    assert suggest_exclusions([*again, *enough]) == ["make"]
    assert suggest_exclusions([*again, *enough, *enough]) == []
    assert suggest_exclusions(again) == []


def test_reads_are_told_apart_by_what_the_map_shows() -> None:
    shown = make_map("a", quoted=[[5, 6], [9, 9]], named=[[40, 60]])
    spans = {(6, 7): "quoted", (10, 30): "unnamed", (60, 61): "named", (1, 50): "quoted"}
    for span, way in spans.items():
        assert follow(shown, read_part("a", part="lines", span=list(span)))[0].ways == (way,)
    parts = {"grep": "grep", "focus": "focus", "bytes": "other", "json_path": "other", "all": "other", None: "other"}
    for part, way in parts.items():
        assert follow(shown, read_part("a", part=part))[0].ways == (way,)
    broken = make_map("a", quoted=7, named=[[1], ["x", 2], [0, 3], 5])
    assert follow(broken, read_part("a", part="lines", span=[1, 2]))[0].ways == ("unnamed",)
    (use,) = follow(shown, read_part("a", part="grep"), read_part("a", part="lines", span="x"))
    (row,) = sum_uses([use], lambda use: use.kind)
    assert (row.grep, row.other, row.quoted) == (1, 1, 0)
    assert "parts that were read: 1 grep, 1 other\n" in format_quality([use])


def test_a_command_that_turns_ctxkit_off_is_a_rerun() -> None:
    off = make_event("gate_disabled", after_tokens=None, command_hash="ha")
    (use,) = follow(make_map("a"), off)
    assert (use.outcome, use.reruns, use.disabled, use.net) == ("rerun", 1, 1, 800)
    assert "run again 1x, 1x with CTXKIT_DISABLE" in format_quality([use])
    assert describe_quality([use])["worst"][0]["disabled"] == 1
    assert follow(make_map("b"), off)[0].disabled == 0


def test_a_larger_map_is_suggested_where_parts_are_read_instead() -> None:
    read = MapUse("k", "make", "r", "h", 5, ("grep",), size=900, read=1_200)
    enough = MapUse("k", "make", "r", "h", 5, size=900)
    assert suggest_targets([read] * 4 + [enough] * 2) == {"make": 2_500}
    assert suggest_targets([read] * 3 + [enough] * 3) == {}
    assert suggest_targets([read] * 4) == {}
    assert suggest_targets([read._replace(reruns=1)] * 6) == {}


def test_the_kind_whose_maps_are_enough_is_suggested() -> None:
    good, bad = MapUse("pytest", "make", "r", "h", 5), MapUse("text", "make", "r", "h", 5, ("grep",))
    assert suggest_kinds([good] * 5 + [bad] * 5) == {"make": "pytest"}
    assert suggest_kinds([good] * 4 + [bad] * 5) == {}
    assert suggest_kinds([good] * 9) == {}
    assert suggest_kinds([good._replace(program="-"), bad._replace(program="-")] * 5) == {}


EVENT = st.one_of(
    st.builds(make_map, st.sampled_from("abc"), session=st.sampled_from("st"), before_tokens=st.integers(0, 900)),
    st.builds(read_part, st.sampled_from("abc"), session=st.sampled_from("st")),
    st.builds(make_event, st.just("gate"), result=st.just("raw"), command_hash=st.sampled_from(["ha", "hx"])),
)


@given(st.lists(EVENT, max_size=40))
def test_each_map_counts_once(events: list[Any]) -> None:
    uses = follow(*events)
    assert len(uses) == sum(event.facts.get("result") == "briefing" for event in events)
    for row in sum_uses(uses, lambda use: use.program):
        assert row.maps == row.enough + row.read_once + row.read_often + row.rerun
