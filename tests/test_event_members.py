"""The members of events are those that the man page of ``ctxkit events`` describes, and the other way round."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.test_json_members import ANSWER, CHAT, KEY, ROWS
from tools.pages.text import FOLDER

COMMON = "Members of every event"
PAGE = (FOLDER / "ctxkit-events.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", PAGE, re.MULTILINE))
SIZED = ("--window", "9000", "--tokenizer", "qwen3")


def read_members(section: str) -> set[str]:
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", SECTIONS[section], re.MULTILINE)
    return {name for head in heads for name in re.findall(r"\w+", head)}


@pytest.fixture
def members(run: Run, tmp_path: Path) -> dict[str, set[str]]:
    """The members of each event, over calls that write all of them."""
    log = tmp_path / "log"
    env = {"CTXKIT_EVENTS": str(log), "CTXKIT_TURN": "1"}

    def call(*words: str, stdin: str = "") -> None:
        done = run(*words, stdin=stdin, cwd=tmp_path, env=env)
        assert done.status in (0, 1), done.err

    (tmp_path / "chat.jsonl").write_text(CHAT)
    (tmp_path / "tools.jsonl").write_text(make_tool_chat())
    call("gate", *SIZED, "--session", "s", "--redact", stdin=f"few words {KEY}\n")
    call("gate", "--model", "no-such-model", stdin="few words " * 900)
    call("gate", *SIZED, stdin=ROWS)
    call("gate", "--window", "9000", "--no-store", "--limit", "1", stdin=ROWS)
    for _ in range(2):
        call("gate", *SIZED, "--session", "s", stdin=ROWS[:4000])
    call("run", *SIZED, "--", "cat", "chat.jsonl")
    call("shell", "-c", "CTXKIT_DISABLE=1 true")
    call("truncate", "--max-lines", "9", stdin=ROWS)
    call("compact", "--window", "2000", "--session", "q", "chat.jsonl")
    call("compact", "--window", "3000", "--stages", "clear", "--force", "tools.jsonl")
    call("edit", "remove", "3:4", "chat.jsonl")
    call("usage", stdin=ANSWER)
    call("brief", "chat.jsonl", "--target", "300")
    ref = run("cache", "put", stdin=ROWS).out.decode().strip()
    call("cache", "get", ref, "--lines", "3:9")
    take_turns(call, ref)
    gathered: dict[str, set[str]] = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        gathered.setdefault(event["event"], set()).update(event)
    return gathered


def take_turns(call: Callable[..., None], ref: str) -> None:
    """Take turns whose results are raw and mapped, that compact, and that call each kind of function."""
    tool_call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [tool_call]}
    result = {"role": "tool", "tool_call_id": "c1", "content": ROWS}
    call("turn", *SIZED, "--session", "t", stdin=json.dumps({"role": "user", "content": "Read."}))
    answer = {"choices": [{"message": message}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    call("turn", "--session", "t", "--response", stdin=json.dumps(answer))
    call("turn", *SIZED, "--session", "t", stdin=json.dumps(result))
    call("turn", "--window", "3000", "--session", "u", stdin=make_tool_chat())
    for name, arguments in {
        "read_result": {"ref_id": ref},
        "read_file": {"path": "chat.jsonl", "lines": "1:2"},
        "edit_context": {"action": "remove_range", "range": {"start": 2, "end": 3}},
        "compact_context": {},
    }.items():
        arguments_text = json.dumps({"type": "tool_use", "id": "c2", "name": name, "input": arguments})
        call("call", *SIZED, "--session", "t", stdin=arguments_text)
    call("call", "read_file", *SIZED, "--session", "t", stdin='{"path": "tools.jsonl"}')


def make_tool_chat() -> str:
    """Return a conversation with a large tool result that a compaction clears."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Read them."}]
    for number in range(6):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": ROWS[:4000]})
        messages.append({"role": "assistant", "content": f"That was file {number}."})
    return "".join(f"{json.dumps(message)}\n" for message in messages)


@pytest.mark.slow
def test_every_event_says_who_wrote_it_and_when_and_its_members_are_documented(members: dict[str, set[str]]) -> None:
    documented = {name.removeprefix("Event ") for name in SECTIONS if name.startswith("Event ")}
    assert set(members) == documented
    common = read_members(COMMON)
    assert common - set().union(*members.values()) == set(), "documented, and in no event"
    gate = read_members("Event gate")
    for event, names in members.items():
        assert {"v", "ts", "event", "verb", "project", "duration_ms", "name"} <= names, event
        own = read_members(f"Event {event}") | (gate if event == "tool_output_truncated" else set())
        assert names - common - own == set(), f"in {event}, not documented"
        assert own - names - (gate if event == "tool_output_truncated" else set()) - common == missing(event), event


def missing(event: str) -> set[str]:
    """Return members that an event has only in cases that this test does not bring about."""
    return {"kind", "reason", "hint", "quoted", "named"} if event == "gate" else set()


def test_the_events_of_a_turn_have_the_names_of_the_seed(run: Run, tmp_path: Path) -> None:
    """Seed 002: "context_compaction_start", "context_compaction_end"."""
    log = tmp_path / "log"
    run("turn", "--window", "20000", "--session", "s", stdin=make_tool_chat())
    run("turn", "--window", "6000", "--session", "s", "--events", str(log), stdin=CHAT.splitlines()[0])
    names = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert names[-1] == "turn", names
    assert {"context_compaction_start", "context_compaction_end", "tool_output_truncated"} <= set(names)
