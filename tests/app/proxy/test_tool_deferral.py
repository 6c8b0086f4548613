"""Tool definitions above the threshold, in the requests of a conversation that grows."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.proxy.boundaries import Boundaries
from ctxkit.app.proxy.rewriting import RequestRewriter
from ctxkit.app.services import stores
from ctxkit.core.proxy.model_apis import find_api
from ctxkit.core.proxy.upstream_window import UpstreamFacts
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings, load
from ctxkit.edge.turn_options import TurnOptions
from tests.app.proxy.conversations import PATHS, Step, make_request

PROSE = "Does a thing. " + "It has many sides, and each of them is described here. " * 12
SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "Path of it. " * 9}}, "required": ["path"]}
NO_FACTS = UpstreamFacts()


def make_tools(api: str, count: int) -> list[dict[str, Any]]:
    names = [f"tool_{number}" for number in range(count)]
    if api == "gemini":
        return [{"functionDeclarations": [{"name": name, "description": PROSE, "parameters": SCHEMA} for name in names]}]
    if api == "anthropic":
        return [{"name": name, "description": PROSE, "input_schema": SCHEMA} for name in names]
    functions = [{"name": name, "description": PROSE, "parameters": SCHEMA} for name in names]
    return [{"type": "function", **item} if api == "responses" else {"type": "function", "function": item} for item in functions]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def rewrite(api: str, request: dict[str, Any], settings: Settings, **members: Any) -> bytes:
    found = find_api("POST", PATHS[api])
    assert found is not None
    cli_request = CliRequest(**{"window": 8_192, "tokenizer": "qwen3", **members})
    rewriter = RequestRewriter(cli_request, settings, TurnOptions(), Boundaries(""))
    body = json.dumps(request).encode()
    return rewriter.rewrite(found, PATHS[api], body, NO_FACTS).content or body


@pytest.mark.slow
@pytest.mark.parametrize("api", sorted(PATHS))
def test_definitions_are_short_and_the_same_in_each_request(api: str, settings: Settings) -> None:
    tools = make_tools(api, 12)
    sent = []
    for count in (1, 2, 30):
        request = make_request(api, [Step("Mend it.", (20,)), *[Step("", (20,))] * count])
        sent.append(json.loads(rewrite(api, {"tools": tools, **request}, settings)))
    assert sent[0]["tools"] == sent[1]["tools"] == sent[2]["tools"]
    text = json.dumps(sent[0]["tools"])
    assert text.count("Does a thing. [The rest: ctxkit cache get ") == 12
    assert "many sides" not in text
    assert text.count('"required": ["path"]') == 12
    ref = text.partition("ctxkit cache get ")[2].split()[0]
    store = stores.open_store(settings)
    stored = store.open(next(blob.ref for blob in store.blobs() if blob.ref.startswith(ref)))
    assert stored.read(0, 30).startswith(b"tool_0\nDoes a thing.")


@pytest.mark.slow
def test_all_else_keeps_its_bytes(settings: Settings) -> None:
    request = {"model": "m", "tools": make_tools("anthropic", 12), "messages": [{"role": "user", "content": "hi"}], "x": 1.10}
    before = json.dumps(request, indent=2).encode()
    found = find_api("POST", PATHS["anthropic"])
    assert found is not None
    rewriter = RequestRewriter(CliRequest(window=8_192, tokenizer="qwen3"), settings, TurnOptions(), Boundaries(""))
    content = rewriter.rewrite(found, PATHS["anthropic"], before, NO_FACTS).content
    assert content.startswith(before[: before.index(b"[")])
    assert content.endswith(before[before.index(b'"messages"') :])


def test_definitions_below_the_threshold_stay(settings: Settings) -> None:
    request = {"tools": make_tools("openai", 12), **make_request("openai", [Step("Mend it.", (2,))])}
    assert json.loads(rewrite("openai", request, settings, window=200_000)) == request


@pytest.mark.slow
def test_definitions_stay_if_their_rest_could_not_be_read(settings: Settings) -> None:
    request = {"tools": make_tools("openai", 12), **make_request("openai", [Step("Mend it.", (2,))])}
    assert json.loads(rewrite("openai", request, settings, no_store=True)) == request


def test_the_hint_of_the_user_names_the_lines(settings: Settings) -> None:
    request = {"tools": make_tools("openai", 12), **make_request("openai", [Step("Mend it.", (2,))])}
    hint = "curl http://127.0.0.1:8900/ref/{ref}?lines={start}:{end}"
    assert b"[The rest: curl http://127.0.0.1:8900/ref/" in rewrite("openai", request, settings, hint=hint)


@pytest.mark.slow
def test_definitions_that_cannot_be_stored_stay_with_a_warning(
    settings: Settings, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ctxkit.app.proxy.tool_deferral.store_content", fail)
    request = {"tools": make_tools("openai", 12), **make_request("openai", [Step("Mend it.", (2,))])}
    assert json.loads(rewrite("openai", request, settings)) == request
    assert "no tool definitions are shortened" in capfd.readouterr().err
