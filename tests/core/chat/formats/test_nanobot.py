"""Sessions of nanobot: metadata that counts the messages that are no longer sent, then OpenAI messages."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.formats import nanobot
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from tests.core.chat.talks import lines
from tests.core.chat.talks import nanobot as write_session
from tests.core.compact.sizes import compact, policy, working
from tests.example_counts import count_examples

HEAD = {"_type": "metadata", "key": "cli:s", "created_at": "t", "updated_at": "t", "metadata": {}, "last_consolidated": 0}
CALL = {"id": "c|fc", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
TALK = [
    {"role": "user", "content": "Look.", "timestamp": "t1"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "timestamp": "t2"},
    {"role": "tool", "tool_call_id": "c|fc", "name": "read_file", "content": "1| x", "timestamp": "t3"},
    {"role": "assistant", "content": "Done.", "timestamp": "t4"},
]


def read(*values):
    return parse_transcript(lines(values), "chat")


def test_the_metadata_is_a_head_and_the_rest_is_openais() -> None:
    found = read(HEAD, *TALK)
    assert found.format is nanobot
    assert [record.kind for record in found.records] == ["head", *["message"] * 4]
    assert find_active_path(found) == (1, 2, 3, 4)
    assert found.records[2].calls[0].id == found.records[3].results[0].id == "c|fc"
    assert find_breaches(found) == ()


@pytest.mark.parametrize(("count", "path"), [(0, (1, 2, 3, 4)), (3, (4,)), (4, ()), (9, ()), (-1, (1, 2, 3, 4)), ("2", (1, 2, 3, 4))])
def test_messages_that_went_to_the_memory_are_not_sent(count, path) -> None:
    found = read({**HEAD, "last_consolidated": count}, *TALK)
    assert find_active_path(found) == path
    assert [record.kind for record in found.records] == ["head" if record.at not in path else "message" for record in found.records]


@pytest.mark.parametrize(
    ("value", "is_session"),
    [
        (HEAD, True),
        ({"_type": "metadata", "key": "cli:s"}, True),
        ({"_type": "metadata", "created_at": "t"}, True),
        ({"_type": "metadata", "item": []}, False),
        ({"_type": "index", "key": "cli:s"}, False),
        (None, False),
    ],
)
def test_metadata_of_any_version_begins_a_session(value, is_session: bool) -> None:
    assert nanobot.is_format_of(value) is is_session
    assert (find_format([value]) is nanobot) is is_session


def test_new_messages_have_the_time_of_the_next() -> None:
    summary = {"role": "user", "content": "So far.", "timestamp": "t1"}
    assert nanobot.make_summary("So far.", "system", "0", None, TALK[0]) == (summary,)
    result = nanobot.make_result(RecordCall("c", "read_file"), "none")
    assert result == {"role": "tool", "tool_call_id": "c", "name": "read_file", "content": "none"}
    assert nanobot.attach_entry(result, "0", None, TALK[3]) == {**result, "timestamp": "t4"}
    assert nanobot.attach_entry(result, "0", None, None) == result


@pytest.mark.slow
@given(st.integers(0, 30), st.sampled_from([600, 1024, 2048]))
@settings(max_examples=count_examples(15), deadline=None)
def test_a_compaction_keeps_the_messages_that_the_metadata_counts(turns: int, window: int) -> None:
    plan, _ = working(24)
    head, *messages = write_session(plan)
    count = 2 * turns + 1 if turns else 0
    raws = lines([{**head, "last_consolidated": count}, *messages]).decode().splitlines()
    outcome = compact(parse_transcript("\n".join(raws).encode(), "chat"), policy(window), stores=False)
    after = outcome.content.decode().splitlines()
    assert after[: 1 + count] == raws[: 1 + count]
    found = parse_transcript(outcome.content, "chat")
    assert find_breaches(found) == ()
    if outcome.result == "compacted":
        assert len(find_active_path(found)) == outcome.after.messages
        assert all(json.loads(line)["role"] in ("user", "assistant", "tool") for line in after[1:])
