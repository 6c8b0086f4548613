"""New tool results through the gate: raw if they fit the room, else a map of what is stored."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import RecordResult
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.gate.decision import GatePolicy, GateServices
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.turn.results import (
    MAX_GATED,
    EnteredResult,
    ResultCall,
    ResultPolicy,
    WaitingResults,
    describe_failure,
    find_result_calls,
    gate_results,
    read_status,
)
from tests.core.gate.test_replacement import MemoryStore, tokenizer

LONG = "".join(f"{number}: a line of the log\n" for number in range(2000))
SHORT = "".join(f"{number}: a line of the log\n" for number in range(60))


def count(text: str) -> int:
    return -(-len(text.encode()) // 3)


def gate(texts: list[str], room: int, store: MemoryStore | None = None, offload: int = 0, *, stores: bool = True, command: str = "", **more):
    store = store or MemoryStore()
    values = [{"role": "tool", "tool_call_id": f"c{at}", "content": text} for at, text in enumerate(texts)]
    transcript = parse_transcript("\n".join(map(json.dumps, values)).encode(), "x", openai)
    services = GateServices(tokenizer, (lambda: store) if stores else None, parse_nothing, call_directly)  # type: ignore[return-value]
    policy = GatePolicy(Budget(100_000, 0), find_vocabulary("bytes/3"), Hint(PRESETS["ctxkit"]))
    calls = [ResultCall("bash", command)] * len(texts)
    gated_transcript, gated = gate_results(transcript, calls, ResultPolicy(policy, services, room, offload, count, **more))
    return [record.results[0].text for record in gated_transcript.records], gated


def test_results_that_fit_stay_as_they_are() -> None:
    store = MemoryStore()
    assert gate([LONG, SHORT], 20_000, store) == ([LONG, SHORT], [])
    assert store.held == {}


@pytest.mark.slow
def test_a_result_that_does_not_fit_is_stored_and_mapped() -> None:
    store = MemoryStore()
    (text,), (gated,) = gate([LONG], 2_000, store)
    assert (gated.call, gated.tool, gated.result.result) == ("c0", "bash", "briefing")
    assert count(text) <= 1_000
    assert list(store.held.values()) == [LONG.encode()]
    assert gated.result.ref[:16] in text


@pytest.mark.slow
def test_results_share_the_room() -> None:
    texts, gated = gate([LONG, LONG, SHORT], 6_000)
    assert [item.call for item in gated] == ["c0", "c1"]
    assert texts[2] == SHORT
    assert sum(map(count, texts)) <= 6_000


def test_without_any_room_a_line_names_what_is_stored() -> None:
    store = MemoryStore()
    (text,), (gated,) = gate([LONG], 0, store)
    assert gated.result.result == "refused"
    assert "\n" not in text
    assert gated.result.ref[:16] in text


def test_a_threshold_in_bytes_stores_what_would_fit() -> None:
    """Seed 001: "result_offload_threshold"."""
    store = MemoryStore()
    texts, gated = gate([SHORT, "few words"], 20_000, store, offload=500)
    assert [item.call for item in gated] == ["c0"]
    assert texts[1] == "few words"
    assert count(texts[0]) < count(SHORT)
    _, gated = gate(["x" * 600 + "\n" + texts[0]], 20_000, store, offload=500)
    assert gated == [], "a map is not mapped again"


def test_nothing_is_offloaded_without_a_store() -> None:
    assert gate([SHORT], 20_000, offload=500, stores=False) == ([SHORT], [])


@pytest.mark.slow
def test_a_map_names_the_command_and_its_status_and_keeps_its_secrets_out_of_lists() -> None:
    store = MemoryStore()
    command = "DEPLOY_TOKEN=abcdef0123456789 make test"
    (text,), (gated,) = gate([f"Exit code 2\n{LONG}"], 2_000, store, command=command)
    assert text.startswith("Exit status 2\n")
    assert text.split("\n")[1].startswith(f"# {command} (")
    assert gated.tool == "bash"
    (text,), _ = gate([LONG], 2_000, command="make test")
    assert text.startswith("# make test (")
    (text,), _ = gate([LONG], 2_000, command="make test", statuses={"c0": 3})
    assert text.startswith("Exit status 3\n# make test (")


@pytest.mark.slow
def test_a_rule_of_the_user_applies_to_the_output_of_its_command() -> None:
    asked = []
    gate([LONG], 2_000, command="make test", find_rule=asked.append)
    assert asked == ["make test"]


@given(st.lists(st.integers(0, 600), min_size=1, max_size=12), st.data())
def test_the_room_for_what_waits_is_the_sum_of_its_shares(tokens: list[int], data: st.DataObject) -> None:
    waiting, least = WaitingResults(tokens), 700
    for number in range(len(tokens)):
        least = data.draw(st.integers(0, least))
        assert waiting.reserve_after(number, least) == sum(min(later, least) for later in tokens[number + 1 :])


def test_a_result_that_is_shorter_than_what_would_stand_for_it_stays() -> None:
    store = MemoryStore()
    assert gate(["ok"] * 50, 10, store) == (["ok"] * 50, [])
    assert store.held == {}


@pytest.mark.slow
def test_of_countless_results_some_are_stored_and_the_others_enter() -> None:
    store = MemoryStore()
    texts, gated = gate([f"{number} {SHORT}" for number in range(MAX_GATED + 9)], 0, store)
    assert len(gated) == len(store.held) == MAX_GATED
    assert texts[MAX_GATED:] == [f"{number} {SHORT}" for number in range(MAX_GATED, MAX_GATED + 9)]


@pytest.mark.slow
def test_all_results_are_logged_with_what_enters() -> None:
    logged: list[EnteredResult] = []
    texts, gated = gate([LONG, SHORT, SHORT], 3_000, log=logged.append)
    assert [item.text for item in logged] == texts
    assert [item.original for item in logged] == [LONG, SHORT, SHORT]
    assert [item.result is not None for item in logged] == [True, False, False]
    assert len(gated) == 1


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
