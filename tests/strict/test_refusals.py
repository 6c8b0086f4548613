"""The strict server refuses every request that is known to be refused, and takes those that are known to be taken."""

import json
import urllib.error
import urllib.request
from copy import deepcopy

import pytest

from tests.strict.server import Strict, serving

TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}


def call(id_="c1", arguments="{}", **more):
    return {"id": id_, "type": "function", "function": {"name": "run", "arguments": arguments, **more}}


def asked(*ids, content=None):
    return {"role": "assistant", "content": content, "tool_calls": [call(id_) for id_ in ids]}


def told(id_, content="done"):
    return {"role": "tool", "tool_call_id": id_, "content": content}


USER, DONE = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}
SYSTEM = {"role": "system", "content": "Be brief."}

OPENAI_GOOD = {
    "a question": [USER],
    "a system message in the middle": [USER, DONE, SYSTEM, USER],
    "a call and its result": [USER, asked("c1"), told("c1")],
    "results in another order": [USER, asked("c1", "c2"), told("c2"), told("c1"), DONE],
    "the id of an earlier turn": [USER, asked("c1"), told("c1"), asked("c1"), told("c1")],
    "two users in a row": [USER, USER],
    "an empty text": [{"role": "user", "content": ""}],
    "parts": [{"role": "user", "content": [{"type": "text", "text": "Go."}]}],
    "the model speaks first": [DONE, USER],
    "an empty result": [USER, asked("c1"), told("c1", "")],
}
OPENAI_BAD = {
    "no result": ([USER, asked("c1"), USER], "did not have response messages: c1"),
    "no result at the end": ([USER, asked("c1")], "did not have response messages: c1"),
    "one result of two": ([USER, asked("c1", "c2"), told("c1"), USER], "did not have response messages: c2"),
    "the user before the result": ([USER, asked("c1"), USER, told("c1")], "must be followed by tool messages"),
    "the result before its call": ([USER, told("c1"), asked("c1")], "must be a response to a preceeding message"),
    "a result without a call": ([USER, told("c9")], "must be a response to a preceeding message"),
    "a result of another call": ([USER, asked("c1"), told("c1"), told("c9")], "'c9' not found in 'tool_calls'"),
    "two results": ([USER, asked("c1"), told("c1"), told("c1")], "Duplicate value for 'tool_call_id' of 'c1'"),
    "two calls of one id": ([USER, asked("c1", "c1"), told("c1")], "Duplicate value"),
    "a result after the answer": ([USER, asked("c1"), told("c1"), DONE, told("c1")], "must be a response"),
    "an answer between call and result": ([USER, asked("c1"), DONE, told("c1")], "must be followed by tool messages"),
    "nothing": ([], "Invalid 'messages': empty array"),
    "nobody": ([{"content": "Go."}], "Missing required parameter: 'messages[0].role'"),
    "a stranger": ([{"role": "model", "content": "Go."}], "Invalid value: 'model'. Supported values are: 'system'"),
    "null for a user": ([{"role": "user", "content": None}], "expected a string, got null"),
    "null without calls": ([USER, {"role": "assistant", "content": None}], "expected a string, got null"),
    "null for a result": ([USER, asked("c1"), told("c1", None)], "expected a string, got null"),
    "a number": ([{"role": "user", "content": 5}], "expected one of a string or array of objects, but got an integer"),
    "no parts": ([{"role": "user", "content": []}], "Invalid 'messages[0].content': empty array"),
    "a part of the other API": ([{"role": "user", "content": [{"type": "tool_result"}]}], "Invalid value: 'tool_result'"),
    "no calls": ([USER, {**DONE, "tool_calls": []}], "Invalid 'messages[1].tool_calls': empty array"),
    "a call without an id": ([USER, {**DONE, "tool_calls": [{"type": "function"}]}], "tool_calls[0].id'"),
    "a long id": ([USER, asked("c" * 41)], "Expected a string with maximum length 40, but got a string with length 41"),
    "arguments as an object": ([USER, {**DONE, "tool_calls": [call(arguments={})]}], "expected a string, but got an object"),
    "broken arguments": ([USER, {**DONE, "tool_calls": [call(arguments='{"a": ')]}], "it is not valid JSON"),
    "no tool's name": ([USER, {**DONE, "tool_calls": [call(name="a b")]}], "string does not match pattern"),
    "no id of a result": ([USER, asked("c1"), {"role": "tool", "content": ""}], "must have a 'tool_call_id'"),
    "an unknown member": ([{**USER, "uuid": "1"}], "Unknown parameter: 'messages[0].uuid'"),
    "too long": ([{"role": "user", "content": "x" * 5000}], "maximum context length is 4096 tokens. However, your messages"),
    "too long with the answer": ([{"role": "user", "content": "x" * 3800}], "However, you requested"),
}


def use(*ids, before=()):
    blocks = [{"type": "tool_use", "id": id_, "name": "run", "input": {}} for id_ in ids]
    return {"role": "assistant", "content": [*before, *blocks]}


def answer(*ids, before=(), after=()):
    blocks = [{"type": "tool_result", "tool_use_id": id_, "content": "done"} for id_ in ids]
    return {"role": "user", "content": [*before, *blocks, *after]}


def words(text="Go.", **more):
    return {"type": "text", "text": text, **more}


THOUGHT = Strict(lambda _: ("", ())).thought("Hm.")
CACHED = words(cache_control={"type": "ephemeral"})
ANTHROPIC_GOOD = {
    "a question": [USER],
    "a call and its result": [USER, use("t1"), answer("t1")],
    "words after the results": [USER, use("t1", "t2"), answer("t2", "t1", after=[words()])],
    "results in two messages": [USER, use("t1", "t2"), answer("t1"), answer("t2")],
    "reasoning": [USER, use("t1", before=[THOUGHT]), answer("t1")],
    "an empty last answer": [USER, {"role": "assistant", "content": ""}],
    "four that are cached": [{"role": "user", "content": [CACHED] * 4}],
}
ANTHROPIC_BAD = {
    "no result": ([USER, use("t1"), USER], "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1."),
    "no result at the end": ([USER, use("t1")], "without `tool_result` blocks immediately after: t1"),
    "one result of two": ([USER, use("t1", "t2"), answer("t1")], "immediately after: t2"),
    "the result too late": ([USER, use("t1"), USER, DONE, answer("t1")], "immediately after: t1"),
    "words before the results": ([USER, use("t1"), answer("t1", before=[words()])], "immediately after: t1"),
    "a user before the result": ([USER, use("t1"), USER, answer("t1")], "immediately after: t1"),
    "a result without a call": ([USER, DONE, answer("t9")], "unexpected `tool_use_id` found in `tool_result` blocks: t9"),
    "a result first": ([answer("t9")], "messages.0.content.0: unexpected `tool_use_id`"),
    "two results": ([USER, use("t1"), answer("t1", "t1")], "Found multiple `tool_result` blocks with id: t1"),
    "an id that is taken": ([USER, use("t1"), answer("t1"), use("t1"), answer("t1")], "`tool_use` ids must be unique"),
    "two calls of one id": ([USER, use("t1", "t1"), answer("t1")], "`tool_use` ids must be unique"),
    "a call of the user": ([{**use("t1"), "role": "user"}], "`tool_use` blocks can only be in `assistant` messages"),
    "a result of the model": ([USER, {**answer("t1"), "role": "assistant"}], "can only be in `user` messages"),
    "a system message": ([SYSTEM, USER], 'Unexpected role "system"'),
    "a tool": ([USER, told("c1")], "messages.1.role: Input should be 'user' or 'assistant'"),
    "the model speaks first": ([DONE, USER], 'first message must use the "user" role'),
    "nothing": ([], "at least one message is required"),
    "no content": ([{"role": "user"}], "messages.0.content: Field required"),
    "an empty message": ([{"role": "user", "content": ""}], "all messages must have non-empty content"),
    "an empty list": ([USER, {"role": "assistant", "content": []}, USER], "all messages must have non-empty content"),
    "an empty text": ([{"role": "user", "content": [words("")]}], "text content blocks must be non-empty"),
    "a blank text": ([{"role": "user", "content": " \n"}], "must contain non-whitespace text"),
    "a blank at the end": ([USER, {"role": "assistant", "content": "So "}], "cannot end with trailing whitespace"),
    "an unknown block": ([{"role": "user", "content": [{"type": "input_text", "text": "x"}]}], "Input tag 'input_text'"),
    "an unknown member": ([{**USER, "id": "1"}], "messages.0.id: Extra inputs are not permitted"),
    "arguments as text": ([USER, {**use(), "content": [{"type": "tool_use", "id": "t", "name": "n", "input": "{}"}]}],
                          "tool_use.input: Input should be a valid dictionary"),
    "an id with a blank": ([USER, use("t 1"), answer("t 1")], "tool_use.id: String should match pattern"),
    "no id of a result": ([USER, {"role": "user", "content": [{"type": "tool_result"}]}], "tool_use_id: Field required"),
    "no signature": ([USER, use("t1", before=[{"type": "thinking", "thinking": "Hm."}])], "thinking.signature: Field required"),
    "altered reasoning": ([USER, use("t1", before=[{**THOUGHT, "thinking": "Ha."}])], "Invalid `signature` in `thinking` block"),
    "reasoning of the user": ([{"role": "user", "content": [THOUGHT]}], "`thinking` blocks can only be in `assistant`"),
    "five that are cached": ([{"role": "user", "content": [CACHED] * 5}], "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    "cached reasoning": ([USER, use("t1", before=[{**THOUGHT, "cache_control": {}}])], "cache_control: Extra inputs"),
    "too long": ([{"role": "user", "content": "x" * 5000}], "prompt is too long: "),
    "too long with the answer": ([{"role": "user", "content": "x" * 3800}], "exceed context limit"),
}  # fmt: skip


def chat(messages, **more):
    return "chat/completions", {"model": "m", "messages": messages, "tools": [TOOL], **more}


def message(messages, **more):
    tools = [{"name": "run", "input_schema": {"type": "object"}}]
    return "messages", {"model": "m", "max_tokens": 256, "system": "Be brief.", "messages": messages, "tools": tools, **more}


def without(made, key):
    path, request = made
    return path, {name: value for name, value in request.items() if name != key}


GOOD = [
    *(pytest.param(chat(messages), id=f"openai: {name}") for name, messages in OPENAI_GOOD.items()),
    *(pytest.param(message(messages), id=f"anthropic: {name}") for name, messages in ANTHROPIC_GOOD.items()),
]
BAD = [
    *(pytest.param(chat(messages), text, id=f"openai: {name}") for name, (messages, text) in OPENAI_BAD.items()),
    *(pytest.param(message(messages), text, id=f"anthropic: {name}") for name, (messages, text) in ANTHROPIC_BAD.items()),
    pytest.param(("chat/completions", None), "could not parse the JSON body", id="openai: no object"),
    pytest.param(without(chat([USER]), "model"), "you must provide a model parameter", id="openai: no model"),
    pytest.param(without(chat([USER]), "messages"), "Missing required parameter: 'messages'", id="openai: no messages"),
    pytest.param(chat([USER], tools=[]), "Invalid 'tools': empty array", id="openai: an empty list of tools"),
    pytest.param(without(chat([USER], tool_choice="auto"), "tools"), "only allowed when 'tools'", id="openai: a choice of no tools"),
    pytest.param(without(message([USER]), "max_tokens"), "max_tokens: Field required", id="anthropic: no max_tokens"),
    pytest.param(without(message([USER]), "model"), "model: Field required", id="anthropic: no model"),
    pytest.param(message([USER, use("t1"), answer("t1")], tools=[]), "must define tools", id="anthropic: no tools"),
    pytest.param(message([USER], system=[words("")]), "system: text content blocks", id="anthropic: an empty system prompt"),
    pytest.param(message([USER], tools=[{"name": "a"}] * 2), "Tool names must be unique", id="anthropic: a tool twice"),
    pytest.param(
        message([USER, use("t1"), answer("t1")], thinking={"type": "enabled", "budget_tokens": 1024}),
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
        id="anthropic: a loop without its reasoning",
    ),
]


@pytest.fixture(scope="module")
def server():
    strict = Strict(lambda number: ("All done.", ()), count=len, window=4096)
    with serving(strict) as url:
        yield url, strict


def post(url, value):
    request = urllib.request.Request(url, json.dumps(value).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("made", GOOD)
def test_takes_what_is_known_to_be_taken(server, made) -> None:
    url, strict = server
    path, request = made
    refused = len(strict.refusals)
    status, body = post(f"{url}/{path}", request)
    assert (status, len(strict.refusals) - refused) == (200, 0), body
    assert "All done." in json.dumps(body)


@pytest.mark.parametrize(("made", "text"), BAD)
def test_refuses_what_is_known_to_be_refused(server, made, text) -> None:
    url, strict = server
    path, request = made
    status, body = post(f"{url}/{path}", request)
    assert status == 400
    assert text in body["error"]["message"]
    assert body["error"]["type"] == "invalid_request_error"
    assert strict.refusals[-1] == body["error"]["message"]


def test_refuses_reasoning_of_the_last_answer_that_is_not_what_was_sent() -> None:
    strict = Strict(lambda _: ("", [("run", {})]), thinks=True)
    with serving(strict) as url:
        _, sent = post(f"{url}/messages", message([USER])[1])
        said = {"role": "assistant", "content": sent["content"]}
        other = deepcopy(said)
        other["content"].insert(0, strict.thought("Something else."))
        result = answer(sent["content"][-1]["id"])
        assert post(f"{url}/messages", message([USER, said, result])[1])[0] == 200
        status, body = post(f"{url}/messages", message([USER, other, result])[1])
        assert status == 400
        assert "cannot be modified" in body["error"]["message"]


def test_refuses_two_of_one_role_in_a_row_only_where_that_is_asked_for() -> None:
    for alternates, status in ((False, 200), (True, 400)):
        with serving(Strict(lambda _: ("Yes.", ()), alternates=alternates)) as url:
            assert post(f"{url}/messages", message([USER, USER])[1])[0] == status


def test_plays_its_script_and_counts_what_it_reads() -> None:
    strict = Strict(lambda number: (f"Answer {number}.", [("run", {"n": number})]), count=lambda text: len(text.split()))
    with serving(strict) as url:
        _, first = post(f"{url}/chat/completions", chat([USER])[1])
        said = first["choices"][0]["message"]
        assert (said["content"], first["choices"][0]["finish_reason"]) == ("Answer 0.", "tool_calls")
        _, second = post(f"{url}/chat/completions", chat([USER, said, told(said["tool_calls"][0]["id"])])[1])
    ids = [one["choices"][0]["message"]["tool_calls"][0]["id"] for one in (first, second)]
    assert ids[0] != ids[1]
    assert strict.sizes == [first["usage"]["prompt_tokens"], second["usage"]["prompt_tokens"]]
    assert strict.sizes[0] < strict.sizes[1]
