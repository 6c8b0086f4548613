import json

import pytest

from ctxkit.core.chat.reading.document_entries import (
    find_entry_list,
    get_value,
    make_several_error,
    read_document,
    read_elements,
    read_head,
)
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import UsageError

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
