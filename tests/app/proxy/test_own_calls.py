"""Functions of the proxy in a request, and answers to calls of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.proxy.conditions import Conditions, make_conditions
from ctxkit.app.proxy.own_calls import OwnFunctions, answer_own_call, change_tools, inject
from ctxkit.app.services import stores
from ctxkit.core.chat.model.record import RecordCall
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.proxy.model_apis import find_api
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings, load
from tests.app.proxy.conversations import PATHS
from tests.app.proxy.test_tool_deferral import make_tools

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
    functions = inject(api, json.dumps(value).encode(), value, hidden, conditions, settings)
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
    assert change_tools(api, body, value, [], conditions, settings) == OwnFunctions(body)
    assert change_tools(api, body, value, None, conditions, settings) == OwnFunctions(body)
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
