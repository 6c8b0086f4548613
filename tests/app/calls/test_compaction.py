"""A compaction by force stores what it removes, with the name of the session, and keeps room for what is beside it."""

import json

import pytest

from ctxkit.app.calls.compaction import compact_history
from ctxkit.app.calls.conditions import CallContext
from ctxkit.app.services import engines, sessions, stores
from ctxkit.core.edit.numbered_conversation import NumberedConversation, number_messages
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import Session
from ctxkit.edge import conversations, settings
from ctxkit.edge.request import CliRequest


def make_messages(turns: int) -> bytes:
    """Return a conversation of turns, each with a call of a tool and a result of 600 bytes."""
    messages = []
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"request {turn}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"line {turn}\n" * 80},
            {"role": "assistant", "content": f"answer {turn}"},
        ]
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


@pytest.fixture
def context(tmp_path, monkeypatch: pytest.MonkeyPatch) -> CallContext:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CTXKIT_CACHE_DIR", str(tmp_path / "cache"))
    config = settings.load()
    request = CliRequest(window=4096, tokenizer="bytes/3", session="s")
    session = Session("s", 4096, 0)
    sessions.ledger(config).add(session)
    return CallContext(request, config, SessionReservation(sessions.ledger(config), session, request.budget(config), pytest.fail))


def read(context: CallContext, turns: int) -> NumberedConversation:
    transcript = conversations.parse_conversation(make_messages(turns), "session s", None)
    return number_messages(transcript, engines.make_count_options(context.request, context.settings))


def test_what_is_removed_is_stored_under_the_name_of_the_session(context: CallContext) -> None:
    outcome = compact_history(read(context, 12), "s", context)
    assert outcome.result == "compacted"
    assert outcome.after.amount.tokens < outcome.before.amount.tokens
    store = stores.open_store(context.settings)
    assert outcome.stored
    for removal in outcome.stored:
        assert store.open(removal.ref).read(0, 1 << 20) == removal.data
    owners = {blob.ref: blob.label.session for blob in store.blobs()}
    assert {owners[removal.ref] for removal in outcome.stored} == {"s"}


def test_a_compaction_keeps_room_for_the_tokens_beside_the_messages(context: CallContext) -> None:
    conversation = read(context, 12)
    alone = compact_history(conversation, "s", context)
    assert context.reservation is not None
    used = conversation.total.tokens + 1_000
    reservation = context.reservation
    reservation.session = reservation.session._replace(used=used)
    beside = compact_history(conversation, "s", context)
    assert (alone.overhead, beside.overhead) == (0, 1_000)
    assert beside.after.amount.tokens <= alone.after.amount.tokens
