"""A conversation that changes while it is read is read again; a long list is shortened."""

import json

import pytest

from ctxkit.app.calls import conversation as context_calls
from ctxkit.app.calls.conversation import compact_history
from ctxkit.app.calls.functions import CallContext
from ctxkit.app.services import engines, sessions, stores
from ctxkit.core.edit.numbered_conversation import NumberedConversation, number_messages
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import Session
from ctxkit.core.tools.builtin import CallError
from ctxkit.edge import conversations, settings
from ctxkit.edge.request import CliRequest


@pytest.fixture
def context(tmp_path, monkeypatch: pytest.MonkeyPatch) -> CallContext:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CTXKIT_CACHE_DIR", str(tmp_path / "cache"))
    config = settings.load()
    request = CliRequest(window=2048, tokenizer="bytes/3", session="s")
    session = Session("s", 2048, 0)
    sessions.ledger(config).add(session)
    reservation = SessionReservation(sessions.ledger(config), session, request.budget(config), pytest.fail)
    return CallContext(request, config, reservation)


def append(context: CallContext, number: int) -> None:
    lines = [json.dumps({"role": "user", "content": f"request {at}: {'word ' * 8}"}).encode() for at in range(number)]
    sessions.history(context.settings).append("s", lines)


def test_an_empty_conversation_is_said_to_be_empty(context: CallContext) -> None:
    with pytest.raises(CallError, match="the conversation of the session is empty"):
        context_calls.list_context({}, context)


def test_a_long_list_is_shortened_and_says_so(context: CallContext) -> None:
    append(context, 400)
    text = context_calls.list_context({}, context).content.decode()
    assert text.splitlines()[-1].endswith(" to 400 are not listed.")
    assert len(text) / 3 <= 1024


def test_a_history_that_never_rests_is_an_error(context: CallContext, monkeypatch: pytest.MonkeyPatch) -> None:
    append(context, 2)
    extents = iter(range(100))
    monkeypatch.setattr("ctxkit.engines.history.Histories.extent", lambda *_: HistoryExtent(2, next(extents)))
    monkeypatch.setattr("ctxkit.app.services.session_log.read_resumed", lambda *_: None)
    with pytest.raises(CallError, match="the conversation is being written"):
        context_calls.list_context({}, context)


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
def context_compaction(tmp_path, monkeypatch: pytest.MonkeyPatch) -> CallContext:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CTXKIT_CACHE_DIR", str(tmp_path / "cache"))
    config = settings.load()
    request = CliRequest(window=4096, tokenizer="bytes/3", session="s")
    session = Session("s", 4096, 0)
    sessions.ledger(config).add(session)
    return CallContext(request, config, SessionReservation(sessions.ledger(config), session, request.budget(config), pytest.fail))


def read(context_compaction: CallContext, turns: int) -> NumberedConversation:
    transcript = conversations.parse_conversation(make_messages(turns), "session s", None)
    return number_messages(transcript, engines.make_count_options(context_compaction.request, context_compaction.settings))


def test_what_is_removed_is_stored_under_the_name_of_the_session(context_compaction: CallContext) -> None:
    outcome = compact_history(read(context_compaction, 12), "s", context_compaction)
    assert outcome.result == "compacted"
    assert outcome.after.amount.tokens < outcome.before.amount.tokens
    store = stores.open_store(context_compaction.settings)
    assert outcome.stored
    for removal in outcome.stored:
        assert store.open(removal.ref).read(0, 1 << 20) == removal.data
    owners = {blob.ref: blob.label.session for blob in store.blobs()}
    assert {owners[removal.ref] for removal in outcome.stored} == {"s"}


def test_a_compaction_keeps_room_for_the_tokens_beside_the_messages(context_compaction: CallContext) -> None:
    conversation = read(context_compaction, 12)
    alone = compact_history(conversation, "s", context_compaction)
    assert context_compaction.reservation is not None
    used = conversation.total.tokens + 1_000
    reservation = context_compaction.reservation
    reservation.session = reservation.session._replace(used=used)
    beside = compact_history(conversation, "s", context_compaction)
    assert (alone.overhead, beside.overhead) == (0, 1_000)
    assert beside.after.amount.tokens <= alone.after.amount.tokens
