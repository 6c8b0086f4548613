"""Entries of a tree hang under entries that are there."""

import json

import pytest

from ctxkit.core.chat.branches.active_path import Change, apply_change
from ctxkit.core.chat.branches.relinking import relink_entries
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript


def tree(*links):
    """Return a session of pi whose messages have such ids and parents."""
    head = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}
    said = [
        {"type": "message", "id": own, "parentId": parent, "timestamp": "", "message": {"role": "user", "content": own}}
        for own, parent in links
    ]
    return parse_transcript("".join(json.dumps(entry) + "\n" for entry in [head, *said]).encode(), "chat", get_format("pi"))


def links(transcript, change):
    entries = [json.loads(line) for line in apply_change(transcript, change).splitlines()]
    return {entry["id"]: entry["parentId"] for entry in entries if "parentId" in entry}


CHAIN = (("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("side", "b"))


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ((), {"a": None, "b": "a", "c": "b", "d": "c", "side": "b"}),
        ((2,), {"a": None, "c": "a", "d": "c", "side": "a"}),
        ((2, 3), {"a": None, "d": "a", "side": "a"}),
        ((1,), {"b": None, "c": "b", "d": "c", "side": "b"}),
        ((1, 2, 3), {"d": None, "side": None}),
    ],
)
def test_what_hung_under_an_entry_that_leaves_hangs_under_the_nearest_that_stays(gone, left) -> None:
    transcript = tree(*CHAIN)
    assert links(transcript, relink_entries(transcript, Change(frozenset(gone)))) == left


def test_what_followed_an_entry_follows_what_was_inserted_behind_it_on_the_path_alone() -> None:
    transcript = tree(*CHAIN)
    change = relink_entries(transcript, Change(), path=(1, 2, 3, 4), after={"b": "new"})
    assert links(transcript, change) == {"a": None, "b": "a", "c": "new", "d": "c", "side": "b"}


def test_entries_that_follow_each_other_in_a_circle_end_at_the_root() -> None:
    transcript = tree(("a", "b"), ("b", "a"), ("c", "b"))
    assert links(transcript, relink_entries(transcript, Change(frozenset((1, 2))))) == {"c": None}


def test_a_format_without_a_tree_takes_no_links() -> None:
    transcript = parse_transcript(b'[{"role":"user","content":"a"},{"role":"user","content":"b"}]', "chat")
    change = Change(frozenset((0,)))
    assert relink_entries(transcript, change).patches == {}


def test_a_parent_that_the_file_does_not_have_stands_for_the_entry_before() -> None:
    transcript = tree(("a", None), ("b", "absent"), ("c", "b"), ("d", "unwritten"))
    assert links(transcript, relink_entries(transcript, Change())) == {"a": None, "b": "absent", "c": "b", "d": "unwritten"}
    assert links(transcript, relink_entries(transcript, Change(frozenset((3,))))) == {"a": None, "b": "absent", "d": "b"}
    change = relink_entries(transcript, Change(), path=(1, 2, 3, 4), after={"a": "new"})
    assert links(transcript, change) == {"a": None, "b": "new", "c": "b", "d": "unwritten"}


def test_of_entries_before_the_start_nothing_later_is_a_child() -> None:
    transcript = tree(*CHAIN)
    change = relink_entries(transcript, Change(frozenset((3,))), (4,), {"": "new"}, 4)
    assert links(transcript, change) == {"a": None, "b": "a", "d": "new", "side": "b"}
    assert links(transcript, relink_entries(transcript, Change(frozenset((3,))), (4,), {"": "new"}))["d"] == "b"


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("gone", "kept", "anchor"), [((1,), ["3"], "s"), ((2,), ["2"], "s"), ((4,), ["2", "3"], "b"), ((1, 2), [], ""), ((0,), ["2", "3"], "s")]
)
def test_a_boundary_keeps_what_is_left(listed: bool, gone, kept, anchor) -> None:
    said = [{"type": "user", "uuid": id_, "parentUuid": parent, "sessionId": "x", "message": {"role": "user", "content": id_}}
            for id_, parent in (("1", None), ("2", "1"), ("3", "2"), ("s", "b"), ("4", "3"))]
    metadata = {"preservedSegment": {"headUuid": "2", "anchorUuid": "s", "tailUuid": "3"}, "trigger": "auto"}
    metadata |= {"preservedMessages": {"anchorUuid": "s", "uuids": ["2", "3"], "allUuids": ["2", "3"]}} if listed else {}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "compactMetadata": metadata}
    entries = [*said[:3], boundary, *said[3:]]
    transcript = parse_transcript("".join(json.dumps(entry) + "\n" for entry in entries).encode(), "chat")
    text = apply_change(transcript, relink_entries(transcript, Change(frozenset(gone))))
    left = next(entry for line in text.splitlines() if (entry := json.loads(line))["uuid"] == "b")["compactMetadata"]
    expected: dict[str, object] = {"trigger": "auto"}
    if kept:
        expected["preservedSegment"] = {"headUuid": kept[0], "anchorUuid": anchor, "tailUuid": kept[-1]}
        expected |= {"preservedMessages": {"anchorUuid": anchor, "uuids": kept, "allUuids": kept}} if listed else {}
    assert left == expected
