"""The command and the status of each result, in the formats of four APIs and in what hosts write."""

import json
from typing import Any

import pytest

from ctxkit.core.chat.model.message import RecordResult
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.turn.result_calls import ResultCall, describe_failure, find_result_calls, read_status

ARGUMENTS = {"command": "make test"}
CALLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "openai": (
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": json.dumps(ARGUMENTS)}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "Exit code 2\nbad"},
    ),
    "anthropic": (
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": ARGUMENTS}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "bad", "is_error": True}]},
    ),
    "gemini": (
        {"role": "model", "parts": [{"functionCall": {"name": "bash", "args": ARGUMENTS}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "bash", "response": {"output": "Exit code 2\nbad"}}}]},
    ),
    "responses": (
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": json.dumps({"command": ["bash", "-lc", "make test"]})},
        {"type": "function_call_output", "call_id": "c1", "output": "Process exited with code 2\nbad"},
    ),
}  # fmt: skip
STATUSES = [
    ("Exit code 1\nout", 1),
    ("Exit code: 137\nWall time: 1 s\nOutput:\nout", 137),
    ("<returncode>1</returncode>\n<output>\nout\n</output>", 1),
    ("Error: Command failed with exit code 127\nout", 127),
    ("Process exited with code 0\nOutput:\nout", 0),
    ("out\n[The command completed with exit code 3.]\n[Current working directory: /work]", 3),
    ("out\n\n(exit code: 4)\n", 4),
    ("out\nCommand exited with status 5", 5),
    ('{"output": "out", "metadata": {"exit_code": 6}}', 6),
    ("Command: make\nDirectory: (root)\nOutput: out\nError: (none)\nExit Code: 7\n", 7),
    ("out\n[exit: 8]", 8),
    ("#!/bin/sh\nexit 1\n", None),
    ("Status: 200 OK\nout", None),
    ("a\nb\nc\nd\nexit code 1\n" + "more\n" * 9, None),
    ("returned 5 rows", None),
    ("", None),
]


@pytest.mark.parametrize("name", CALLS)
def test_a_result_has_the_command_of_its_call(name: str) -> None:
    call, result = (parse_transcript(json.dumps(value).encode(), "x", get_format(name)).records for value in CALLS[name])
    assert find_result_calls(call, result) == find_result_calls((), (*call, *result)) == [ResultCall("bash", "make test")]
    failure = describe_failure(ResultCall("bash", "make test"), result[0].results[0], {})
    assert failure == ("Exit status not 0: the result is marked as an error" if name == "anthropic" else "Exit status 2")


@pytest.mark.parametrize(("text", "status"), STATUSES)
def test_the_status_is_what_a_host_states_around_the_output(text: str, status: int | None) -> None:
    assert read_status(text) == status


def test_results_of_one_turn_have_their_own_commands() -> None:
    call = CALLS["openai"][0]
    calls = [{**call["tool_calls"][0], "id": f"c{at}", "function": {"name": "bash", "arguments": json.dumps({"cmd": f"make {at}"})}} for at in range(3)]
    values = [{**call, "tool_calls": calls}, *({"role": "tool", "tool_call_id": f"c{at}", "content": "x"} for at in (2, 0, 1))]
    records = parse_transcript("\n".join(map(json.dumps, values)).encode(), "x", get_format("openai")).records
    assert [call.command for call in find_result_calls(records[:2], records[2:])] == ["make 0", "make 1"]


def test_a_call_that_runs_no_command_has_its_tool_alone_and_no_status() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.log"}'}}
    values = [{**CALLS["openai"][0], "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": "Exit code 2\n"}]
    records = parse_transcript("\n".join(map(json.dumps, values)).encode(), "x", get_format("openai")).records
    (found,) = find_result_calls((), records)
    assert found == ResultCall("read_file")
    assert describe_failure(found, records[1].results[0], {}) == ""
    assert describe_failure(found, records[1].results[0], {"c1": 9}) == "Exit status 9"


def test_a_given_status_wins() -> None:
    result = RecordResult("c1", "Exit code 2", (), failed=True)
    call = ResultCall("bash", "make")
    assert describe_failure(call, result, {"c1": 0}) == ""
    assert describe_failure(call, result, {"c1": 7}) == "Exit status 7"
    assert describe_failure(call, result, {}) == "Exit status 2"
