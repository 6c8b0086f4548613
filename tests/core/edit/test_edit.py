"""Laws of edits, over conversations of many shapes: the rest is valid and untouched, and every edit can be undone."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.edit.edit import (
    SUMMARY_END,
    MessageEdit,
    Undo,
    edit_conversation,
    find_changed_span,
    frame_summary,
    parse_undo,
    remove_messages,
    restore_content,
    summarize_messages,
    undo_edit,
)
from ctxkit.core.edit.numbered_conversation import (
    choose_range,
    compute_overhead,
    list_messages,
    list_tasks,
    number_messages,
)
from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.store.label import FULL_LENGTH, Label
from ctxkit.core.store.store_interface import Blob, StoredContent
from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.tokens.estimate import likely_tokenizer
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.core.edit.talk import CHAT, number_talk
from tests.example_counts import count_examples

VOCABULARY = find_vocabulary("bytes/3")
ORDER = CountOptions(VOCABULARY, likely_tokenizer(VOCABULARY), json.loads, is_named=False)
NAMELESS = Label()
TASKS = st.lists(st.tuples(st.sampled_from(["ask", "calls", "think"]), st.integers(0, 3)), min_size=1, max_size=5)
SPANS = st.tuples(st.integers(1, 12), st.integers(0, 6))


class Memory:
    """A store that forgets everything in the end."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[bytes, Label]] = {}
        self.taken = b""

    def open_writer(self):
        self.taken = b""
        return self

    def write(self, chunk):
        self.taken += chunk

    def commit(self, label):
        from hashlib import sha256

        ref = sha256(self.taken).hexdigest()
        self.held[ref] = (self.taken, label)
        return ref

    def abandon(self):
        self.taken = b""

    def open(self, ref):
        if ref not in self.held:
            raise NotStoredError(ref)
        data = self.held[ref][0]
        lines = lines_from_bytes(data)
        return StoredContent(ref, "", lines.read, lines)

    def blobs(self):
        for number, (ref, (data, label)) in enumerate(self.held.items()):
            yield Blob(ref, len(data), number, number, label)


def openai(tasks) -> list[dict]:
    turns = [{"role": "system", "content": "Be brief."}]
    for number, (kind, calls) in enumerate(tasks):
        turns.append({"role": "user", "content": f"request {number}"})
        ids = [f"c{number}.{call}" for call in range(calls)]
        if kind == "calls" and ids:
            made = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in ids]
            turns.append({"role": "assistant", "content": None, "tool_calls": made})
            turns += [{"role": "tool", "tool_call_id": id_, "content": f"result {id_}"} for id_ in ids]
        turns.append({"role": "assistant", "content": f"answer {number}"})
    return turns


def anthropic(tasks) -> list[dict]:
    turns = []
    for number, (kind, calls) in enumerate(tasks):
        turns.append({"role": "user", "content": f"request {number}"})
        thought = [{"type": "thinking", "thinking": "hm", "signature": "x"}] if kind == "think" else []
        for call in range(calls):
            id_ = f"c{number}.{call}"
            made = {"type": "tool_use", "id": id_, "name": "f", "input": {}}
            turns.append({"role": "assistant", "content": [*thought, made]})
            told = {"type": "tool_result", "tool_use_id": id_, "content": f"result {id_}"}
            turns.append({"role": "user", "content": [told]})
        turns.append({"role": "assistant", "content": [*thought, {"type": "text", "text": f"answer {number}"}]})
    return turns


def claude_code(tasks) -> list[dict]:
    lines = []
    for number, turn in enumerate(anthropic(tasks)):
        parent = f"u{number - 1}" if number else None
        head = {"type": turn["role"], "uuid": f"u{number}", "parentUuid": parent, "isSidechain": False, "sessionId": "s"}
        lines.append({**head, "message": turn})
    return lines


def jsonl(turns: list[dict]) -> bytes:
    return b"".join(json.dumps(turn).encode() + b"\n" for turn in turns)


def document(turns: list[dict]) -> bytes:
    return json.dumps({"model": "m", "max_tokens": 5, "messages": turns}, indent=1).encode()


SHAPES = {
    "openai": lambda tasks: jsonl(openai(tasks)),
    "openai document": lambda tasks: document(openai(tasks)),
    "anthropic": lambda tasks: document(anthropic(tasks)),
    "claude-code": lambda tasks: jsonl(claude_code(tasks)),
}


def opened(data: bytes):
    return number_messages(parse_transcript(data, "test"), ORDER)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=count_examples(60), deadline=None)
@given(tasks=TASKS, where=SPANS, text=st.sampled_from([None, None, "A summary."]))
def test_what_is_left_is_valid_and_what_went_comes_back(shape: str, tasks, where, text: str | None) -> None:
    data, store = SHAPES[shape](tasks), Memory()
    found = opened(data)
    span = PositionRange(where[0], where[0] + where[1])
    try:
        made = edit_conversation(found, MessageEdit(span, text, expand=True), store, NAMELESS)
    except (UsageError, NotStoredError):
        assert not store.held or text is not None
        return
    after = parse_transcript(made.data, "test")
    assert find_breaches(after) == ()
    assert len(find_active_path(after)) == len(found.path) - made.fewer
    gone = {found.transcript.get_raw(record) for record in found.path[made.taken[0] - 1 : made.taken[1]]}
    stays = [found.transcript.get_raw(record) for record in found.path if found.transcript.get_raw(record) not in gone]
    changed = [raw for raw in stays if raw not in made.data.decode()]
    assert len(changed) <= 1  # the one whose parent went, or that a summary goes before
    assert text is None or text in made.data.decode()
    assert undo_edit(made.data, store)[0] == data
    assert undo_edit(made.data, store, made.ref)[0] == data
    with pytest.raises(NotStoredError):
        undo_edit(data, store, made.ref)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=count_examples(30), deadline=None)
@given(tasks=TASKS)
def test_rows_cover_all_messages_and_all_tokens(shape: str, tasks) -> None:
    found = opened(SHAPES[shape](tasks))
    for rows in (list_tasks(found), list_messages(found)):
        assert [row.first for row in rows] == [1, *(row.last + 1 for row in rows[:-1])]
        assert rows[-1].last == len(found.path)
        assert sum(row.amount.tokens for row in rows) + compute_overhead(found).tokens == found.total.tokens
    assert sum(row.what == "request" for row in list_tasks(found)) == len(tasks)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=count_examples(30), deadline=None)
@given(tasks=TASKS, where=SPANS)
def test_a_wider_range_holds_the_one_that_was_asked_for_and_needs_no_other(shape: str, tasks, where) -> None:
    found = opened(SHAPES[shape](tasks))
    span = PositionRange(where[0], where[0] + where[1])
    try:
        first, last = choose_range(found, span, expand=True)
    except (UsageError, NotStoredError):
        return
    assert first <= span.start <= last
    assert last >= min(span.end, len(found.path))  # type: ignore[type-var]
    assert choose_range(found, PositionRange(first, last), expand=False) == (first, last)


def test_edits_are_undone_in_their_order() -> None:
    store, states = Memory(), [SHAPES["openai"]([("ask", 0)] * 4)]
    for span in (PositionRange(8, 9), PositionRange(2, 3), PositionRange(4, 5)):
        states.append(edit_conversation(opened(states[-1]), MessageEdit(span), store, NAMELESS).data)
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        assert undo_edit(after, store)[0] == before


def test_an_edit_that_only_adds_text_is_undone() -> None:
    store, data = Memory(), b"<|im_start|>user<|im_start|><|im_end|>"
    made = edit_conversation(opened(data), MessageEdit(PositionRange(1, 1), "Words that stand for it."), store, NAMELESS)
    assert undo_edit(made.data, store, made.ref)[0] == data


def test_all_that_is_stored_is_named(tmp_path: Path) -> None:
    store = Memory()
    made = edit_conversation(opened(SHAPES["anthropic"]([("ask", 0)] * 3)), MessageEdit(PositionRange(3, 4)), store, NAMELESS)
    assert set(made.refs) == set(store.held)
    assert made.ref in made.refs
    assert all(len(ref) == FULL_LENGTH for ref in made.refs)


def test_a_record_that_is_none_is_refused() -> None:
    store = Memory()
    data = SHAPES["openai"]([("ask", 0)])
    store.open_writer().write(b'{"kind": "other"}')
    with pytest.raises(NotStoredError, match="is not the record of an edit"):
        undo_edit(data, store, store.commit(NAMELESS))


def test_what_a_compaction_replaced_cannot_come_back() -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    lines = [{"timestamp": "t", "type": "response_item", "payload": item}] * 3
    compacted = {"timestamp": "t", "type": "compacted", "payload": {"message": "So far."}}
    found = opened("".join(json.dumps(line) + "\n" for line in [*lines, compacted, *lines]).encode())
    assert [row.stays for row in list_messages(found)] == [True, False, False, False]


def test_what_was_written_again_goes_with_what_it_was_before() -> None:
    def said(id_, type_, words, **more):
        return {"id": id_, "timestamp": "t", "type": type_, "content": words, **more}

    call = {"id": "c", "name": "ls", "args": {}}
    done = {**call, "result": [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": "a"}}}]}
    log = [{"sessionId": "s", "projectHash": "p"}]
    for at in "ab":
        log += [said(f"1{at}", "user", "look"), said(f"2{at}", "gemini", "", toolCalls=[call])]
        log += [said(f"2{at}", "gemini", "", toolCalls=[done]), said(f"3{at}", "gemini", "done")]
    found = opened("".join(json.dumps(line) + "\n" for line in log).encode())
    assert [len(row) for row in ([*list_tasks(found)], found.path)] == [2, 6]
    made = edit_conversation(found, MessageEdit(PositionRange(1, 3)), None, Label("it", "", "", ""))
    assert [json.loads(line).get("id") for line in made.data.splitlines()] == [None, "1b", "2b", "2b", "3b"]


REF = "0123456789ab"


def messages(edited):
    value = json.loads(edited.transcript.text)
    return value if isinstance(value, list) else value["messages"]


def test_the_range_leaves_and_the_rest_stays() -> None:
    edited = remove_messages(number_talk(), (2, 5))
    assert messages(edited) == [CHAT[0], *CHAT[5:]]
    assert edited.fewer == 4


def test_a_call_without_its_result_is_refused() -> None:
    with pytest.raises(UsageError, match="without messages 3:3"):
        remove_messages(number_talk(), (3, 3))


def test_a_summary_takes_the_place_of_the_range() -> None:
    edited = summarize_messages(number_talk(), (2, 5), "It is fixed.", REF)
    first, summary, *rest = messages(edited)
    assert (first, rest) == (CHAT[0], CHAT[5:])
    assert summary == {"role": "user", "content": frame_summary("It is fixed.", (2, 5), REF)}
    assert edited.fewer == 3


@pytest.mark.parametrize(
    ("span", "contents"),
    [((1, 2), [f"{frame_summary('S.', (1, 2), '')}{SUMMARY_END}c", "d", "e"]), ((2, 3), [f"a\n\n{frame_summary('S.', (2, 3), '')}", "d", "e"])],
)
def test_where_roles_alternate_a_summary_joins_a_message_of_the_user(span, contents) -> None:
    turns = [{"role": ("user", "assistant")[at % 2], "content": letter} for at, letter in enumerate("abcde")]
    edited = summarize_messages(number_talk({"model": "claude", "max_tokens": 5, "system": "s", "messages": turns}), span, "S.", "")
    assert [turn["content"] for turn in messages(edited)] == contents
    assert edited.fewer == 2


def test_a_summary_names_the_command_only_if_the_messages_are_stored() -> None:
    assert "ctxkit cache get" in frame_summary(" S.\n", (2, 5), REF)
    assert frame_summary(" S.\n", (2, 5), "") == "[ctxkit edit] Messages 2:5 stand here in short.\n\nS."


TURN = st.builds(
    lambda role, words: json.dumps({"role": role, "content": words}, ensure_ascii=False),
    st.sampled_from(["user", "assistant"]),
    st.text("ab\u00e9\U0001f600 \n", max_size=6),
)
TURNS = st.lists(TURN, min_size=1, max_size=6)
LAYOUTS = {
    "lines": lambda turns: "".join(f"{turn}\n" for turn in turns),
    "open lines": "\n".join,
    "list": lambda turns: f"[{','.join(turns)}]",
    "document": lambda turns: '{"model": "m", "messages": [\n ' + ",\n ".join(turns) + "\n], \"n\": 1.10}\n",
}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(deadline=None)
@given(before=TURNS, after=TURNS)
def test_what_differs_is_one_stretch(layout: str, encoding: str, before, after) -> None:
    old, new = (LAYOUTS[layout](turns).encode(encoding) for turns in (before, after))
    found = find_changed_span(parse_transcript(old, "test"), parse_transcript(new, "test"))
    assert old[: found.at] == new[: found.at]
    assert old[found.at + len(found.old) :] == new[found.at + len(found.new) :]
    assert old[: found.at] + found.old + old[found.at + len(found.old) :] == old
    undo = Undo("remove", "openai", (1, 1), 0, found.at, len(found.new), "", "")
    assert restore_content(undo, new, found.old) == old


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_message_that_went_is_a_stretch_of_its_own(layout: str) -> None:
    turns = [json.dumps({"role": "user", "content": f"word {number}"}) for number in range(4)]
    for gone in range(4):
        left = [turn for number, turn in enumerate(turns) if number != gone]
        old, new = LAYOUTS[layout](turns).encode(), LAYOUTS[layout](left).encode()
        found = find_changed_span(parse_transcript(old, "test"), parse_transcript(new, "test"))
        assert turns[gone] in found.old.decode()
        assert not any(turn in found.old.decode() for turn in left)
        assert found.new.strip() == b""


def test_a_record_is_read_as_it_was_written() -> None:
    undo = Undo("remove", "openai", (2, 3), 40, 7, 0, "ab" * 32, "cd" * 32, ({"message": 2, "ids": ["c\udce9"]},))
    found = parse_undo(undo.to_json())
    assert found == undo._replace(changes=({"message": 2, "ids": ["c?"]},))
    assert parse_undo(undo.to_json().replace(b'"version": 1', b'"version": 2')) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"kind":"ctxkit edit","version":1}', b"\xff", b"12"])
def test_anything_else_is_none(data: bytes) -> None:
    assert parse_undo(data) is None
