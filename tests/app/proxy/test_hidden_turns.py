"""Hidden turns without a server; tests/commands/test_proxy_inject.py has them in all APIs."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.proxy.boundaries import Boundaries
from ctxkit.app.proxy.hidden_turns import HiddenTurns
from ctxkit.app.proxy.rewriting import RequestRewriter
from ctxkit.core.proxy.model_apis import find_api
from ctxkit.core.proxy.upstream_window import UpstreamFacts
from ctxkit.edge.prompt_options import TurnOptions
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load
from tests.app.proxy.conversations import PATHS
from tests.app.proxy.test_own_calls import make_tools

FACTS = UpstreamFacts()
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": make_tools("openai", 1)}
BODY = json.dumps(REQUEST).encode()


@pytest.fixture
def turns(tmp_path: Path) -> HiddenTurns:
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    boundaries = Boundaries("")
    request = CliRequest(window=8_192, tokenizer="qwen3")
    return HiddenTurns(RequestRewriter(request, settings, TurnOptions(), boundaries, injects=True), boundaries)


def make_answer(*names: str) -> dict[str, Any]:
    calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in names]
    message = {"role": "assistant", "content": "It is." if not names else None, **({"tool_calls": calls} if names else {})}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7}}


def take(turns: HiddenTurns, answer: bytes, usage: Any = None, left: int = 3) -> Any:
    api = find_api("POST", PATHS["openai"])
    assert api is not None
    return turns.take(api, PATHS["openai"], BODY, answer, FACTS, usage, left)


@pytest.mark.parametrize("answer", [b"", b"[]", b"not JSON", b'{"error": {"message": "no"}}', json.dumps(make_answer()).encode()])
def test_an_answer_without_calls_stays(turns: HiddenTurns, answer: bytes) -> None:
    turn = take(turns, answer)
    assert (turn.rewrite, turn.answer) == (None, b"")


def test_a_call_is_followed_by_a_request_with_its_result(turns: HiddenTurns) -> None:
    turn = take(turns, json.dumps(make_answer("read_result")).encode())
    messages = json.loads(turn.rewrite.content)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert "ref_id is missing" in messages[2]["content"]
    assert turn.usage == {"prompt_tokens": 7}
    again = take(turns, json.dumps(make_answer("read_result")).encode(), turn.usage, 1)
    assert len(json.loads(again.rewrite.content)["messages"]) == 5
    assert "the last call" in again.rewrite.content.decode()
    last = take(turns, json.dumps(make_answer("read_result")).encode(), again.usage, 0)
    assert last.rewrite is None
    assert json.loads(last.answer) == {**make_answer("read_result"), "usage": {"prompt_tokens": 21}}


def test_calls_of_the_client_alone_are_passed_on(turns: HiddenTurns) -> None:
    assert take(turns, json.dumps(make_answer("tool_0")).encode()).rewrite is None
