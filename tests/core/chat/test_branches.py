"""What the agent would send next is found in what it kept."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat import branches
from ctxkit.core.chat.branches import Change, apply_change, find_active_path, relink_entries
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import anthropic, codex, openai
from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import TextCounter
from ctxkit.core.count.conversation_tokens import ConversationCounter
from ctxkit.core.count.message_tokens import OPENAI, MessageCounter
from ctxkit.core.errors import CtxkitError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.example_counts import count_examples

CORPORA = Path(os.environ.get("CTXKIT_CORPORA") or Path(__file__).parents[4] / ".." / "shared" / "corpora")
SESSIONS = sorted(path for path in CORPORA.glob("sessions/*/*") if path.is_file())
SCALE = MessageCounter(OPENAI, TextCounter(find_vocabulary("o200k"), lambda text: len(text.split())))


def read(*lines):
    return parse_transcript("\n".join(json.dumps(line) for line in lines).encode(), "chat")


def said(uuid, parent, words="x", **more):
    kind = more.pop("type", "user")
    message = {"role": kind, "content": words, **more.pop("message", {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def test_of_a_linear_conversation_every_message_is_sent() -> None:
    assert find_active_path(read({"role": "system", "content": "a"}, {"role": "user", "content": "b"})) == (0, 1)


def test_of_a_tree_the_newest_branch_is_sent_or_another() -> None:
    tree = read(
        {"type": "summary", "summary": "x", "leafUuid": "c"},
        said("a", None),
        said("b", "a", type="assistant"),
        said("c", "b"),
        {"type": "system", "uuid": "n", "parentUuid": "b", "subtype": "note"},
        said("d", "n"),
        said("z", None, isSidechain=True),
    )
    assert find_active_path(tree) == (1, 2, 5)
    assert find_active_path(tree, "c") == (1, 2, 3)
    assert find_active_path(tree, "n") == (1, 2)
    assert find_active_path(tree, "z") == (6,)
    with pytest.raises(KeyError):
        find_active_path(tree, "nobody")


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "sessionId": "s"}
SUMMARY = said("s", "b", isCompactSummary=True)


def test_after_a_boundary_of_claude_code_only_what_follows_is_sent() -> None:
    assert find_active_path(read(said("1", None), said("2", "1"), BOUNDARY, SUMMARY, said("3", "s"))) == (3, 4)


def test_a_boundary_cuts_also_where_it_has_a_parent_or_nothing_has() -> None:
    hung = {**BOUNDARY, "parentUuid": "2"}
    assert find_active_path(read(said("1", None), said("2", "1"), hung, SUMMARY, said("3", "s"))) == (3, 4)
    bare = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "x"}}
    boundary = {"type": "system", "subtype": "compact_boundary", "sessionId": "s"}
    assert find_active_path(read(bare, bare, boundary, {**bare, "isCompactSummary": True}, bare)) == (3, 4)


@pytest.mark.parametrize(
    ("kept", "parent"),
    [
        ({"preservedSegment": {"headUuid": "2", "anchorUuid": "s", "tailUuid": "3"}}, "s"),
        ({"preservedSegment": {"headUuid": "2", "anchorUuid": "s", "tailUuid": "3"}}, "3"),
        ({"preservedMessages": {"anchorUuid": "s", "uuids": ["2", "3"]}}, "3"),
        ({"preservedMessages": {"anchorUuid": "s", "uuids": ["2", "3"], "allUuids": ["2", "gone", "3"]}}, "s"),
    ],
)
def test_what_a_boundary_kept_follows_the_summary(kept, parent: str) -> None:
    call = {"content": [{"type": "tool_use", "id": "c", "name": "ls", "input": {}}]}
    told = {"content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}]}
    before = [said("1", None), said("2", "1", type="assistant", message=call), said("3", "2", message=told)]
    after = [{**BOUNDARY, "compactMetadata": {"trigger": "auto", **kept}}, SUMMARY, said("4", parent), said("5", "4")]
    assert find_active_path(read(*before, *after)) == (4, 1, 2, 5, 6)
    # before the next message, and where the kept entries are no longer there
    assert find_active_path(read(*before, *after[:2])) == (4,)
    assert find_active_path(read(before[0], *after[:2], said("4", "s"))) == (2, 3)


def test_a_kept_entry_may_be_written_again_after_the_summary() -> None:
    kept = {"preservedMessages": {"anchorUuid": "s", "uuids": ["2", "3"]}}
    boundary = {**BOUNDARY, "compactMetadata": {"trigger": "auto", **kept}}
    again = said("3", "s", type="assistant")
    tree = read(said("1", None), said("2", "1"), boundary, SUMMARY, again, said("4", "3"))
    assert find_active_path(tree) == (3, 1, 4, 5)


def test_of_pi_the_last_summary_and_what_it_kept_are_sent() -> None:
    head = {"type": "session", "version": 3, "id": "h", "timestamp": "t", "cwd": "/"}
    told = [{"type": "message", "id": str(at), "parentId": str(at - 1) if at else None} for at in range(6)]
    told = [{**entry, "message": {"role": "user", "content": "x"}} for entry in told]
    told[3] = {"type": "compaction", "id": "3", "parentId": "2", "summary": "so far", "firstKeptEntryId": "2"}
    assert find_active_path(read(head, *told)) == (4, 3, 5, 6)
    assert find_active_path(read(head, *told), "2") == (1, 2, 3)


def item(role, words):
    kind = "output_text" if role == "assistant" else "input_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}
    return {"timestamp": "t", "type": "response_item", "payload": payload}


def test_turns_that_codex_took_back_are_not_sent() -> None:
    back = {"timestamp": "t", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    talk = [item("user", "a"), item("assistant", "b"), item("user", "c"), item("assistant", "d"), back, item("user", "e")]
    assert find_active_path(read(*talk)) == (0, 1, 5)
    compacted = {"timestamp": "t", "type": "compacted", "payload": {"message": "so far"}}
    assert find_active_path(read(*talk, compacted, item("user", "f"))) == (6, 7)
    assert read(*talk).format is codex


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10), st.data())
def test_in_any_tree_the_way_is_that_from_the_root(choices: list[int], data: st.DataObject) -> None:
    parents = [choice % at if at else None for at, choice in enumerate(choices)]
    lines = [said(str(at), None if parent is None else str(parent)) for at, parent in enumerate(parents)]
    leaf = data.draw(st.integers(0, len(lines) - 1))
    way, at = [], leaf
    while at is not None:
        way.insert(0, at)
        at = parents[at]  # type: ignore[assignment]
    assert find_active_path(read(*lines), str(leaf)) == tuple(way)
    assert find_active_path(read(*lines)) == find_active_path(read(*lines), str(len(lines) - 1))


@pytest.mark.quick_cases(37)
@pytest.mark.skipif(not SESSIONS, reason="there are no corpora")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[-60:])
def test_what_is_sent_of_a_session_is_what_is_counted(path) -> None:
    data = path.read_bytes()
    try:
        transcript = parse_transcript(data, path.name)
    except CtxkitError:
        pytest.skip("it holds no conversation, or several")
    found = open_content([data], json.loads, path.name)
    sheet = ConversationCounter(SCALE, linear=found.format.LINEAR, rows=True)
    for entry in found.entries:
        sheet.add(entry)
    sent = [message for at in find_active_path(transcript) for message in transcript.records[at].messages]
    rows = [SCALE.count_message(message) for message in [*filter(lambda entry: isinstance(entry, ChatMessage), transcript.head), *sent]]
    counted = [row for row in sheet.finish().rows if row.role not in ("tools", "overhead")]
    assert sorted(rows) == sorted(counted)


def test_a_session_of_pi_goes_on_from_its_last_entry_whatever_that_is() -> None:
    def entry(kind, id_, parent, **more):
        return {"type": kind, "id": id_, "parentId": parent, "timestamp": "t", **more}

    def spoken(id_, parent, role="user"):
        return entry("message", id_, parent, message={"role": role, "content": "x"})

    head = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/w"}
    session = [head, spoken("a", None), spoken("b", "a", "assistant"), spoken("c", "b"), spoken("d", "a")]
    assert find_active_path(read(*session)) == (1, 4)
    assert find_active_path(read(*session, entry("label", "e", "c", targetId="a", label="here"))) == (1, 2, 3)
    assert find_active_path(read(head)) == ()


def test_a_path_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = parse_transcript(b'[{"role":"user","content":"a"}]', "x")
    assert find_active_path(transcript) == (0,)
    monkeypatch.setattr(branches, "_compute_path", lambda *_: pytest.fail("it is computed again"))
    assert find_active_path(transcript) == (0,)
    assert transcript._replace(text="x").active_paths == {}


ODD = [
    '{"role": "user", "content": "é 中 \\ud83d\\ude00 \\ud800", "n": 123456789012345678901234567890}',
    '{"role":"assistant","content":"a","role":"user","x":[1.10,NaN,-0.0,1e400,Infinity]}',
    '{ "content" :\t"\U0001f600 <|endoftext|>" , "role" : "assistant" }',
    '{"role":"user","content":"raw \udcff\udc80 bytes"}',
    '{"role":"assistant","content":[{"type":"text","text":"\\u0000"},{"type":"image","data":"AA=="}]}',
    '{"role":"tool","tool_call_id":"1","content":""}',
]
"""Entries as they come: odd numbers, keys that come twice, blanks, surrogates, bytes that are no text."""
ENTRIES = st.lists(st.sampled_from(ODD), min_size=1, max_size=7)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\t", "\n    "])
NEW = {"role": "user", "content": "new \udcff 中"}


@st.composite
def lines(draw):
    """Write entries one a line, with blank lines and without an end, in several encodings."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    between = [draw(st.sampled_from([end, end * 2, f" {end}", f"{end}  {end}", f"{end}\t"])) for _ in range(7)]
    entries = draw(ENTRIES)
    text = draw(st.sampled_from(["", "\ufeff", "\n\n"])) + "".join(map("".join, zip(entries, between, strict=False)))
    text = text.rstrip() if draw(st.booleans()) else text
    return encoded(text, draw), entries


@st.composite
def documents(draw):
    """Write entries as a list, alone or among the members of a request, laid out in any way."""
    entries = draw(ENTRIES)
    blank = [draw(BLANKS) for _ in range(4)]
    body = "[" + blank[0] + f"{blank[1]},{blank[2]}".join(entries) + blank[3] + "]"
    before, after = draw(st.sampled_from([("", ""), ('{"messages": [1], "messages":', ', "n": 1.10}'), ('{"messages":', "}\n")]))
    return encoded(before + body + after, draw), entries


def encoded(text, draw):
    encoding = draw(st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
    if encoding == "utf-8":
        return text.encode("utf-8", "surrogateescape")
    return f"\ufeff{text.removeprefix(chr(0xFEFF))}".encode(encoding, "surrogatepass")


def read_rewrite(data):
    return parse_transcript(data, "chat", openai)


@given(lines() | documents())
def test_without_a_change_every_byte_stays(made) -> None:
    data, entries = made
    transcript = read_rewrite(data)
    assert [transcript.get_raw(record) for record in transcript.records] == entries
    assert transcript.encode(apply_change(transcript, Change())) == data


@given(lines() | documents(), st.frozensets(st.integers(0, 6)))
def test_what_is_not_dropped_keeps_its_text(made, dropped) -> None:
    data, entries = made
    stay = [entry for at, entry in enumerate(entries) if at not in dropped]
    text = apply_change(transcript := read_rewrite(data), Change(dropped=dropped))
    if transcript.syntax == "lines" and not stay:
        assert not text.strip("\ufeff \t\r\n")
        return
    again = read_rewrite(transcript.encode(text))
    assert [again.get_raw(record) for record in again.records] == stay
    assert again.syntax == transcript.syntax or len(stay) < 2


@given(lines() | documents(), st.frozensets(st.integers(0, 6)), st.dictionaries(st.integers(0, 7), st.integers(1, 3)))
def test_what_is_inserted_is_read_back_where_it_was_put(made, dropped, inserted) -> None:
    data, entries = made
    inserted = {at: number for at, number in inserted.items() if at <= len(entries)}
    transcript = read_rewrite(data)
    text = apply_change(transcript, Change(dropped, {}, {at: [NEW] * number for at, number in inserted.items()}))
    wanted = []
    for at in range(len(entries) + 1):
        wanted += [None] * inserted.get(at, 0)
        wanted += [entries[at]] if at < len(entries) and at not in dropped else []
    if wanted or transcript.syntax == "document":
        again = read_rewrite(transcript.encode(text))
        assert [None if record.value == NEW else again.get_raw(record) for record in again.records] == wanted


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def places(value, place=()):
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, held in inside:
        yield from places(held, (*place, step))


def changed(value, patch):
    """Return a value with a patch made, as Python would make it."""
    if not patch.place:
        return patch.value
    step, *rest = patch.place
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[step] = changed(copy[step], patch._replace(place=tuple(rest)))
    elif patch.action == "remove":
        del copy[step]
    elif patch.action == "insert":
        copy.insert(step, patch.value)
    else:
        copy[step] = patch.value
    return copy


@settings(max_examples=count_examples(150))
@given(VALUES, st.data(), st.sampled_from([None, 1, "\t"]))
def test_a_patch_changes_what_it_names_and_nothing_else(extra, data: st.DataObject, indent) -> None:
    value = {"role": "user", "content": "a", "extra": extra}
    inside = [place for place in places(value) if place[:1] == ("extra",)]
    place = data.draw(st.sampled_from(inside))
    listed = bool(place) and isinstance(place[-1], int)
    how = data.draw(st.sampled_from(["replace", "remove", *(["insert"] if listed else [])]))
    patch = ValuePatch(place, {"new": [1.5, "é"]}, how)
    transcript = read_rewrite(json.dumps([value, value], indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    again = read_rewrite(transcript.encode(apply_change(transcript, Change(patches={0: [patch]}))))
    assert again.records[0].value == changed(value, patch)
    assert again.get_raw(again.records[1]) == transcript.get_raw(transcript.records[1])


@given(st.integers(1, 6), st.data(), st.sampled_from([None, 2]))
def test_any_elements_of_a_list_can_be_removed_and_others_put_in(number: int, data: st.DataObject, indent: int | None) -> None:
    blocks = [{"type": "text", "text": str(at)} for at in range(number)]
    removed = data.draw(st.frozensets(st.integers(0, number - 1)))
    put = data.draw(st.lists(st.integers(0, number), max_size=4))
    renamed = data.draw(st.frozensets(st.integers(0, number - 1))) - removed
    patches = [
        *(ValuePatch(("content", at), action="remove") for at in removed),
        *(ValuePatch(("content", at), f"new {at}", "insert") for at in put),
        *(ValuePatch(("content", at, "text"), "other") for at in renamed),
    ]
    patches = data.draw(st.permutations(patches))
    wanted = []
    for at in range(number + 1):
        wanted += [f"new {at}"] * put.count(at)
        if at < number and at not in removed:
            wanted.append({"type": "text", "text": "other" if at in renamed else str(at)})
    said = json.dumps({"role": "user", "content": blocks}, indent=indent).encode()
    transcript = parse_transcript(said, "chat", anthropic)
    text = apply_change(transcript, Change(patches={0: patches}))
    assert json.loads(text) == {"role": "user", "content": wanted}


def test_a_member_that_is_absent_is_added_and_one_that_comes_twice_is_changed_where_it_counts() -> None:
    data = b'{"role":"user","content":"a","content":"b"}\n{"role":"user","content":[]}\n'
    patches = {0: [ValuePatch(("content",), "c"), ValuePatch(("id",), 7)], 1: [ValuePatch(("content", 0), "d", "insert")]}
    text = apply_change(read_rewrite(data), Change(patches=patches))
    assert text == '{"role":"user","content":"a","content":"c","id":7}\n{"role":"user","content":["d"]}\n'
    gone = apply_change(read_rewrite(data), Change(patches={0: [ValuePatch(("content",), action="remove")]}))
    assert gone.startswith('{"role":"user"}\n')
    whole = apply_change(read_rewrite(data), Change(patches={0: [ValuePatch((), [1])]}))
    assert whole.startswith("[1]\n")


@pytest.mark.parametrize("place", [("content", "x"), ("content", 0), ("nothing", "x"), ("extra", 3), ("extra", 0, "x")])
def test_a_patch_where_there_is_no_such_place_is_refused(place) -> None:
    transcript = read_rewrite(b'{"role":"user","content":"a","extra":[1]}')
    with pytest.raises(KeyError):
        apply_change(transcript, Change(patches={0: [ValuePatch(place, 1)]}))


def test_lines_end_as_those_around_them() -> None:
    new = {0: [NEW], 2: [NEW]}
    body = '{"role":"user","content":"new \\udcff \\u4e2d"}'
    entry = '{"role":"user","content":"a"}'
    crlf = apply_change(read_rewrite(f"{entry}\r\n{entry}\r\n".encode()), Change(inserted=new))
    assert crlf == "".join(f"{one}\r\n" for one in (body, entry, entry, body))
    bare = apply_change(read_rewrite(f"{entry}\n{entry}".encode()), Change(inserted=new))
    assert bare == f"{body}\n{entry}\n{entry}\n{body}"
    last = apply_change(read_rewrite(f"{entry}\n{entry}".encode()), Change(frozenset({1}), {}, new))
    assert last == f"{body}\n{entry}\n{body}"


def test_a_document_is_laid_out_as_it_was() -> None:
    document = '{\n  "messages": [\n    {"role": "user", "content": "a"},\n    {"role": "user", "content": "b"}\n  ]\n}\n'
    text = apply_change(read_rewrite(document.encode()), Change(frozenset({0}), {}, {2: [{"role": "user", "content": "c"}]}))
    assert text == '{\n  "messages": [\n    {"role": "user", "content": "b"},\n    {"role":"user","content":"c"}\n  ]\n}\n'
    none = apply_change(read_rewrite(document.encode()), Change(frozenset({0, 1})))
    assert json.loads(none) == {"messages": []}


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
