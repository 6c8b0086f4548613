import json
import re
import tomllib
from typing import Any

import pytest

from ctxkit.core.hosts.profiles import MODULES
from ctxkit.core.hosts.trials import (
    COMMANDS,
    FORBIDDEN_WORD,
    TRIALS,
    Body,
    TrialResults,
    check_results,
    find_dialect,
    make_answer,
    make_calls,
    quote_ends,
)

ADDRESS = "http://127.0.0.1:1"


def test_each_trial_is_of_a_host() -> None:
    assert set(TRIALS) <= set(MODULES)


@pytest.mark.parametrize("name", TRIALS)
def test_a_setup_names_the_model_and_a_rule(name: str) -> None:
    trial = TRIALS[name]
    setup = trial.make_setup(ADDRESS)
    files = {**setup.home, **setup.project}
    for path, text in files.items():
        if path.endswith(".json"):
            assert json.loads(text)
        elif path.endswith(".toml"):
            assert tomllib.loads(text)
    text = " ".join([*files.values(), *setup.environment.values()])
    assert ADDRESS in text
    assert (FORBIDDEN_WORD in text + " ".join(trial.args)) == trial.has_rules
    assert re.compile(trial.noise)


CODEX, PI = TRIALS["codex"], TRIALS["pi"]
MAP = "Exit status 3\n# seq: a map, not the content\nTo read a part: ctxkit cache get 412fec5ea462 --lines 1:41"
PLAIN = ["line 1\n" * 999, "small\nexit 4", "/p/sub", "/p", "denied"]
GATED = [MAP, *PLAIN[1:]]


def states(plain: list[str], gated: list[str], trial=CODEX) -> dict[str, str]:
    return {check.name: check.state for check in check_results(TrialResults(plain, gated), trial, "Codex") if check.name not in COMMANDS}


def test_the_calls_are_those_of_the_host() -> None:
    assert [call[0] for call in make_calls(CODEX)] == ["exec_command"] * len(COMMANDS)
    assert [call[1]["cmd"] for call in make_calls(CODEX)] == list(COMMANDS)


def test_a_map_and_equal_small_output_are_well() -> None:
    assert set(states(PLAIN, GATED).values()) == {"ok"}


def test_noise_and_the_line_in_front_do_not_differ() -> None:
    gated = [MAP, "Chunk ID: a1\nWall time: 0.1 seconds\nsmall\nexit 4", *GATED[2:4], "test -r /h/wrap.sh && . /h/wrap.sh; denied"]
    assert set(states(PLAIN, gated).values()) == {"ok"}


def test_raw_output_and_a_lost_status_are_problems() -> None:
    assert states(PLAIN, PLAIN)["hook"] == "bad"
    assert states(PLAIN, [MAP.replace("Exit status 3", ""), *GATED[1:]])["hook"] == "bad"


def test_each_difference_is_a_problem() -> None:
    assert states(PLAIN, [MAP, "small\nexit 0", *GATED[2:]])["status"] == "bad"
    assert states(PLAIN, [*GATED[:3], "/p/sub", GATED[4]])["directory"] == "bad"
    assert states(PLAIN, [*GATED[:4], "12: 2 2 3"])["rule"] == "bad"
    assert states([*PLAIN[:4], "12: 2 2 3"], GATED)["rule"] == "bad"


def test_a_host_without_rules_has_none_to_keep() -> None:
    assert states([*PLAIN[:4], "12: 2 2 3"], [*GATED[:4], "12: 2 2 3"], PI)["rule"] == "absent"


def test_missing_results_are_a_problem() -> None:
    assert states(PLAIN, GATED[:2]) == {"results": "bad"}


def test_long_text_is_quoted_by_its_ends() -> None:
    assert quote_ends("a\n b") == "a b"
    assert quote_ends("a" * 500 + "b" * 500) == f"{'a' * 100} ... {'b' * 100}"


CALL = ("bash", {"command": "ls"})
RESULT = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
APIS: dict[str, Body] = {
    "/v1/messages": {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "tool_result", "content": RESULT}]}],
        "tools": [{"name": "bash"}],
    },
    "/v1/responses": {
        "model": "m",
        "input": [{"type": "message"}, {"type": "function_call_output", "output": "one\ntwo"}],
        "tools": [{"name": "bash"}],
    },
    "/v1/chat/completions": {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "hi"}, {"role": "tool", "content": "one\ntwo"}],
        "tools": [{"function": {"name": "bash"}}],
    },
    "/v1beta/models/m:streamGenerateContent?alt=sse": {
        "contents": [{"parts": [{"functionResponse": {"response": {"output": "one\ntwo"}}}, {"text": "x"}]}, {}],
        "tools": [{"functionDeclarations": [{"name": "bash"}]}],
    },
}


@pytest.mark.parametrize("path", APIS)
def test_results_and_tools_of_a_request_are_read(path: str) -> None:
    dialect = find_dialect(path)
    assert dialect.list_results(APIS[path]) == ["one\ntwo"]
    assert dialect.list_tools(APIS[path]) == ["bash"]


@pytest.mark.parametrize("path", APIS)
def test_an_answer_calls_a_tool_or_says_something(path: str) -> None:
    content_type, data = make_answer(find_dialect(path), APIS[path], CALL, 1)
    assert content_type == "text/event-stream"
    events: list[Any] = [json.loads(line.removeprefix("data: ")) for line in data.decode().split("\n") if line.startswith("data: ")]
    assert '"bash"' in json.dumps(events)
    assert "ls" in json.dumps(events)
    assert b"done" in make_answer(find_dialect(path), APIS[path], None, 1)[1]


def test_a_request_that_wants_no_stream_gets_an_object() -> None:
    path = "/v1/chat/completions"
    content_type, data = make_answer(find_dialect(path), {"model": "m"}, CALL, 1)
    assert content_type == "application/json"
    assert json.loads(data)["choices"][0]["finish_reason"] == "tool_calls"


def test_tools_in_a_namespace_follow_it() -> None:
    tools = [{"name": "mcp__x", "tools": [{"name": "read"}]}]
    assert find_dialect("/responses").list_tools({"tools": tools}) == ["mcp__x", "mcp__x.read"]


@pytest.mark.parametrize("path", ["/v1/messages/count_tokens", "/v1/models", "/"])
def test_other_addresses_ask_no_model(path: str) -> None:
    assert find_dialect(path) is None
