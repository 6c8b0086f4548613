"""ctxkit mcp wrap, installed, between a client and a real server."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.mcp_client import Session, find_ref, read_text
from tests.mcp_server import make_text

ROOT = str(Path(__file__).parents[3])
SERVER = (sys.executable, "-m", "tests.mcp_server")
SIZED = ("--window", "200k", "--tokenizer", "bytes/3")
KEY = "ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"


@pytest.fixture
def connect(ctxkit: str, home: dict[str, str]) -> Iterator[Callable[..., Session]]:
    started = []

    def start(*args: str, server: tuple[str, ...] = SERVER, **env: str) -> Session:
        environment = {**home, "PYTHONPATH": os.pathsep.join([ROOT, home.get("PYTHONPATH", "")]), **env}
        command = [ctxkit, "mcp", "wrap", *(args or SIZED), "--", *server]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=home["HOME"])
        started.append(process)
        session = Session(process)
        if server[:3] == SERVER and "CTXKIT_DISABLE" not in env:
            assert session.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})["serverInfo"]["name"] == "tables"
            session.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return session

    yield start
    for process in started:
        with process:
            process.kill()


def test_a_long_result_is_a_map_whose_parts_are_read_through_the_same_server(connect) -> None:
    client = connect()
    assert [tool["name"] for tool in client.ask("tools/list")["tools"]] == ["dump", "read_result"]
    assert read_text(client.call("dump", rows=3)) == make_text(3)
    text = read_text(client.call("dump", rows=20_000))
    assert "more than result_cap, 25,000 tokens" in text
    assert "# dump (20,000 lines" in text
    assert len(text) < 2_000
    part = client.call("read_result", ref_id=find_ref(text), lines="101:102")
    assert read_text(part) == "row 100 of a long table\nrow 101 of a long table\n"
    assert client.call("read_result")["isError"]
    assert client.close() == 0


def test_what_is_no_long_result_passes_as_bytes(connect, ctxkit: str, home: dict[str, str]) -> None:
    lines = b'{"id": 1,  "method": "tools/call", "params": {"name": "x"}}\n{"result": {"content": [{"text": "\\u00e9", "type": "text"}]}, "id": 1 }\n\nnot json\n{"id": 1, "result": {"content": 5}}\nlast'
    done = subprocess.run([ctxkit, "mcp", "wrap", *SIZED, "--", "cat"], input=lines, capture_output=True, env=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, lines, b"")


def test_long_definitions_are_deferred_and_found(connect, tmp_path: Path) -> None:
    client = connect("--window", "20k", "--tokenizer", "bytes/3", server=(*SERVER, "120", str(tmp_path / "log")))
    tools, params = [], {}
    while True:
        page = client.ask("tools/list", **params)
        tools += page["tools"]
        if "nextCursor" not in page:
            break
        params = {"cursor": page["nextCursor"]}
    assert [tool["name"] for tool in tools] == ["dump", *(f"tool_{number}" for number in range(120)), "read_result", "tool_search"]
    deferred = [tool for tool in tools if tool.get("description", "").startswith("Deferred:")]
    assert len(deferred) > 100
    assert tools[-1]["description"].startswith(f"[{len(deferred)} tools deferred to save context.")
    matches = json.loads(read_text(client.call("tool_search", query="send letters")))["tools"]
    assert "tool_77" in [tool["name"] for tool in matches]
    assert "rows" in matches[0]["inputSchema"]["properties"]
    assert read_text(client.call("tool_77")) == "tool_77"
    assert client.close() == 0
    assert "tool_search" not in (tmp_path / "log").read_text()


def test_the_added_tools_follow_the_names_of_the_server(connect) -> None:
    script = (
        "import json, sys\nfor line in sys.stdin:\n    m = json.loads(line)\n"
        "    r = {'tools': [{'name': 'read_result', 'inputSchema': {'type': 'object'}}]} if m['method'] == 'tools/list' else"
        " {'content': [{'type': 'text', 'text': 'x\\n' * (99_000 if 'long' in line else 1)}]}\n"
        "    print(json.dumps({'id': m['id'], 'result': r}), flush=True)"
    )
    client = connect(server=(sys.executable, "-c", script))
    assert [tool["name"] for tool in client.ask("tools/list")["tools"]] == ["read_result", "ctxkit_read_result"]
    assert read_text(client.call("read_result")) == "x\n"
    text = read_text(client.call("read_result", long=1))
    assert "To read a part: ctxkit_read_result(ref_id=" in text
    assert read_text(client.call("ctxkit_read_result", ref_id=find_ref(text), lines="1:2")) == "x\nx\n"


def test_a_batch_is_answered_in_parts(connect) -> None:
    client = connect()
    calls = [client.make("tools/call", {"name": "dump", "arguments": {"rows": rows}}) for rows in (2, 20_000)]
    client.send([calls[0], client.make("tools/call", {"name": "read_result", "arguments": {"ref_id": "abcdef"}}), calls[1]])
    answers = [client.read(), client.read()]
    (own,) = next(batch for batch in answers if len(batch) == 1)
    short, long = next(batch for batch in answers if len(batch) == 2)
    assert own["id"] == calls[0]["id"] + 2
    assert "nothing is stored as abcdef" in read_text(own["result"])
    assert read_text(short["result"]) == make_text(2)
    assert "# dump (20,000 lines" in read_text(long["result"])


def test_secrets_are_masked_in_all_that_a_model_may_read(connect) -> None:
    resource = {"type": "resource", "resource": {"uri": "x:y", "text": f"token {KEY}"}}
    content = [{"type": "text", "text": f"token {KEY}"}, resource]
    client = connect(*SIZED, "--redact")
    for flag in (False, True):
        result = client.call("dump", content=content, structuredContent={"token": KEY}, isError=flag)
        assert KEY not in json.dumps(result)
        assert len(result["content"]) == 2
        assert list(result["structuredContent"]) == ["token"]
    assert "token" in connect().call("dump", content=content)["content"][0]["text"]


def test_a_result_that_cannot_be_stored_passes_or_fails_as_the_user_says(connect, no_store: dict[str, str]) -> None:
    client = connect(**no_store)
    assert read_text(client.call("dump", rows=20_000)) == make_text(20_000)
    client.close()
    assert b"warning" in client.process.stderr.read()
    strict = connect(*SIZED, "--strict", **no_store)
    answer = strict.call("dump", rows=20_000)
    assert (answer["code"], "content" in answer) == (-32603, False)
    assert read_text(strict.call("dump", rows=1)) == make_text(1)


@pytest.mark.parametrize(("name", "value"), [("EXCLUDE", "dump"), ("INCLUDE", "other"), ("NEVER_STORE", "dump"), ("STORE", "false"), ("RESULT_CAP", "none")])
def test_a_result_passes_where_the_settings_say_so(connect, home: dict[str, str], name: str, value: str) -> None:
    client = connect("--window", "2000k", "--tokenizer", "bytes/3", **{f"CTXKIT_{name}": value})
    assert read_text(client.call("dump", rows=30_000)) == make_text(30_000)
    assert not list(Path(home["XDG_CACHE_HOME"]).glob("ctxkit/blobs/*/*"))


def test_the_limit_of_an_option_or_of_a_host_counts(connect) -> None:
    for args in (("--host", "codex"), (*SIZED, "--limit", "2500")):
        client = connect(*args)
        assert read_text(client.call("dump", rows=50)) == make_text(50)
        assert "# dump (600 lines" in read_text(client.call("dump", rows=600))


def test_a_session_is_charged_and_events_are_logged(connect, run: Run, tmp_path: Path) -> None:
    run("session", "new", "s", "--window", "200k", "--tokenizer", "bytes/3")
    client = connect("--session", "s", "--events", str(tmp_path / "events"))
    client.call("dump", rows=30)
    client.call("dump", rows=20_000)
    assert client.close() == 0
    used = json.loads(run("session", "status", "s", "--json").out)["used"]
    rows = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    assert [(row["event"], row["tool"], row["verb"], row["name"]) for row in rows] == [
        ("gate", "dump", "mcp wrap", "dump"),
        ("tool_output_truncated", "dump", "mcp wrap", "dump"),
    ]
    assert used == sum(row["after_tokens"] for row in rows)
    assert all(row["duration_ms"] < 20_000 for row in rows)


@pytest.mark.parametrize("status", [0, 3])
def test_the_status_is_that_of_the_server(connect, status: int) -> None:
    client = connect()
    client.send({"method": "exit", "params": {"status": status}})
    assert client.process.wait(20) == status


@pytest.mark.parametrize(("server", "status"), [(("/nowhere/at/all",), 127), (("",), 127), (("/",), 126)])
def test_a_server_that_cannot_start_is_named(run: Run, server: tuple[str, ...], status: int) -> None:
    ran = run("mcp", "wrap", *SIZED, "--", *server)
    assert (ran.status, ran.out) == (status, b"")
    assert ran.err.startswith(f"ctxkit: {server[0] or repr('')}: ")


def test_the_server_runs_alone_if_ctxkit_is_disabled(connect) -> None:
    client = connect(CTXKIT_DISABLE="1")
    assert [tool["name"] for tool in client.ask("tools/list")["tools"]] == ["dump"]


def test_options_stand_behind_the_verb(run: Run) -> None:
    assert run("mcp", "--host", "codex", "wrap", "--", "true").status == 2
    assert run("mcp", "wrap").status == 2
    assert run("mcp", "wrp").status == 2
