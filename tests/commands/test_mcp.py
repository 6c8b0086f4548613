"""ctxkit mcp: messages on stdin, replies on stdout."""

import json
from typing import Any

import pytest

from tests.conftest import Run

LINES = "".join(f"line {number} of the log\n" for number in range(1, 20_001))


@pytest.fixture
def ask(run: Run):
    """Send messages, each a method with its parameters, and return the results."""

    def get_results(*calls: tuple[str, dict[str, Any]], args: tuple[str, ...] = (), **given: Any) -> list[dict[str, Any]]:
        messages = [{"jsonrpc": "2.0", "id": id_, "method": name, "params": params} for id_, (name, params) in enumerate(calls)]
        done = run("mcp", *args, stdin="".join(json.dumps(message) + "\n" for message in messages), **given)
        assert (done.status, done.err) == (0, "")
        replies = [json.loads(line) for line in done.out.splitlines()]
        assert [reply["id"] for reply in replies] == list(range(len(calls)))
        return [reply["result"] for reply in replies]

    return get_results


def make_call(name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "tools/call", {"name": name, "arguments": arguments}


def read_text(result: dict[str, Any]) -> str:
    (part,) = result["content"]
    return str(part["text"])


@pytest.fixture
def ref(run: Run) -> str:
    return run("cache", "put", stdin=LINES + "the disk is full\n").out.decode().strip()


def test_lines_of_a_stored_result_are_read(ask: Any, ref: str) -> None:
    part, wrong = ask(make_call("read_result", ref_id=ref, lines="20000:20001"), make_call("read_result", ref_id="abcdef"), args=("--host", "codex"))
    assert read_text(part) == "line 20000 of the log\nthe disk is full\n"
    assert not part["isError"]
    assert wrong["isError"]
    assert "nothing is stored as abcdef" in read_text(wrong)


@pytest.mark.parametrize(("host", "least", "most"), [("codex", 1_100, 2_500), ("claude-code", 3_500, 7_500)])
def test_a_part_is_no_larger_than_the_host_shows(run: Run, ask: Any, ref: str, host: str, least: int, most: int) -> None:
    (result,) = ask(make_call("read_result", ref_id=ref, lines="1:20000"), args=("--host", host, "--tokenizer", "bytes/3"))
    text = read_text(result)
    assert text.startswith("line 1 of the log\n")
    assert f'read_result(ref_id="{ref[:16]}", lines="' in text.splitlines()[-1]
    assert least < len(text.encode()) / 3 <= most


def test_all_stored_results_are_searched(ask: Any, ref: str) -> None:
    hits, none, empty = ask(*(make_call("search", query=query) for query in ("disk full", "nosuchword", "!?")), args=("--window", "9000"))
    assert read_text(hits) == f"{ref}\n  20001: the disk is full\n"
    assert read_text(none) == "No stored result matches 'nosuchword'.\n"
    assert (none["isError"], empty["isError"]) == (False, True)


def test_a_session_has_its_conversation_compacted_and_its_results_booked(run: Run, ask: Any, ref: str) -> None:
    run("session", "new", "s", "--window", "9000", "--tokenizer", "bytes/3")
    message = {"role": "user", "content": "Always use port 8099. " * 40}
    run("session", "append", "s", stdin=json.dumps(message) + "\n")
    listed, read, compacted = ask(
        ("tools/list", {}), make_call("read_result", ref_id=ref, lines="1:9"), make_call("compact_context"), args=("--session", "s")
    )
    assert [tool["name"] for tool in listed["tools"]] == ["read_result", "search", "compact_context"]
    assert read_text(read).count("\n") == 9
    assert read_text(compacted)
    assert json.loads(run("session", "status", "s", "--json").out)["used"] > 0
    (listed,) = ask(("tools/list", {}))
    assert [tool["name"] for tool in listed["tools"]] == ["read_result", "search"]


def test_lines_that_are_no_messages_do_not_stop_the_server(run: Run) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    done = run("mcp", stdin=b"\n{\n" + b"x" * (3 << 20) + b"\n" + ping)
    replies = [json.loads(line) for line in done.out.splitlines()]
    assert [reply.get("error", {}).get("code") for reply in replies] == [-32700, -32600, None]
    assert replies[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_secrets_are_masked_if_the_settings_say_so(run: Run, ask: Any) -> None:
    key = "ghp_" + "a1B2" * 9
    ref = run("cache", "put", stdin=f"start\ntoken {key}\n").out.decode().strip()
    calls = make_call("read_result", ref_id=ref), make_call("search", query="token")
    for result in ask(*calls, env={"CTXKIT_REDACT": "true", "CTXKIT_WINDOW": "9000"}):
        assert "token " in read_text(result)
        assert key not in read_text(result)
