import json

import pytest

from ctxkit.core.chat.reading.document_entries import find_entry_list, get_value, read_elements, read_head
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import UsageError

OPENAI = get_format("openai")
MESSAGE = {"role": "user", "content": "a"}


def test_the_list_of_entries_is_named_by_its_place() -> None:
    document = {"messages": [MESSAGE], "model": "m"}
    assert find_entry_list(OPENAI, document, "chat") == ("messages",)
    assert get_value(document, ("messages",)) == [MESSAGE]
    assert find_entry_list(OPENAI, MESSAGE, "chat") is None


def test_several_lists_of_entries_are_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="chat: "):
        find_entry_list(OPENAI, [{"messages": [MESSAGE]}, {"messages": [MESSAGE]}], "chat")


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
