import http.client
import json
from typing import Any

from ctxkit.edge.scripted_model import ScriptedModel

CALLS = [("bash", {"command": "ls"}), ("bash", {"command": "pwd"})]
TOOLS = [{"function": {"name": "bash"}}]


def ask(model: ScriptedModel, *results: str, chunked: bool = False, path: str = "/v1/chat/completions") -> Any:
    connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=10)
    body = json.dumps({"model": "m", "tools": TOOLS, "messages": [{"role": "tool", "content": text} for text in results]})
    pieces = iter([body[:9].encode(), body[9:].encode()])
    connection.request("POST", path, pieces if chunked else body, encode_chunked=chunked)
    return json.loads(connection.getresponse().read())


def read_command(answer: Any) -> str:
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    return json.loads(call["function"]["arguments"])["command"]


def test_each_request_gets_the_call_behind_its_results() -> None:
    with ScriptedModel(CALLS) as model:
        assert read_command(ask(model)) == "ls"
        assert read_command(ask(model, "a.txt", chunked=True)) == "pwd"
        assert ask(model, "a.txt", "/home")["choices"][0]["message"]["content"] == "done"
        assert (model.results, model.tools, len(model.requests)) == (["a.txt", "/home"], ["bash"], 3)
        model.restart(CALLS[1:])
        assert read_command(ask(model)) == "pwd"
        assert model.results == []


def test_a_host_that_forgets_gets_each_call_once() -> None:
    with ScriptedModel(CALLS, forgets=True) as model:
        assert [read_command(ask(model)), read_command(ask(model))] == ["ls", "pwd"]


def test_a_request_without_the_tool_gets_a_text() -> None:
    with ScriptedModel([("other", {})]) as model:
        assert ask(model)["choices"][0]["finish_reason"] == "stop"


def test_a_count_and_the_list_of_models_are_answered() -> None:
    with ScriptedModel([]) as model:
        assert ask(model, path="/v1/messages/count_tokens")["input_tokens"] == 100
        connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=10)
        connection.request("GET", "/v1/models")
        assert json.loads(connection.getresponse().read())["data"][0]["id"] == "scripted"
        assert model.requests == []
