"""A conversation that changes while it is read is read again; a long list is shortened."""

import json

import pytest

from ctxkit.app.calls import conversation as context_calls
from ctxkit.app.calls.conditions import CallContext
from ctxkit.app.services import sessions
from ctxkit.core.calls.function_call import CallError
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import Session
from ctxkit.edge import settings
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
    monkeypatch.setattr("ctxkit.app.services.resumption.read_resumed", lambda *_: None)
    with pytest.raises(CallError, match="the conversation is being written"):
        context_calls.list_context({}, context)
