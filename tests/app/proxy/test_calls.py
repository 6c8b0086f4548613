"""Calls in a process of the pool; tests/commands/test_proxy.py has the same through the proxy."""

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest

from ctxkit.app.proxy.calls import HiddenTurns, ProxyCalls
from ctxkit.app.proxy.conditions import Boundaries, ClientRequest
from ctxkit.app.proxy.rewriting import RequestRewriter
from ctxkit.core.proxy.model_apis import UpstreamFacts, find_api
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load
from ctxkit.engines.server.request import CallFiles
from ctxkit.engines.server.worker_pool import WorkerPool
from tests.app.proxy.conversations import PATHS
from tests.app.proxy.test_own_calls import make_tools

REWRITE = {"work": "rewrite", "path": "/v1/chat/completions", "harder": False, "window": 0, "weights": "", "limits": {}}
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()


def run_call(tmp_path: Path, call: dict[str, Any], body: bytes, **members: Any) -> tuple[int, bytes, bytes]:
    """Return the status, stdout and stderr of a call."""
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    request = CliRequest(window=4_096, tokenizer="qwen3", **members)
    pool = WorkerPool(ProxyCalls(click.Group(), request, settings, TurnOptions()).answer, 1, 60.0)
    try:
        with closing(CallFiles(is_small=True)) as files:
            files.write_body(body)
            status = asyncio.run(pool.answer(call, files))
            return status, b"".join(files.read_output()), files.read_messages(1_000)
    finally:
        pool.end()


def test_a_request_that_needs_nothing_has_a_report_alone(tmp_path: Path) -> None:
    status, output, messages = run_call(tmp_path, REWRITE, BODY)
    report, _, content = output.partition(b"\n")
    assert (status, content, messages) == (0, b"", b"")
    assert json.loads(report)["window"] == 4_096


def test_a_warm_process_has_written_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    for request in (CliRequest(), CliRequest(window=4_096, tokenizer="qwen3")):
        ProxyCalls(click.Group(), request, settings, TurnOptions()).warm_up()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_masked_request_is_always_written(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for call, body in ((REWRITE, BODY), ({"work": "mask"}, secret.encode())):
        status, output, _ = run_call(tmp_path, call, body, redact=True)
        content = output.partition(b"\n")[2]
        assert status == 0
        assert content
        assert secret.encode() not in content


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        (b'{"choices": [{"message": {}}], "usage": {"prompt_tokens": 100, "completion_tokens": 5}}', 105),
        (b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}\n\ndata: [DONE]\n\n', 8),
        (b'{"model": "m", "message": {"role": "assistant", "content": "x"}, "done": true, "prompt_eval_count": 30, "eval_count": 2}', 32),
        (b"\x00not an answer", None),
        (b'{"choices": []}', None),
    ],
)  # fmt: skip
def test_the_usage_of_an_answer_is_found(tmp_path: Path, answer: bytes, used: int | None) -> None:
    status, output, _ = run_call(tmp_path, {"work": "record", "session": "proxy-1", "model": "m", "window": 4_096}, answer)
    assert status == 0
    assert json.loads(output)["used"] == used


def test_a_request_that_is_nested_too_deep_is_an_error(tmp_path: Path) -> None:
    body = b'{"messages": [{"role": "user", "content": ' + b"[" * 90_000 + b"]" * 90_000 + b"}]}"
    status, output, messages = run_call(tmp_path, REWRITE, body)
    assert (status, output.partition(b"\n")[2]) == (0, b"") or (status != 0 and messages)


FACTS = UpstreamFacts()
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": make_tools("openai", 1)}
BODY_HIDDEN_TURNS = json.dumps(REQUEST).encode()


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
    return turns.take(ClientRequest(api, PATHS["openai"], BODY_HIDDEN_TURNS), answer, FACTS, usage, left)


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
