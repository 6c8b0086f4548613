"""A conversation is taken apart into entries that know where they stand, or it is said where it breaks."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import ArchivedMessages, ChatMessage, EntryLink, MessagePart, Record, UsageReceipt
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import (
    MAX_REUSED_TEXT,
    EntryReader,
    ParsedEntry,
    deduplicate_receipts,
    find_entry_list,
    get_value,
    make_several_error,
    mark_archived,
    mark_encrypted,
    parse_changed,
    parse_transcript,
    read_document,
    read_elements,
    read_head,
)
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.errors import CtxkitError, MalformedInputError, UsageError
from ctxkit.core.text.positions import ValueRow
from tests.core.chat.talks import FORMATS, Plan, plans
from tests.example_counts import count_examples

CORPORA = Path(os.environ.get("CTXKIT_CORPORA") or Path(__file__).parents[4] / ".." / "shared" / "corpora")
SESSIONS = sorted(path for path in CORPORA.glob("sessions/*/*") if path.is_file())
ASKED = {"role": "user", "content": "a"}
LINE = json.dumps(ASKED)
ENTRY = json.dumps({"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": ASKED})
LINE_FORMATS = ("claude-code", "codex", "copilot", "pi", "nanobot", "atif")


def read(text, **known):
    return parse_transcript(text.encode("utf-8", "surrogateescape"), "chat", **known)


@pytest.mark.parametrize(
    ("text", "syntax", "lines"),
    [
        (json.dumps([ASKED] * 2), "document", [1, 1]),
        (json.dumps({"messages": [ASKED] * 2}, indent=1), "document", [3, 7]),
        (LINE, "lines", [1]),
        (json.dumps(ASKED, indent=2), "lines", [1]),
        (f"\n\n{LINE}\n\n  {LINE}\r\n{LINE}", "lines", [3, 5, 6]),
        (f"\ufeff{LINE}\n{LINE}\n", "lines", [1, 2]),
        (f"{json.dumps(ASKED, indent=2)}\n{json.dumps(ASKED, indent=2)}\n", "lines", [1, 5]),
        (f"{LINE} {LINE}\n{LINE}", "lines", [1, 1, 2]),
        ("<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n", "marked", [1, 3]),
    ],
)
def test_entries_know_their_lines(text, syntax: str, lines) -> None:
    transcript = read(text)
    assert transcript.syntax == syntax
    assert [transcript.get_line(record) for record in transcript.records] == lines
    assert [record.at for record in transcript.records] == list(range(len(lines)))
    assert apply_change(transcript, Change()) == text


def test_what_stands_beside_the_messages_is_the_head() -> None:
    request = {"system": "Be brief.", "tools": [{"name": "ls", "input_schema": {}}], "messages": [ASKED]}
    transcript = read(json.dumps(request))
    assert [type(entry).__name__ for entry in transcript.head] == ["ConversationStart", "Toolset", "ChatMessage"]
    assert read(json.dumps([ASKED])).head == ()


def test_a_last_line_that_is_cut_off_stays_as_it_is() -> None:
    text = f"{LINE}\n{LINE}\n{LINE[:-3]}"
    transcript = read(text)
    assert transcript.bad == (3,)
    assert apply_change(transcript, Change()) == text


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f"{LINE}\n{LINE}\n{LINE[:-3]}\n{LINE}\n", 3, "it ends too early"),
        (f"{LINE}\n\n{LINE}x\n", 3, "something follows"),
        (f"{LINE}\n" * 3 + "{'role': 1}\n", 4, "property name"),
        (json.dumps([ASKED] * 3, indent=1)[:-30], 11, "a value was expected"),
        (json.dumps(ASKED, indent=1) + "\n}\n", 5, "a value was expected"),
        (f"oops\n{LINE}\n{LINE}\n", 1, "a value was expected"),
        ("[" * 100_000, None, "nested too deep"),
        (f"{LINE}\n" + "[" * 100_000, 2, "nested too deep"),
        ("plain words", 1, "a value was expected"),
    ],
)
def test_broken_content_is_named_with_its_line(text, line: int | None, reason: str) -> None:
    where = f"chat: line {line} is not JSON" if line else "chat: it is not JSON"
    with pytest.raises(MalformedInputError, match=f"{where}.*{reason}"):
        read(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [(f"{LINE}\n" + '{"text": "x"}\n', 2), (json.dumps([ASKED, {"role": "user"}, [1]], indent=1), 9), (f"{LINE}\n\n7\n", 3)],
)
def test_an_entry_that_is_none_is_named_with_its_line(text, line: int) -> None:
    with pytest.raises(MalformedInputError, match=f"chat: line {line}: not a message") as trouble:
        read(text, given_format=get_format("openai"))
    assert "openai" in trouble.value.hint


def test_what_is_nested_too_deep_to_be_written_again_is_named_with_its_line() -> None:
    deep = '{"role": "user", "content": [' + "[" * 499 + "]" * 499 + "]}"
    with pytest.raises(MalformedInputError, match="chat: line 2: it is nested too deep"):
        read(f"{LINE}\n{deep}\n")
    with pytest.raises(MalformedInputError, match="chat: line 2: it is nested too deep"):
        read(f"[{LINE},\n{deep}]")
    assert read(f"{LINE}\n{deep}\n", skip_bad=True).bad == (2,)
    flat = '{"role": "user", "content": ' + json.dumps([[]] * 999) + "}"
    assert len(read(f"{LINE}\n{flat}\n").records) == 2
    assert len(read(deep.replace("[[[", "[", 1).replace("]]]", "]", 1)).records) == 1


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff\n"])
def test_nothing_is_no_conversation(text: str) -> None:
    with pytest.raises(MalformedInputError, match="chat: it is empty"):
        read(text)


@pytest.mark.parametrize("text", ["{}", "[]", '{"a": 1}\n{"a": 2}\n', "7", '"x"', '{"messages": []}'])
def test_json_of_another_kind_is_no_conversation(text: str) -> None:
    with pytest.raises(MalformedInputError, match="no conversation is recognized"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        *(f'{{"messages": [{LINE}]}}\n' * 2, f'[{{"messages": [{LINE}]}}, {{"messages": [{LINE}]}}]', f"[{LINE}]\n" * 2),
        *(f'[{{"loglines": [{ENTRY}]}}, {{"loglines": [{ENTRY}]}}]', f"[[{ENTRY}], [{ENTRY}]]", f"[{ENTRY}]\n" * 2),
    ],
)
def test_several_conversations_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="several conversations"):
        read(text)


@pytest.mark.parametrize("name", LINE_FORMATS)
@given(plan=plans, indent=st.sampled_from([None, 2]), drop=st.integers(0, 3))
@settings(max_examples=count_examples(15), deadline=None)
def test_a_list_of_lines_is_the_conversation_of_these_lines(name: str, plan: Plan, indent: int | None, drop: int) -> None:
    entries = FORMATS[name][0](plan)
    entries[0] |= {"last_consolidated": 1} if name == "nanobot" else {}
    lines, listed = read("".join(f"{json.dumps(entry)}\n" for entry in entries)), read(json.dumps(entries, indent=indent))
    assert (listed.format, listed.syntax) == (lines.format, "document")
    assert name == listed.format.NAME
    places = {"start": 0, "end": 0, "line": 0}
    assert [record._replace(**places) for record in listed.records] == [record._replace(**places) for record in lines.records]
    assert find_active_path(listed) == find_active_path(lines)
    shorter = apply_change(listed, Change(frozenset({drop}), {}, {len(entries): [entries[-1]]}))
    assert json.loads(shorter) == [*entries[:drop], *entries[drop + 1 :], entries[-1]]
    assert all(listed.get_raw(record) in shorter for record in listed.records if record.at != drop)


def test_an_element_of_a_list_of_lines_that_is_no_entry_is_named_with_its_line() -> None:
    with pytest.raises(MalformedInputError, match="chat: line 3: not a session entry"):
        read(f"[{ENTRY},\n{ENTRY},\n7]")


def test_an_empty_conversation_can_be_named_and_filled() -> None:
    transcript = read('{"messages": []}', given_format=get_format("openai"))
    assert transcript.records == ()
    assert apply_change(transcript, Change(inserted={0: [ASKED]})) == '{"messages": [{"role":"user","content":"a"}]}'


def test_bad_lines_are_kept_where_that_is_asked_for() -> None:
    text = f'{LINE}\n{{"role": "us\n\x00\x00\x00\n{LINE}\n{{"text": 1}}\n{LINE}'
    transcript = read(text, skip_bad=True)
    assert transcript.bad == (2, 3, 5)
    assert [record.kind for record in transcript.records] == ["message", "bad", "bad", "message", "bad", "message"]
    assert apply_change(transcript, Change()) == text
    assert apply_change(transcript, Change(frozenset({1, 3}))) == f'{LINE}\n\x00\x00\x00\n{{"text": 1}}\n{LINE}'
    assert find_active_path(transcript) == (0, 3, 5)


def test_a_first_line_that_is_bad_does_not_hide_the_others() -> None:
    assert read(f"oops\n{LINE}\n{LINE}\n", skip_bad=True).bad == (1,)
    assert read(f"{LINE}{LINE}\n{LINE}\n", skip_bad=True).bad == ()
    assert read(f"{LINE}{LINE}\n{LINE}\noops", skip_bad=True).bad == (1, 3)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_stays_as_it_is(encoding: str) -> None:
    data = f"\ufeff{LINE}\r\n{LINE}".encode(encoding)
    transcript = parse_transcript(data, "chat")
    assert transcript.encode(apply_change(transcript, Change())) == data
    with pytest.raises(MalformedInputError, match="inside a character"):
        parse_transcript(data + b"\x00", "chat")


@pytest.mark.slow
def test_many_lines_take_no_time() -> None:
    text = f"{LINE}\n\n\n" * 30_000
    transcript = read(text)
    assert transcript.records[-1].line == 3 * 29_999 + 1
    assert len(read("\n" * 200_000 + LINE).records) == 1


@pytest.mark.quick_cases(33)
@pytest.mark.skipif(not SESSIONS, reason="there are no corpora")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[-60:])
def test_sessions_stay_byte_for_byte(path) -> None:
    data = path.read_bytes()
    try:
        transcript = parse_transcript(data, path.name, skip_bad=True)
    except CtxkitError:
        pytest.skip("it holds no conversation, or several")
    assert transcript.encode(apply_change(transcript, Change())) == data
    dropped = frozenset(range(0, len(transcript.records), 3))
    stay = [record for record in transcript.records if record.at not in dropped]
    text = apply_change(transcript, Change(dropped))
    again = parse_transcript(transcript.encode(text), path.name, transcript.format, skip_bad=True)
    assert [again.get_raw(record) for record in again.records] == [transcript.get_raw(record) for record in stay]
    assert [record.value for record in again.records] == [record.value for record in stay]


ANSWERED = {"type": "function_call_output", "call_id": "far", "output": "x"}
BOTH = [{"type": "function_call", "call_id": "near", "name": "f", "arguments": "{}"}, {**ANSWERED, "call_id": "near"}]


@pytest.mark.parametrize(
    "request_",
    [
        {"model": "m", "previous_response_id": "r", "input": [ANSWERED, *BOTH]},
        {"model": "m", "conversation": "c", "input": [ANSWERED, *BOTH]},
        {"model": "m", "conversation": {"id": "c"}, "input": [ANSWERED, *BOTH]},
        {"model": "m", "input": [ANSWERED, *BOTH, {"type": "item_reference", "id": "i"}]},
        [ANSWERED, *BOTH, {"type": "item_reference", "id": "i"}],
    ],
)
def test_results_of_calls_that_the_provider_keeps_are_its_own_and_break_nothing(request_) -> None:
    found = parse_transcript(json.dumps(request_).encode(), "chat")
    assert [record.encrypted for record in found.records][:3] == [True, False, False]
    assert find_breaches(found) == ()


def test_results_of_calls_that_nobody_keeps_are_orphans() -> None:
    found = parse_transcript(json.dumps({"model": "m", "input": [ANSWERED, *BOTH]}).encode(), "chat")
    assert [breach.rule for breach in find_breaches(found)] == ["orphan"]


@pytest.mark.parametrize("name", ["claude-code", "qwen-code", "codex", "pi", "chatml"])
def test_a_format_that_nothing_is_of_is_refused(name: str) -> None:
    with pytest.raises(MalformedInputError) as trouble:
        read(f"{LINE}\n{LINE}\n", given_format=get_format(name))
    assert str(trouble.value) == f"chat: it contains nothing in the format {name}"
    assert "--format" in trouble.value.hint


def test_a_format_that_is_told_may_have_nothing_but_a_head() -> None:
    head = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/w"}
    assert len(read(json.dumps(head), given_format=get_format("pi")).records) == 1
    assert read("[]", given_format=get_format("openai")).records == ()


@pytest.mark.parametrize("wrap", [lambda chat: chat, lambda chat: {"messages": chat}])
def test_the_values_of_a_conversation_are_in_memory_once(wrap) -> None:
    data = json.dumps(wrap([{"role": "user", "content": "a" * 100_000}] * 40)).encode()
    tracemalloc.start()
    try:
        assert len(parse_transcript(data, "chat").records) == 40
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.5 * len(data)  # the text and one copy of its values


def test_a_changed_conversation_parses_only_what_is_new() -> None:
    before = read("".join(f"{json.dumps({'role': 'user', 'content': name})}\n" for name in "abc"))
    text = apply_change(before, Change(frozenset({0}), {}, {3: [ASKED | {"content": "d"}]}))
    after = parse_changed(before.encode(text), "chat", before)
    assert after.records == parse_transcript(before.encode(text), "chat").records
    assert [record.words for record in after.records] == ["b", "c", "d"]
    assert after.records[0].entries is before.records[1].entries


def test_a_changed_conversation_keeps_its_invalid_lines() -> None:
    before = read(f"{LINE}\n{{\n{LINE}\n", skip_bad=True)
    after = parse_changed(before.encode(before.text), "chat", before)
    assert after.bad == before.bad == (2,)


OPENAI = get_format("openai")
MESSAGE = {"role": "user", "content": "a"}
CLAUDE_CODE = get_format("claude-code")
SESSION_LINE = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": MESSAGE}


def test_the_list_of_entries_is_named_by_its_place() -> None:
    document = {"messages": [MESSAGE], "model": "m"}
    assert find_entry_list(OPENAI, document, "chat") == ("messages",)
    assert get_value(document, ("messages",)) == [MESSAGE]
    assert find_entry_list(OPENAI, MESSAGE, "chat") is None


def test_several_lists_of_entries_are_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="chat: "):
        find_entry_list(OPENAI, [{"messages": [MESSAGE]}, {"messages": [MESSAGE]}], "chat")


@pytest.mark.parametrize(
    ("value", "place"),
    [([{"type": "mode"}, SESSION_LINE], ()), ([SESSION_LINE, None], ()), (SESSION_LINE, None), ({"loglines": [SESSION_LINE]}, ("loglines",)), ([], None), ([7], None)],
)
def test_a_list_of_lines_is_the_list_of_entries(value, place) -> None:
    assert find_entry_list(CLAUDE_CODE, value, "chat") == place


def test_a_list_that_contains_a_list_of_lines_is_several_conversations() -> None:
    for values in ([{"loglines": [SESSION_LINE]}] * 2, [SESSION_LINE, {"loglines": [SESSION_LINE]}]):
        with pytest.raises(UsageError) as trouble:
            find_entry_list(CLAUDE_CODE, values, "chat")
        assert str(trouble.value) == str(make_several_error("chat")) == "chat: it contains several conversations, in one list"


def test_a_list_of_lines_is_read_by_its_elements() -> None:
    assert list(read_document(CLAUDE_CODE, [SESSION_LINE, SESSION_LINE])) == [*CLAUDE_CODE.read_entries(SESSION_LINE)] * 2
    assert list(read_document(CLAUDE_CODE, {"loglines": [SESSION_LINE]})) == [*CLAUDE_CODE.read_entries(SESSION_LINE)]
    assert list(read_document(OPENAI, [MESSAGE])) == [*OPENAI.read_entries([MESSAGE])]
    with pytest.raises(ValueError, match="not a session entry"):
        list(read_document(CLAUDE_CODE, [SESSION_LINE, 7]))


def test_elements_have_the_span_and_the_line_of_their_text() -> None:
    text = json.dumps({"messages": [MESSAGE, MESSAGE]}, indent=1)
    rows = list(read_elements(text, text.index("[")))
    assert [row.line for row in rows] == [3, 7]
    assert [json.loads(text[row.start : row.end]) for row in rows] == [MESSAGE, MESSAGE] == [row.value for row in rows]


def test_the_head_is_what_the_document_has_beside_its_entries() -> None:
    document = {"system": "Be brief.", "tools": [{"name": "ls", "input_schema": {}}], "messages": [MESSAGE]}
    entries = read_head(get_format("anthropic"), document, ("messages",))
    assert [type(entry).__name__ for entry in entries] == ["ConversationStart", "Toolset", "ChatMessage"]
    assert document["messages"] == [MESSAGE]
    assert read_head(OPENAI, [MESSAGE], ()) == ()


TEXT = '{"role": "user", "content": "Go."}'
ROW = ValueRow(0, len(TEXT), 7, {"role": "user", "content": "Go."})


def test_an_entry_has_its_place_and_its_line() -> None:
    record = EntryReader(TEXT, openai, "chat").read(3, ROW)
    assert (record.at, record.start, record.end, record.line) == (3, 0, len(TEXT), 7)
    assert (record.role, record.words) == ("user", "Go.")


def test_an_invalid_entry_is_named_or_kept() -> None:
    row = ROW._replace(value={"content": "Go."})
    with pytest.raises(MalformedInputError, match="chat: line 7: "):
        EntryReader(TEXT, openai, "chat").read(0, row)
    assert EntryReader(TEXT, openai, "chat", skip_bad=True).read(0, row).kind == "bad"


def test_an_entry_with_the_text_of_another_is_not_parsed_again() -> None:
    parsed_entries: dict[str, ParsedEntry] = {}
    first = EntryReader(TEXT, openai, "chat", parsed_entries=parsed_entries).read(0, ROW)
    text = f"{TEXT}\n{TEXT}"
    again = EntryReader(text, openai, "chat", False, parsed_entries).read(5, ROW._replace(start=len(TEXT) + 1, end=len(text), line=9))
    assert again.entries is first.entries
    assert again == first._replace(at=5, start=len(TEXT) + 1, end=len(text), line=9)


def test_only_short_entries_are_remembered() -> None:
    parsed_entries: dict[str, ParsedEntry] = {}
    value = {"role": "user", "content": "x" * MAX_REUSED_TEXT}
    text = json.dumps(value)
    EntryReader(text, openai, "chat", parsed_entries=parsed_entries).read(0, ValueRow(0, len(text), 1, value))
    assert not parsed_entries


def test_the_last_part_of_a_response_keeps_the_receipt() -> None:
    receipt = UsageReceipt(10, 2)
    parts = [Record(at, 0, 0, {}, "assistant", receipt=receipt, entries=(EntryLink("x", "", "g"),)) for at in range(3)]
    assert [record.receipt is not None for record in deduplicate_receipts(parts)] == [False, False, True]


def test_only_what_the_provider_stores_is_encrypted() -> None:
    records = [EntryReader(TEXT, openai, "chat").read(0, ROW)]
    assert list(mark_encrypted(openai, records)) == records


def test_archived_messages_are_heads_without_entries_and_count_once() -> None:
    message = ChatMessage("user", (MessagePart("text", "Go."),))
    head = Record(0, 0, 1, {}, kind="head", entries=(ArchivedMessages(2),))
    note = Record(1, 2, 3, {}, kind="note", line=2)
    talk = [Record(at, 2 * at, 2 * at + 1, {}, "user", entries=(message,), line=at + 1) for at in (2, 3, 4)]
    gone = [Record(at, 2 * at, 2 * at + 1, {}, kind="head", line=at + 1) for at in (2, 3)]
    assert list(mark_archived([head, note, *talk])) == [head._replace(entries=()), note, *gone, talk[2]]
    assert list(mark_archived([note, *talk])) == [note, *talk]
