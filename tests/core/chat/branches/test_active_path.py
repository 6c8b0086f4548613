"""What the agent would send next is found in what it kept."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.branches import active_path
from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.chat.formats import codex
from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.conversation_tokens import ConversationCounter
from ctxkit.core.count.message_tokens import MessageCounter
from ctxkit.core.count.scheme import OPENAI
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.errors import CtxkitError
from ctxkit.core.tokens.vocabulary import find_vocabulary

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
    monkeypatch.setattr(active_path, "_compute_path", lambda *_: pytest.fail("it is computed again"))
    assert find_active_path(transcript) == (0,)
    assert transcript._replace(text="x").active_paths == {}
