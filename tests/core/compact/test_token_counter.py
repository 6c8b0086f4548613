"""Sizes are those that ctxkit count gives, and each text is counted once."""

import pytest

from ctxkit.app.services import engines
from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.compact.token_counter import TokenCounter, make_token_counter
from ctxkit.core.count.content import count_content
from ctxkit.core.count.options import CountOptions
from tests.core.chat.talks import FORMATS, TIME, lines
from tests.core.compact.sizes import COUNT, O200K, balance, read, session


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_is_what_is_counted_elsewhere(name) -> None:
    transcript = session(name, 8)
    assert balance(transcript).count_transcript(transcript).amount == counted(transcript.encode(transcript.text)).amount


def counted(data: bytes):
    order = CountOptions(O200K, COUNT, engines.parse_json, is_named=False, input="chat")
    return count_content([data], "x", order)


NANOBOT = {"_type": "metadata", "key": "cli:s", "last_consolidated": 2}
CODEX = {"type": "session_meta", "payload": {"id": "s"}}
GEMINI = {"sessionId": "s", "projectHash": "p", "startTime": TIME, "lastUpdated": TIME, "kind": "main"}
COPILOT = {"type": "session.start", "data": {"sessionId": "s"}, "id": "0", "timestamp": TIME, "parentId": None}


def codex(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}}


def copilot(at, kind, **data):
    return {"type": kind, "data": data, "id": str(at), "timestamp": TIME, "parentId": str(at - 1)}


def claude_code(at, role, text, parent):
    message = {"role": role, "content": text}
    return {"parentUuid": parent, "uuid": str(at), "type": role, "sessionId": "s", "timestamp": TIME, "message": message}


@pytest.mark.parametrize(
    ("values", "messages"),
    [
        ([NANOBOT, *({"role": role, "content": f"{role} {at}"} for at, role in enumerate(["user", "assistant"] * 3))], 4),
        (
            [
                CODEX,
                *(codex(role, f"{role} {at}") for at, role in enumerate(["user", "assistant"] * 2)),
                {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
                codex("user", "again"),
            ],
            3,
        ),
        (
            [
                GEMINI,
                *({"id": str(at), "timestamp": TIME, "type": "user", "content": f"user {at}"} for at in range(4)),
                {"$rewindTo": "2"},
                {"id": "9", "timestamp": TIME, "type": "user", "content": "again"},
            ],
            3,
        ),
        (
            [
                COPILOT,
                *(copilot(at, "user.message", content=f"user {at}") for at in range(1, 5)),
                copilot(5, "session.snapshot_rewind", upToEventId="3"),
                copilot(6, "user.message", content="again"),
            ],
            3,
        ),
        (
            [
                claude_code(1, "user", "first", None),
                claude_code(2, "assistant", "answer", "1"),
                claude_code(3, "user", "second", "2"),
                claude_code(4, "user", "again", "2"),
            ],
            3,
        ),
    ],
    ids=["nanobot", "codex", "gemini-cli", "copilot", "claude-code"],
)
def test_archived_and_rewound_messages_count_as_elsewhere(values, messages) -> None:
    transcript = read(lines(values))
    total = balance(transcript).count_transcript(transcript)
    elsewhere = counted(transcript.encode(transcript.text))
    assert (total.messages, elsewhere.messages) == (messages, messages)
    assert total.amount == elsewhere.amount
    assert len(find_active_path(transcript)) == messages


def test_a_text_is_counted_once() -> None:
    seen = []

    def count(text):
        seen.append(text)
        return COUNT(text)

    transcript = session("openai", 8)
    scale = TokenCounter(O200K, count)
    for _ in range(3):
        scale.count_transcript(transcript)
        scale.count_records(transcript.records)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_decides_on_the_overhead_unless_a_model_is_named(name: str) -> None:
    transcript = session(name, 2)
    order = CountOptions(O200K, COUNT, engines.parse_json, is_named=False)
    nameless, named = (
        make_token_counter(options, transcript.format).count_transcript(transcript).amount
        for options in (order, order._replace(is_named=True))
    )
    assert nameless == balance(transcript).count_transcript(transcript).amount
    assert named == TokenCounter(O200K, COUNT).count_transcript(transcript).amount
