"""What hosts write beside the messages of a format stays valid when it is compacted, and never grows."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.validity.invariants import find_breaches
from tests.core.chat.talks import FORMATS, TIME, Plan, copilot, lines, openai, plans
from tests.core.compact.sizes import compact, policy, read, total, working, written
from tests.example_counts import count_examples


def qwen_session(plan: Plan) -> bytes:
    """Return a session of Qwen Code of 2025, with the results in the calls and a notice at the end."""
    made: list[Any] = []
    for said in plan:
        if said.role == "tool":
            for call, (id_, name) in zip(made[-1]["toolCalls"], said.results, strict=True):
                call["result"] = [{"functionResponse": {"id": id_, "name": name, "response": {"output": f"out of {id_}"}}}]
            continue
        calls = [{"id": i, "name": n, "args": {"a": 1.10}, "status": "success"} for i, n in said.calls]
        kind = "qwen" if said.role == "assistant" else "user"
        more = {"toolCalls": calls, "tokens": {"input": 9, "output": 1}} if kind == "qwen" else {}
        made.append({"id": f"m{len(made)}", "timestamp": TIME, "type": kind, "content": said.words, **more})
    made += [{"id": "note", "timestamp": TIME, "type": "info", "content": "Cancelled."}]
    return json.dumps({"sessionId": "s", "projectHash": "p", "messages": made}, indent=1).encode()


def copilot_turns(plan: Plan) -> bytes:
    """Return a session of Copilot CLI that writes its system prompt each turn, and links to events that it does not.

    Each of several calls at once is a message.
    """
    made: list[Any] = []
    for event in copilot(plan):
        first, *others = event["data"].pop("toolRequests", []) or [None]
        for call in (first, *others):
            parent = made[-1]["id"] if made else None
            data = {**event["data"], **({"toolRequests": [call]} if call else {})}
            made.append({**event, "data": data, "id": f"n{len(made)}", "parentId": parent})
        if event["type"] == "user.message":
            prompt = {"role": "system", "content": f"Be brief. It is turn {len(made)}. " * 9}
            made.append({"type": "system.message", "data": prompt, "id": f"n{len(made)}", "timestamp": TIME, "parentId": made[-1]["id"]})
            made.append({"type": "assistant.turn_start", "data": {}, "id": f"n{len(made)}", "timestamp": TIME, "parentId": f"unwritten-{len(made)}"})
    return lines(made)


def subagents(plan: Plan) -> bytes:
    """Return an export in which each message stands twice, the second time as that of another agent."""
    made = openai(plan)
    copies = [{**message, "role": "assistant-subagent-a1"} for message in made]
    return json.dumps({"messages": [message for pair in zip(made, copies, strict=True) for message in pair]}).encode()


def doubled_calls(plan: Plan) -> bytes:
    """Return messages of LangChain with the calls in the content too."""
    made: list[Any] = []
    for message in openai(plan):
        kind = {"user": "human", "assistant": "ai", "tool": "tool"}[message["role"]]
        calls = [(call["id"], call["function"]["name"]) for call in message.get("tool_calls", ())]
        if calls:
            text = [{"type": "text", "text": message["content"]}] if message["content"] else []
            uses = [{"type": "tool_use", "id": i, "name": n, "input": {"a": 1.10}} for i, n in calls]
            spoken = [{"id": i, "name": n, "args": {"a": 1.10}, "type": "tool_call"} for i, n in calls]
            made.append({"type": kind, "content": [*text, *uses], "tool_calls": spoken})
        else:
            made.append({**{key: value for key, value in message.items() if key != "role"}, "type": kind})
    return json.dumps(made).encode()


def listed(name: str) -> Callable[[Plan], bytes]:
    """Return the function that makes a list of the entries that a format writes one per line."""
    return lambda plan: json.dumps(FORMATS[name][0](plan), indent=2).encode()


LISTED = ("claude-code", "codex", "pi", "nanobot")
FORMS = {"gemini": qwen_session, "copilot": copilot_turns, "openai": subagents, "langchain": doubled_calls}
FORMS |= {name: listed(name) for name in LISTED}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", FORMS)
@given(plan=plans, window=st.integers(200, 2000), force=st.booleans(), size=st.integers(1, 400))
@settings(max_examples=count_examples(15), deadline=None)
def test_it_stays_valid_and_never_grows(name: str, plan: Plan, window: int, force: bool, size: int) -> None:
    data = FORMS[name](plan).replace(b"out of call_", b"word " * size + b"out of call_")
    before = read(data)
    assert (before.format.NAME, find_breaches(before)) == (name, ())
    assert before.encode(before.text) == data
    outcome = compact(before, policy(window, force=force))
    after = read(outcome.content)
    assert (after.format.NAME, find_breaches(after)) == (name, ())
    assert total(after) <= total(before)
    assert after.syntax == before.syntax
    if outcome.result != "compacted":
        assert outcome.content == data
    assert all("remaining messages" not in report.undone for report in outcome.stage_reports)


@pytest.mark.parametrize("name", FORMS)
@given(plan=plans)
@settings(max_examples=count_examples(15), deadline=None)
def test_the_calls_and_requests_are_those_of_the_plan(name: str, plan: Plan) -> None:
    found = read(FORMS[name](plan))
    path = [found.records[at] for at in find_active_path(found)]
    assert [call.id for record in path for call in record.calls] == [id_ for said in plan for id_, _ in said.calls]
    assert [record.words for record in path if record.is_user_request] == [said.words for said in plan if said.role == "user"]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", LISTED)
@given(turns=st.integers(3, 20), size=st.integers(1, 30), window=st.integers(300, 2000), space=st.sampled_from([0, 1, 4]))
@settings(max_examples=count_examples(10), deadline=None)
def test_a_list_of_lines_becomes_what_the_lines_become(name: str, turns: int, size: int, window: int, space: int) -> None:
    data = written(name, *working(turns, size))
    entries = [json.loads(line) for line in data.splitlines()]
    before = read(json.dumps(entries, indent=space or None).encode())
    outcome, other = (compact(form, policy(window), stores=False) for form in (before, read(data)))
    assert outcome.result == other.result
    after, expected = read(outcome.content), read(other.content)
    assert [(record.role, record.kind, record.words) for record in after.records] == [
        (record.role, record.kind, record.words) for record in expected.records
    ]
    raw = {before.get_raw(record) for record in before.records}
    values = [record.value for record in before.records]
    assert all(after.get_raw(record) in raw for record in after.records if record.value in values)
