"""Entries become records with their place; invalid ones are named with their line."""

import json

import pytest

from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import ArchivedMessages, ChatMessage, EntryLink, MessagePart, Record, UsageReceipt
from ctxkit.core.chat.reading.document_entries import (
    MAX_REUSED_TEXT,
    EntryReader,
    ParsedEntry,
    deduplicate_receipts,
    find_entry_list,
    get_value,
    make_several_error,
    mark_archived,
    mark_encrypted,
    read_document,
    read_elements,
    read_head,
)
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.text.positions import ValueRow

OPENAI = get_format("openai")
MESSAGE = {"role": "user", "content": "a"}
CLAUDE_CODE = get_format("claude-code")
LINE = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": MESSAGE}


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
    [([{"type": "mode"}, LINE], ()), ([LINE, None], ()), (LINE, None), ({"loglines": [LINE]}, ("loglines",)), ([], None), ([7], None)],
)
def test_a_list_of_lines_is_the_list_of_entries(value, place) -> None:
    assert find_entry_list(CLAUDE_CODE, value, "chat") == place


def test_a_list_that_contains_a_list_of_lines_is_several_conversations() -> None:
    for values in ([{"loglines": [LINE]}] * 2, [LINE, {"loglines": [LINE]}]):
        with pytest.raises(UsageError) as trouble:
            find_entry_list(CLAUDE_CODE, values, "chat")
        assert str(trouble.value) == str(make_several_error("chat")) == "chat: it contains several conversations, in one list"


def test_a_list_of_lines_is_read_by_its_elements() -> None:
    assert list(read_document(CLAUDE_CODE, [LINE, LINE])) == [*CLAUDE_CODE.read_entries(LINE)] * 2
    assert list(read_document(CLAUDE_CODE, {"loglines": [LINE]})) == [*CLAUDE_CODE.read_entries(LINE)]
    assert list(read_document(OPENAI, [MESSAGE])) == [*OPENAI.read_entries([MESSAGE])]
    with pytest.raises(ValueError, match="not a session entry"):
        list(read_document(CLAUDE_CODE, [LINE, 7]))


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
