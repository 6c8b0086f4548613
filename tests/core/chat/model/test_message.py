"""An entry says what it is."""

import json

from ctxkit.core.chat.model.message import EntryLink
from ctxkit.core.chat.reading.transcript import parse_transcript


def read(*lines):
    return parse_transcript("\n".join(json.dumps(line) for line in lines).encode(), "chat").records


def test_words_and_who_asks() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    result = {"type": "tool_result", "tool_use_id": "1", "content": "c"}
    talk = [
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": [result]},
        {"role": "user", "content": [result, {"type": "text", "text": "go on"}]},
        {"role": "user", "content": " "},
    ]
    records = read(*talk)
    assert [record.words for record in records] == ["do it", "a\nb", "", "go on", " "]
    assert [record.is_user_request for record in records] == [True, False, False, False, False]
    assert [len(record.messages) for record in records] == [1] * 5
    assert [record.link for record in records] == [None] * 5


def test_links() -> None:
    user = {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": "a"}}
    note = {"type": "system", "uuid": "2", "parentUuid": "1"}
    records = read(user, note, {"type": "mode", "mode": "plan"})
    assert [record.link for record in records] == [EntryLink("1", ""), EntryLink("2", "1"), None]
    assert [record.messages for record in records[1:]] == [(), ()]
