"""ctxkit turn: one turn's bookkeeping, end to end."""

import json
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Run

USER = {"role": "user", "content": "Fix the parser. Never touch the lexer."}
LOG = "".join(f"{number}: the parser reads a line of the log\n" for number in range(3000))


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def make_call(id_: str) -> str:
    call = {"id": id_, "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    return json.dumps(
        {
            "choices": [
                {"message": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": "stop"}
            ]
        }
    )


def make_result(id_: str, text: str) -> str:
    return lines({"role": "tool", "tool_call_id": id_, "content": text})


def turn(run: Run, stdin: str, *args: str, session: str = "s", **rest):
    done = run("turn", "--session", session, "--window", "8192", *args, stdin=stdin, **rest)
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_three_turns(run: Run) -> None:
    """Seed 002: "persist tool calls and results between turns"."""
    first = turn(run, lines(USER))
    assert first == {"messages": [USER]}
    answer = turn(run, make_call("c1"), "--response")
    assert (answer["reply"], answer["stop_reason"]) == ("", "tool_use")
    assert answer["tool_calls"] == [{"id": "c1", "name": "bash", "arguments": {}}]
    second = turn(run, make_result("c1", "one line"))
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool"]
    history = run("session", "history", "s").out.decode().splitlines()
    assert [json.loads(line)["role"] for line in history] == ["user", "assistant", "tool"]
    assert turn(run, "") == second, "an empty stdin prints the request again"


def test_the_request_is_counted_as_it_is_printed(run: Run, tmp_path: Path) -> None:
    """Seed 001: "populates all component fields", "Measure component usage via ContextBudget"."""
    (tmp_path / "system.md").write_text("Be careful.\n")
    done = run("tools", "builtin")
    (tmp_path / "tools.json").write_bytes(done.out)
    facts = turn(run, lines(USER), "--system", "system.md", "--tools", "tools.json", "--json", cwd=tmp_path)
    (tmp_path / "request.json").write_text(json.dumps(facts["request"]))
    counted = json.loads(run("count", "request.json", "--json", "--tokenizer", "o200k", cwd=tmp_path).out)
    assert facts["tokens"] == counted["tokens"] == sum(facts["components"].values())
    status = json.loads(run("session", "status", "s", "--json").out)
    assert (status["used"], status["items"]) == (facts["tokens"], 1)


@pytest.mark.slow
def test_a_large_result_is_stored_and_mapped_and_a_small_one_is_raw(run: Run) -> None:
    """Seed 001: "Execute tools -> offload large results"."""
    turn(run, lines(USER))
    turn(run, make_call("c1"), "--response")
    facts = turn(run, make_result("c1", LOG), "--json")
    (result,) = facts["results"]
    assert (result["call"], result["tool"], result["result"]) == ("c1", "bash", "briefing")
    assert "a map, not the content" in facts["request"]["messages"][-1]["content"]
    assert run("cache", "get", result["ref"]).out.decode() == LOG
    assert json.loads(run("session", "status", "s", "--json").out)["gatings"] == 1
    turn(run, make_call("c2"), "--response")
    assert turn(run, make_result("c2", "few words"), "--json")["results"] == []


@pytest.mark.slow
def test_a_map_is_named_after_the_command_and_says_how_it_ended(run: Run) -> None:
    turn(run, lines(USER))
    answer = make_call("c1").replace('"{}"', json.dumps(json.dumps({"command": "make test"})))
    turn(run, answer, "--response")
    content = turn(run, make_result("c1", f"Exit code 2\n{LOG}"))["messages"][-1]["content"]
    status, header = content.split("\n")[:2]
    assert (status, header[:13]) == ("Exit status 2", "# make test (")
    assert run("cache", "list").out.decode().rstrip().endswith("  bash  c1  make test")
    turn(run, answer.replace("c1", "c2"), "--response")
    content = turn(run, make_result("c2", LOG), "--exit-status", "3")["messages"][-1]["content"]
    assert content.startswith("Exit status 3\n# make test (")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["x"], "'x' is not a number from 0 to 255"),
        (["c1=256"], "'256' is not a number from 0 to 255"),
        (["c9=1"], "no new result is that of the call c9"),
        (["1"], "there are 2 results"),
    ],
)
def test_a_status_belongs_to_a_result(run: Run, values: list[str], why: str) -> None:
    words = [word for value in values for word in ("--exit-status", value)]
    results = make_result("c1", "a") + make_result("c2", "b")
    done = run("turn", "--session", "s", "--window", "8192", *words, stdin=results)
    assert (done.status, done.out) == (2, b"")
    assert why in done.err


@pytest.mark.slow
def test_the_threshold_of_results_is_off_unless_it_is_set(run: Run) -> None:
    text = LOG[:9000]
    turn(run, lines(USER))
    turn(run, make_call("c1"), "--response")
    assert turn(run, make_result("c1", text), "--json")["results"] == []
    turn(run, make_call("c2"), "--response")
    facts = turn(run, make_result("c2", text), "--json", env={"CTXKIT_RESULT_OFFLOAD_THRESHOLD": "4096"})
    assert [result["result"] for result in facts["results"]] == ["briefing"]


@pytest.mark.slow
def test_a_full_conversation_is_compacted_and_resumes_from_there(run: Run) -> None:
    """Seed 001: "Check IsBlocked (98%) -> ForceCompact + snapshot", "Check ShouldCompact (95%) -> chain + snapshot"."""
    turn(run, lines(USER))
    steps = []
    for number in range(12):
        turn(run, make_call(f"c{number}"), "--response")
        facts = turn(run, make_result(f"c{number}", LOG[: 45 * 60]), "--json", "--pin", "Never touch the lexer.")
        steps += facts["steps"]
        assert facts["high"] < 0.98 * facts["effective"]
        assert "Never touch the lexer." in json.dumps(facts["request"])
    assert {"compact", "force"} & set(steps)
    assert run("snapshot", "list").out.decode().startswith("s ")
    history = run("session", "history", "s").out.decode().splitlines()
    assert len(history) == 25, "the history keeps everything"


@pytest.mark.slow
def test_pruning_comes_where_it_is_asked_for(run: Run) -> None:
    """Seed 004: "Automatic pruning at 80%"."""
    turn(run, lines(USER))
    steps = []
    for number in range(8):
        turn(run, make_call(f"c{number}"), "--response")
        facts = turn(run, make_result(f"c{number}", LOG[: 45 * 60]), "--json", "--prune", "0.8")
        steps += facts["steps"]
        assert facts["percent"] < 80
    assert steps[:1] == ["prune"]


def test_what_must_stay_is_not_sent_if_it_does_not_fit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "system.md").write_text("word " * 778)
    args = ("turn", "--session", "s", "--system", "system.md", "--window")
    done = run(*args, "1000", stdin=lines(USER), cwd=tmp_path)
    assert (done.status, done.out) == (1, b"")
    assert "what must stay takes" in done.err
    assert len(run("session", "history", "s").out.splitlines()) == 1
    done = run(*args, "1000", "--json", stdin="", cwd=tmp_path)
    assert (done.status, json.loads(done.out)["request"]) == (1, None)
    larger = run(*args, "4000", stdin="", cwd=tmp_path)
    assert larger.status == 0, larger.err


@pytest.mark.slow
def test_what_changes_every_turn_keeps_the_prefix(run: Run, tmp_path: Path) -> None:
    """The cached prefix is byte-identical over turns in which only dynamic sections change."""
    (tmp_path / "system.md").write_text("Be careful.\n")
    (tmp_path / "tools.json").write_bytes(run("tools", "builtin").out)
    prefixes = set()
    for number in range(6):
        (tmp_path / "notes.md").write_text(f"dynamic {number * number}\n")
        args = ("--system", "system.md", "--tools", "tools.json", "--scratchpad", "notes.md", "--session", "s")
        done = run("turn", "--window", "9000", *args, stdin=lines(USER) if not number else "", cwd=tmp_path)
        prefixes.add(done.out.partition(b"dynamic ")[0])
    assert len(prefixes) == 1
    assert prefixes.pop().endswith(json.dumps(USER["content"]).encode()[:-1] + rb"\n\n")


def test_tools_are_deferred_above_the_threshold(run: Run, tmp_path: Path) -> None:
    """Seed 001: "[N tools deferred to save context. Use tool_search to find them.]"; "Select tools via DeferralManager"."""
    tools = [
        {"name": f"mcp__x__{number}", "description": "Do it. " * 40, "inputSchema": {"type": "object"}}
        for number in range(20)
    ]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    facts = turn(run, lines(USER), "--tools", "tools.json", "--json", cwd=tmp_path)
    assert facts["deferred"] == []
    assert "tool_search" not in facts["request"]["messages"][-1]["content"]
    search = {"name": "tool_search", "description": "Find tools.", "inputSchema": {"type": "object"}}
    (tmp_path / "tools.json").write_text(json.dumps([*tools, search]))
    facts = turn(run, lines(USER), "--tools", "tools.json", "--json", cwd=tmp_path)
    number = len(facts["deferred"])
    assert 0 < number < 20
    assert len(facts["request"]["tools"]) == 21 - number
    assert facts["request"]["tools"][0]["type"] == "function"
    note = f"[{number} tools deferred to save context. Use tool_search to find them.]"
    assert facts["request"]["messages"][-1]["content"].endswith(note)


def test_an_answer_at_its_limit_warns_and_the_next_turn_compacts(run: Run) -> None:
    """Seed 002: "detect truncation and decide whether to compact or warn the user"."""
    turn(run, lines(USER))
    answer = {"choices": [{"message": {"role": "assistant", "content": "Half an ans"}, "finish_reason": "length"}]}
    done = run("turn", "--session", "s", "--response", stdin=json.dumps(answer))
    assert json.loads(done.out)["stop_reason"] == "max_tokens"
    assert "limit of tokens" in done.err
    assert json.loads(run("session", "status", "s", "--json").out)["due"] is True
    turn(run, lines(USER))
    assert json.loads(run("session", "status", "s", "--json").out)["due"] is False


@pytest.mark.parametrize(("life", "seconds"), [("ephemeral_5m_input_tokens", 300), ("ephemeral_1h_input_tokens", 3600)])
def test_a_conversation_is_compacted_earlier_while_the_cache_is_cold(run: Run, home: dict[str, str], life: str, seconds: int) -> None:
    """At 73 % of the effective window instead of 95 %, once the provider has it no longer in its cache."""
    text = " ".join(f"the word number {number} of a long request" for number in range(60))
    answer = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 5_000, "cache_creation": {life: 5_000}, "output_tokens": 3}
    for _ in range(10):
        turn(run, lines({"role": "user", "content": text}), "--to", "anthropic")
        turn(run, json.dumps({**answer, "usage": usage}), "--response")
    with closing(sqlite3.connect(Path(home["XDG_DATA_HOME"]) / "ctxkit" / "ctxkit.db")) as db:
        (cold_from,) = db.execute("SELECT cold_from FROM session").fetchone()
        assert abs(cold_from - time.time() - seconds) < 60
        before = turn(run, "", "--to", "anthropic", "--json")
        assert (before["steps"], 0.75 < before["tokens"] / before["effective"] < 0.9) == ([], True)
        db.execute("UPDATE session SET cold_from = 7")
        db.commit()
        after = turn(run, "", "--to", "anthropic", "--json")
        assert (after["steps"], after["tokens"] < before["tokens"] * 0.8) == (["compact"], True)
        assert db.execute("SELECT cold_from FROM session").fetchone() == (0,)


def test_the_usage_of_an_answer_anchors_the_ledger(run: Run) -> None:
    """Seed 002: "model usage reporting (when available)"."""
    turn(run, lines(USER))
    answer = {
        "choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": 50}},
    }
    assert turn(run, json.dumps(answer), "--response")["usage"]["input"] == 700
    status = json.loads(run("session", "status", "s", "--json").out)
    assert (status["used"], status["items"]) == (710, 2)
    facts = turn(run, "", "--json")
    assert facts["components"]["unmeasured"] + facts["tokens"] == 710


def test_a_stream_is_one_answer(run: Run) -> None:
    turn(run, lines(USER))
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "bash", "arguments": ""}}
    deltas = ({"role": "assistant", "content": "I "}, {"content": "look."}, {"tool_calls": [call]})
    more = {"tool_calls": [{"index": 0, "function": {"arguments": '{"cmd": "ls"}'}}]}
    choices = [{"index": 0, "delta": delta} for delta in (*deltas, more)] + [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
    chunks = [{"object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    chunks.append({"choices": [], "usage": {"prompt_tokens": 700, "completion_tokens": 20}})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    cut = run("turn", "--session", "s", "--response", stdin="".join(events[:3]))
    assert (cut.status, cut.out) == (65, b"")
    assert "the answer is not complete" in cut.err
    answer = turn(run, "".join((*events, "data: [DONE]\n\n")), "--response")
    assert (answer["reply"], answer["stop_reason"], answer["usage"]["input"]) == ("I look.", "tool_use", 700)
    assert answer["tool_calls"] == [{"id": "c1", "name": "bash", "arguments": {"cmd": "ls"}}]
    message = json.loads(run("session", "history", "s").out.splitlines()[-1])
    assert message["tool_calls"][0]["function"]["arguments"] == '{"cmd": "ls"}'


def test_an_answer_that_is_an_error_adds_nothing(run: Run) -> None:
    turn(run, lines(USER))
    done = run("turn", "--session", "s", "--response", stdin='{"error": {"message": "overloaded", "code": 529}}')
    assert done.status == 1
    assert json.loads(done.out)["stop_reason"] == "error"
    assert "overloaded" in done.err
    assert len(run("session", "history", "s").out.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "stdin", "status", "problem"),
    [
        (("--window", "9000"), lines(USER), 2, "turn needs a session"),
        (("--session", "s"), lines(USER), 2, "--window"),
        (("--session", "s", "--window", "9000"), "", 65, "there are no messages"),
        (("--session", "s", "--window", "9000"), lines(USER) + '{"role": ', 65, "line 2"),
        (("--session", "s", "--window", "9000"), lines({"role": "robot", "content": "x"}), 65, "unknown role: robot"),
        (("--session", "s", "--window", "9000", "--system", "absent"), lines(USER), 66, "absent"),
        (
            ("--session", "s", "--window", "9000", "--to", "anthropic"),
            lines({"role": "tool", "content": "x"}),
            65,
            "tool",
        ),
        (("--session", "s", "--response"), "", 65, "empty"),
        (("--session", "s", "--response"), "{}", 65, "no answer of a provider"),
        (("--session", "s", "--response"), make_call("c"), 1, "no session s"),
    ],
)
def test_wrong_input_is_an_error_of_one_line(run: Run, args, stdin: str, status: int, problem: str) -> None:
    done = run("turn", *args, stdin=stdin)
    assert (done.status, done.out) == (status, b""), done.err
    assert problem in done.err
    assert done.err.startswith("ctxkit: ")
    assert "Traceback" not in done.err


def test_without_a_usable_store_results_stay_inline(run: Run, no_store: dict[str, str]) -> None:
    """Seed 001: "ResultStore fails -> results stay inline"."""
    turn(run, lines(USER))
    turn(run, make_call("c1"), "--response")
    done = run("turn", "--session", "s", "--window", "8192", stdin=make_result("c1", LOG), env=no_store)
    assert "content passes unchanged" in done.err


def test_a_call_without_a_result_gets_a_placeholder(run: Run) -> None:
    turn(run, lines(USER))
    turn(run, make_call("c1"), "--response")
    done = run("turn", "--session", "s", stdin=lines(USER))
    assert done.status == 0
    assert "no result recorded" in done.out.decode()
    assert "the request is repaired" in done.err


def test_past_80_percent_a_note_rides_at_the_tail(run: Run, tmp_path: Path) -> None:
    """Seed 001: "You can call compact_context to free space before continuing with large operations."."""
    (tmp_path / "system.md").write_text("Be careful.\n")
    options = ("--system", "system.md", "--tokenizer", "bytes/3", "--reserve", "20%", "--json")
    sparse = turn(run, lines(USER), *options, cwd=tmp_path)
    assert "[Context: " not in json.dumps(sparse["request"])
    facts = turn(run, lines({"role": "user", "content": "x" * 16_500}), *options, cwd=tmp_path)
    messages = facts["request"]["messages"]
    note = r"\[Context: 8\d% used\. You can call compact_context to free space before continuing with large operations\.\]"
    assert re.search(rf"x\n\n{note}\Z", messages[-1]["content"])
    assert messages[0]["content"] == "Be careful.\n", "the cached part stays as it is"


def test_the_full_note_has_the_status_of_each_turn(run: Run) -> None:
    """Seed 004: "Inject stats into system prompt on each turn"."""
    first = turn(run, lines(USER), "--note", "full", "--json")
    second = turn(run, lines(USER), "--note", "full", "--json")
    for facts, items in ((first, 1), (second, 2)):
        tail = facts["request"]["messages"][-1]["content"]
        assert "**Context Status**:" in tail
        assert f"- Items: {items} context item" in tail
    assert json.dumps(second["request"]).count("Context Status") == 1, "the note of the last turn is gone"
