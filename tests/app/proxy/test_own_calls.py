"""Functions of the proxy in a request, and answers to calls of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.proxy.conditions import Boundaries, ClientRequest, Conditions, make_conditions
from ctxkit.app.proxy.own_calls import OwnFunctions, answer_own_call, change_tools, inject
from ctxkit.app.proxy.rewriting import RequestRewriter
from ctxkit.app.services import stores
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.proxy.model_apis import UpstreamFacts, find_api
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings, load
from tests.app.proxy.conversations import PATHS, Step, make_request

SEARCH = {"type": "function", "id": "s", "function": {"name": "tool_search", "arguments": '{"query": "x"}'}}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


@pytest.fixture
def conditions(settings: Settings) -> Conditions:
    request = CliRequest(window=8_192, tokenizer="qwen3")
    made = make_conditions((request,), settings, get_format("openai"))
    assert made is not None
    return made


def add(value: dict[str, Any], hidden: list[Any], conditions: Conditions, settings: Settings) -> tuple[OwnFunctions, list[str]]:
    """Return a request with functions, and the names of all its tools."""
    api = find_api("POST", PATHS["openai"])
    assert api is not None
    functions = inject(ClientRequest(api, "", json.dumps(value).encode(), value), hidden, conditions, settings)
    return functions, [tool["function"]["name"] for tool in json.loads(functions.body)["tools"]]


def test_definitions_above_the_threshold_leave_until_they_are_called_or_found(conditions: Conditions, settings: Settings) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tool_11", "arguments": "{}"}}
    messages: list[Any] = [{"role": "user", "content": "hi"}]
    tools = make_tools("openai", 12)
    functions, names = add({"messages": messages, "tools": tools}, [], conditions, settings)
    assert functions.names == ("read_result", "tool_search") == tuple(names[-2:])
    deferred = [tool["function"]["name"] for tool in json.loads(functions.deferred)]
    assert sorted([*names[:-2], *deferred]) == sorted(f"tool_{number}" for number in range(12))
    assert "tool_11" in deferred
    called = [*messages, {"role": "assistant", "content": None, "tool_calls": [call]}]
    assert "tool_11" in add({"messages": called, "tools": tools}, [], conditions, settings)[1]
    found = json.dumps(tools[10:11], indent=1)
    hidden = [
        {"role": "assistant", "content": None, "tool_calls": [SEARCH]},
        {"role": "tool", "tool_call_id": "s", "content": f"{found}\n\na note"},
    ]
    assert "tool_10" in add({"messages": messages, "tools": tools}, hidden, conditions, settings)[1]
    demand = {"type": "function", "function": {"name": "tool_9"}}
    assert "tool_9" in add({"messages": messages, "tools": tools, "tool_choice": demand}, [], conditions, settings)[1]


def test_few_definitions_stay_and_need_no_search(conditions: Conditions, settings: Settings) -> None:
    value = {"messages": [{"role": "user", "content": "hi"}], "tools": make_tools("openai", 1)}
    functions, names = add(value, [], conditions, settings)
    assert names == ["tool_0", "read_result"]
    assert functions.names == ("read_result",)
    assert functions.deferred == ""


def test_definitions_that_cannot_be_read_stay(
    conditions: Conditions, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    api = find_api("POST", PATHS["openai"])
    assert api is not None
    value = {"messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"parameters": {}}}, {}]}
    body = json.dumps(value).encode()
    assert change_tools(ClientRequest(api, "", body, value), [], conditions, settings) == OwnFunctions(body)
    assert change_tools(ClientRequest(api, "", body, value), None, conditions, settings) == OwnFunctions(body)
    assert "no functions are added" in capfd.readouterr().err


def test_calls_are_answered_within_the_cap(conditions: Conditions, settings: Settings) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 2_001))
    ref = store_content(stores.open_store(settings), [text.encode()], Label("x"))
    functions = OwnFunctions(b"", ("read_result", "tool_search"), json.dumps(make_tools("openai", 3)))

    def answer(name: str, arguments: Any) -> tuple[str, bool]:
        result = answer_own_call(RecordCall("c", name, arguments), functions, conditions, settings, 300)
        return result.text, result.is_error

    assert answer("read_result", {"ref_id": ref[:16], "lines": "5:6"}) == ("line 5\nline 6\n", False)
    page, _ = answer("read_result", {"ref_id": ref[:16], "lines": "1:2000"})
    assert conditions.count_options.count(page) <= 300
    assert "read_result(ref_id=" in page
    assert answer("read_result", {"ref_id": "0" * 16})[1]
    assert answer("read_result", "not an object")[1]
    assert answer("read_result", {})[1]
    found, _ = answer("tool_search", {"query": "tool 2"})
    assert len(json.loads(found)) >= 1
    assert answer_own_call(
        RecordCall("c", "tool_search", {"query": "x"}), OwnFunctions(b""), conditions, settings, 300
    ).is_error


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


def rewrite(api: str, request: dict[str, Any], settings: Settings, **members: Any) -> bytes:
    found = find_api("POST", PATHS[api])
    assert found is not None
    cli_request = CliRequest(**{"window": 8_192, "tokenizer": "qwen3", **members})
    rewriter = RequestRewriter(cli_request, settings, TurnOptions(), Boundaries(""))
    body = json.dumps(request).encode()
    return rewriter.rewrite(ClientRequest(found, PATHS[api], body), NO_FACTS).content or body


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
    content = rewriter.rewrite(ClientRequest(found, PATHS["anthropic"], before), NO_FACTS).content
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

    monkeypatch.setattr("ctxkit.app.proxy.own_calls.store_content", fail)
    request = {"tools": make_tools("openai", 12), **make_request("openai", [Step("Mend it.", (2,))])}
    assert json.loads(rewrite("openai", request, settings)) == request
    assert "no tool definitions are shortened" in capfd.readouterr().err
