"""ctxkit proxy --inject: functions of the proxy, whose calls it answers itself."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from tests.app.proxy.conversations import PATHS, Step, make_request
from tests.proxies import Handler, ModelServer, RunningProxy, SentRequest, run_proxy

APIS = ("openai", "responses", "anthropic", "gemini")
MEMBERS = {"openai": "messages", "anthropic": "messages", "responses": "input", "gemini": "contents"}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "Path of it. " * 9}}, "required": ["path"]}
PROSE = "Creates a thing of one kind. " + "It has many sides, and each of them is described here. " * 12

pytestmark = pytest.mark.slow


def make_tools(api: str, names: list[str]) -> list[dict[str, Any]]:
    functions = [{"name": name, "description": f"{name}: {PROSE}", "parameters": SCHEMA} for name in names]
    if api == "gemini":
        return [{"functionDeclarations": functions}]
    if api == "anthropic":
        return [{"name": item["name"], "description": item["description"], "input_schema": SCHEMA} for item in functions]
    return [{"type": "function", **item} if api == "responses" else {"type": "function", "function": item} for item in functions]


def make_answer(api: str, words: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of an API, which says or calls something."""
    if api == "openai":
        listed = [
            {"id": f"own_{name}_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for number, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": words or None, **({"tool_calls": listed} if listed else {})}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 50}}
        return {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}
    if api == "responses":
        items: list[Any] = [
            {"type": "function_call", "id": f"fc_{number}", "status": "completed", "call_id": f"own_{number}", "name": name, "arguments": json.dumps(arguments)}
            for number, (name, arguments) in enumerate(calls)
        ]
        text = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": words, "annotations": []}]}
        return {"id": "r", "object": "response", "status": "completed", "output": [*([text] if words else []), *items], "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}}
    if api == "anthropic":
        thinking = [{"type": "thinking", "thinking": "hm", "signature": "sig"}]
        blocks = [{"type": "tool_use", "id": f"own_{number}", "name": name, "input": arguments} for number, (name, arguments) in enumerate(calls)]
        content = [*thinking, *([{"type": "text", "text": words}] if words else []), *blocks]
        usage = {"input_tokens": 100, "output_tokens": 10, "service_tier": "standard"}
        return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use" if calls else "end_turn", "usage": usage}
    parts = [*([{"text": words}] if words else []), *({"functionCall": {"name": name, "args": arguments}} for name, arguments in calls)]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}}


@pytest.fixture(scope="module")
def proxy(ctxkit: str, user: dict[str, str], model: ModelServer) -> Iterator[RunningProxy]:
    with run_proxy(ctxkit, user, model.url, "--window", "16384", "--tokenizer", "qwen3", "--inject") as running:
        yield running


def answer_in_turn(sent: ModelServer, *answers: Any) -> None:
    """Let the model give answers one after another, the last one for ever."""

    def answer(handler: Handler, request: SentRequest) -> None:
        value = answers[min(len(sent.requests), len(answers)) - 1]
        value = value(request) if callable(value) else value
        handler.send(*(value if isinstance(value, tuple) else (200, value)))

    sent.answer = answer


def check(api: str, content: bytes) -> None:
    """Check that a request is valid."""
    transcript = parse_transcript(content, "sent", get_format(api))
    assert not find_breaches(transcript, find_active_path(transcript))


def read_usage(api: str, answer: dict[str, Any]) -> tuple[int, int]:
    usage = answer["usageMetadata"] if api == "gemini" else answer["usage"]
    names = {"openai": ("prompt_tokens", "completion_tokens"), "gemini": ("promptTokenCount", "candidatesTokenCount")}
    first, second = names.get(api, ("input_tokens", "output_tokens"))
    return usage[first], usage[second]


@pytest.mark.parametrize("api", APIS)
def test_a_model_reads_a_stored_result_in_a_hidden_turn(api: str, proxy: RunningProxy, sent: ModelServer) -> None:
    request = make_request(api, [Step(f"Find line 900 with {api}.", (2_000,))])
    request = {"tools": make_tools(api, ["read"]), **request}

    def read(sent_request: SentRequest) -> Any:
        text = sent_request.body.decode()
        assert "read_result" in text
        assert "ctxkit cache get" not in text
        ref = text.partition("ref_id=")[2].strip('\\"')[:16]
        return make_answer(api, "", ("read_result", {"ref_id": ref, "lines": "900:901"}))

    final = make_answer(api, "It is there.")
    answer_in_turn(sent, read, final)
    reply = proxy.chat(request, PATHS[api])
    answer = json.loads(reply.body)
    assert reply.status == 200
    assert read_usage(api, answer) == (200, 20)
    names = ("usage", "usageMetadata")
    assert {key: value for key, value in answer.items() if key not in names} == {key: value for key, value in final.items() if key not in names}
    first, second = sent.requests
    check(api, second.body)
    assert b"line 899 of step 0: value" in second.body
    assert b"line 899 of step 0" not in first.body
    known = first.value[MEMBERS[api]]
    assert second.value == {**first.value, MEMBERS[api]: [*known, *second.value[MEMBERS[api]][len(known) :]]}

    messages = request[MEMBERS[api]]
    spoken = {
        "openai": [{"role": "assistant", "content": "It is there."}, {"role": "user", "content": "Go on."}],
        "anthropic": [{"role": "assistant", "content": "It is there."}, {"role": "user", "content": "Go on."}],
        "responses": [{"role": "assistant", "content": "It is there."}, {"role": "user", "content": "Go on."}],
        "gemini": [{"role": "model", "parts": [{"text": "It is there."}]}, {"role": "user", "parts": [{"text": "Go on."}]}],
    }[api]
    proxy.chat({**request, MEMBERS[api]: [*messages, *spoken]}, PATHS[api])
    third = sent.requests[-1].body
    check(api, third)
    assert third.startswith(second.body.removesuffix(b"]}"))
    assert len(sent.requests) == 3


@pytest.mark.parametrize("api", APIS)
def test_a_model_finds_a_deferred_tool(api: str, proxy: RunningProxy, sent: ModelServer) -> None:
    names = ["read", *(f"create_{noun}" for noun in ("issue", "branch", "tree", "cup", "car", "ship", "song", "hat", "lamp", "door", "book", "coat"))]
    request = make_request(api, [Step(f"Create a branch with {api}.")])
    if api == "openai":
        request["messages"] = request["messages"][:2]
    request = {"tools": make_tools(api, names), **request}

    def get_names(request: SentRequest) -> list[str]:
        tools = request.value["tools"]
        listed = tools[0]["functionDeclarations"] if api == "gemini" else tools
        return [item["function"]["name"] if api == "openai" else item["name"] for item in listed]

    def search(request: SentRequest) -> Any:
        (deferred, *_) = [name for name in names if name not in get_names(request)]
        return make_answer(api, "", ("tool_search", {"query": deferred}))

    def call(request: SentRequest) -> Any:
        return make_answer(api, "", (find_deferred(), {"path": "x"}))

    def find_deferred() -> str:
        return next(name for name in names if name not in get_names(sent.requests[0]))

    answer_in_turn(sent, search, call)
    reply = proxy.chat(request, PATHS[api])
    assert reply.status == 200
    assert read_usage(api, json.loads(reply.body)) == (200, 20)
    first, second = sent.requests
    found = find_deferred()
    assert get_names(first)[-2:] == ["read_result", "tool_search"]
    assert found in get_names(second)
    assert found in reply.body.decode()
    assert len(get_names(second)) < len(names) + 2
    assert "tools deferred to save context" in first.body.decode()
    check(api, second.body)


def test_streams_and_requests_without_tools_get_no_functions(proxy: RunningProxy, sent: ModelServer) -> None:
    for members in ({"stream": True, "tools": make_tools("openai", ["read"])}, {}):
        body = json.dumps({**make_request("openai", [Step("Hello.")]), **members}).encode()
        assert proxy.ask("/v1/chat/completions", body).status == 200
        assert sent.requests[-1].body == body


def test_calls_of_the_client_beside_those_of_the_proxy_wait(proxy: RunningProxy, sent: ModelServer) -> None:
    both = make_answer("openai", "", ("read_result", {"ref_id": "0" * 16}), ("read", {"path": "a"}))
    final = make_answer("openai", "", ("read", {"path": "a"}))
    answer_in_turn(sent, both, final)
    request = {**make_request("openai", [Step("Read two.", (3,))]), "tools": make_tools("openai", ["read"])}
    answer = json.loads(proxy.chat(request).body)
    assert answer["choices"][0]["message"] == final["choices"][0]["message"]
    results = sent.requests[1].value["messages"][-2:]
    assert "nothing is stored as" in results[0]["content"]
    assert "Not run" in results[1]["content"]


def test_a_summary_names_the_function_that_reads_the_messages(proxy: RunningProxy, sent: ModelServer) -> None:
    steps = [Step("Read them all.", (30,)), *(Step("", (90,)) for _ in range(24))]
    request = {**make_request("openai", steps), "tools": make_tools("openai", ["read"])}
    assert proxy.chat(request).status == 200
    (sent_request,) = sent.requests
    text = sent_request.body.decode()
    assert "[ctxkit summary]" in text
    assert "To read these messages: read_result with ref_id=" in text
    assert "ctxkit cache get" not in text


def test_hidden_turns_have_an_end(proxy: RunningProxy, sent: ModelServer) -> None:
    call = make_answer("openai", "", ("read_result", {"ref_id": "0" * 16}))
    answer_in_turn(sent, call)
    request = {**make_request("openai", [Step("Read for ever.", (3,))]), "tools": make_tools("openai", ["read"])}
    answer = json.loads(proxy.chat(request).body)
    assert len(sent.requests) == 9
    assert answer["choices"] == call["choices"]
    assert answer["usage"]["prompt_tokens"] == 900
    assert answer["usage"]["prompt_tokens_details"]["cached_tokens"] == 450
    assert "the last call that is answered now" in sent.requests[-1].body.decode()
    assert sent.requests[-2].body.decode().count("the last call that is answered now") == 0


def test_an_error_in_a_hidden_turn_is_passed_on_and_nothing_is_lost(proxy: RunningProxy, sent: ModelServer) -> None:
    call = make_answer("openai", "", ("read_result", {"ref_id": "1" * 16}))
    answer_in_turn(sent, call, (429, {"error": {"message": "slow down"}}), make_answer("openai", "Done."))
    request = {**make_request("openai", [Step("Read slowly.", (3,))]), "tools": make_tools("openai", ["read"])}
    reply = proxy.chat(request)
    assert (reply.status, json.loads(reply.body)["error"]["message"]) == (429, "slow down")
    reply = proxy.chat(request)
    assert json.loads(reply.body)["choices"][0]["message"]["content"] == "Done."
    assert sent.requests[2].body == sent.requests[1].body


def test_the_ledger_has_the_size_of_the_last_request(ctxkit: str, user: dict[str, str], proxy: RunningProxy, sent: ModelServer) -> None:
    answer_in_turn(sent, make_answer("openai", "", ("read_result", {"ref_id": "2" * 16})), make_answer("openai", "Done."))
    request = {**make_request("openai", [Step("Read for the ledger.", (3,))]), "tools": make_tools("openai", ["read"])}
    assert proxy.chat(request).status == 200
    got = subprocess.run([ctxkit, "session", "list", "--json"], env=user, capture_output=True, text=True, check=True)
    used = {session["used"] for session in map(json.loads, got.stdout.splitlines())}
    assert 110 in used
    assert 220 not in used
    metrics = proxy.ask("/metrics", method="GET").body.decode()
    assert 'ctxkit_proxy_steps_total{step="hidden_turn"}' in metrics


@pytest.mark.parametrize("how", [("--no-store",)])
def test_without_a_store_there_is_nothing_to_read(ctxkit: str, user: dict[str, str], sent: ModelServer, how: tuple[str, ...]) -> None:
    command = [ctxkit, "proxy", "--upstream", sent.url, "--inject", *how]
    got = subprocess.run(command, env=user, capture_output=True, text=True)
    assert got.returncode == 2
    assert "--inject reads what is stored" in got.stderr
