"""ctxkit mcp wrap --url, installed, between a client and real servers of the official SDK."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.mcp_client import Session, find_ref, read_text
from tests.mcp_http import INITIALIZE, INITIALIZED, HttpServer, raw
from tests.mcp_server import make_text

SIZED = ("--window", "200k", "--tokenizer", "bytes/3")
KEY = "k3y-that-nobody-sees"


@pytest.fixture
def connect(ctxkit: str, home: dict[str, str]) -> Iterator[Callable[..., Session]]:
    started = []

    def start(url: str, *args: str, **env: str) -> Session:
        command = [ctxkit, "mcp", "wrap", *SIZED, "--url", url, *args]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**home, **env}, cwd=home["HOME"])
        started.append(process)
        session = Session(process)
        if "/raw" not in url:
            assert session.ask("initialize", **INITIALIZE["params"])["serverInfo"]["name"] == "tables"
            session.send(INITIALIZED)
        return session

    yield start
    for process in started:
        with process:
            process.kill()


def read_rest(client: Session) -> bytes:
    assert client.process.stderr
    return client.process.stderr.read()


def list_processes(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


@pytest.mark.parametrize("path", ["/mcp", "/json"])
def test_a_long_result_is_a_map_whose_parts_are_read(connect, http_server: HttpServer, path: str) -> None:
    client = connect(http_server.url + path)
    names = [tool["name"] for tool in client.ask("tools/list")["tools"]]
    assert (names[0], names[-1]) == ("dump", "read_result")
    assert read_text(client.call("dump", rows=3)) == make_text(3)
    result = client.call("dump", rows=20_000)
    assert "# dump (20,000 lines" in read_text(result)
    assert result["structuredContent"] == {"result": read_text(result)}
    part = client.call("read_result", ref_id=find_ref(read_text(result)), lines="101:102")
    assert read_text(part) == "row 100 of a long table\nrow 101 of a long table\n"
    assert client.close() == 0
    assert read_rest(client) == b""


@pytest.mark.slow
def test_definitions_are_deferred_and_found(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/mcp", "--window", "2k", "--text-only")
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
    assert tools["values"]["description"].startswith("Deferred:")
    assert not any("outputSchema" in tool for tool in tools.values())
    assert '"name":"leave"' in read_text(client.call("tool_search", query="close the connection")).replace(" ", "")


@pytest.mark.slow
def test_a_result_of_20_mb_becomes_a_map(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/raw")
    client.send(raw(size=20_000_000))
    text = read_text(client.read()["result"])
    assert "(200,000 lines" in text
    assert len(text) < 5_000


def test_keys_are_sent_and_stand_nowhere_else(connect, http_server: HttpServer, home: dict[str, str], tmp_path: Path) -> None:
    headers = ("--header", "X-Mark: keys", "--header-env", "Authorization=MY_KEY", "--events", str(tmp_path / "events"), "-v")
    client = connect(f"{http_server.url}/raw?key={KEY}-2", *headers, MY_KEY=f"Bearer {KEY}")
    long = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": make_text(20_000)}]}})
    for params in ({"pieces": [long]}, {"status": 401, "type": "text/html", "pieces": ["$AUTHORIZATION"]}, {"redirect": f"http://localhost:1/{KEY}"}):
        client.send(raw(**params))
        assert KEY not in json.dumps(client.read())
    (bridge,) = list_processes(client.process.pid)
    assert KEY.encode() not in Path(f"/proc/{bridge}/cmdline").read_bytes()
    assert f"Bearer {KEY}".encode() not in Path(f"/proc/{client.process.pid}/cmdline").read_bytes()
    assert client.close() == 0
    assert KEY.encode() not in read_rest(client)
    assert {request["headers"]["authorization"] for request in http_server.list_requests("keys")} == {f"Bearer {KEY}"}
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in stored if "blobs" in path.parts]
    assert not [path for path in stored if KEY.encode() in path.read_bytes()]


def test_the_session_ends_with_stdin_and_with_a_signal(connect, http_server: HttpServer) -> None:
    for mark, status in (("stdin", 0), ("signal", 128 + signal.SIGTERM)):
        client = connect(f"{http_server.url}/mcp", "--header", f"X-Mark: {mark}")
        if not status:
            assert client.close() == 0
        else:
            client.process.send_signal(signal.SIGTERM)
            assert client.process.wait(20) == status
        assert http_server.list_requests(mark)[-1]["method"] == "DELETE"


def test_a_request_under_way_is_given_up_after_a_signal(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/mcp")
    client.send(client.make("tools/call", {"name": "wait", "arguments": {"seconds": 60}}))
    time.sleep(0.3)
    start = time.monotonic()
    client.process.send_signal(signal.SIGINT)
    assert client.process.wait(20) == 128 + signal.SIGINT
    assert time.monotonic() - start < 10


def test_lines_before_the_end_of_stdin_are_answered(run: Run, http_server: HttpServer) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "dump", "arguments": {"rows": 2}}}
    lines = "\n".join(json.dumps(value) for value in (INITIALIZE, INITIALIZED, call))
    ran = run("mcp", "wrap", *SIZED, "--url", f"{http_server.url}/mcp", stdin=lines)
    assert (ran.status, ran.err) == (0, "")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["first", 2]


def test_a_client_that_goes_away_ends_both_processes(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/mcp")
    client.process.stdout.close()
    client.send(client.make("tools/call", {"name": "dump", "arguments": {"rows": 50}}))
    assert client.process.wait(20) != 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the death of its parent")
def test_no_process_outlives_one_that_is_killed(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/mcp")
    (bridge,) = list_processes(client.process.pid)
    client.process.kill()
    until = time.monotonic() + 10
    while time.monotonic() < until and Path(f"/proc/{bridge}/cmdline").exists() and Path(f"/proc/{bridge}/cmdline").read_bytes():
        time.sleep(0.05)
    assert time.monotonic() < until


def test_a_server_that_ends_is_an_error_and_is_found_again(connect, home: dict[str, str], tmp_path: Path) -> None:
    from tests.mcp_http import run_http_server

    with run_http_server() as server:
        client = connect(f"{server.url}/mcp")
        assert read_text(client.call("dump", rows=1)) == make_text(1)
    error = client.call("dump", rows=1)
    assert error["code"] == -32603
    assert "cannot be asked" in error["message"]
    assert client.close() == 0


def test_ctxkit_changes_nothing_if_it_is_disabled(connect, http_server: HttpServer) -> None:
    client = connect(f"{http_server.url}/mcp", CTXKIT_DISABLE="1")
    assert "read_result" not in [tool["name"] for tool in client.ask("tools/list")["tools"]]
    assert read_text(client.call("dump", rows=20_000)) == make_text(20_000)
    assert client.close() == 0


def test_warnings_are_on_stderr_unless_they_are_silenced(run: Run) -> None:
    line = json.dumps(INITIALIZE)
    for flags, is_said in (((), True), (("-q",), False)):
        ran = run("mcp", "wrap", *flags, "--url", "http://127.0.0.1:9/mcp", stdin=line)
        assert ran.status == 0
        assert json.loads(ran.out)["error"]["code"] == -32603
        assert ran.err.startswith("ctxkit: warning: http://127.0.0.1:9 cannot be asked: ") is is_said
        assert bool(ran.err) is is_said


@pytest.mark.parametrize(
    "args",
    [
        ("--url", "example.com"),
        ("--url", "http://127.0.0.1:9/", "--", "true"),
        ("--header", "A: b", "--", "true"),
        ("--header-env", "A=b", "--", "true"),
        ("--url", "http://127.0.0.1:9/", "--header", KEY),
        ("--url", "http://127.0.0.1:9/", "--header-env", f"Authorization={KEY}"),
    ],
)
def test_a_wrong_command_line_is_refused_without_its_key(run: Run, args: tuple[str, ...]) -> None:
    ran = run("mcp", "wrap", *args)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("ctxkit: ")
    assert KEY not in ran.err


CLIENT = """
import json, os, sys
import anyio
from mcp import Client, StdioServerParameters, stdio_client

async def main(mode, command, *args):
    server = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    async with Client(stdio_client(server) if args else command, mode=mode) as client:
        answer = {"version": client.protocol_version, "tools": [tool.name for tool in (await client.list_tools()).tools]}
        for name, arguments in (("dump", {"rows": 2}), ("dump", {"rows": 12_000}), ("values", {}), ("work", {})):
            result = await client.call_tool(name, arguments)
            answer[f"{name} {arguments.get('rows', '')}".strip()] = result.model_dump(mode="json", by_alias=True)
    print(json.dumps(answer))

anyio.run(main, *sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
@pytest.mark.parametrize("path", ["/mcp", "/json"])
def test_the_official_client_sees_maps_and_all_else_as_it_is(ctxkit: str, home: dict[str, str], http_server: HttpServer, mode: str, path: str) -> None:
    def ask(*command: str) -> Any:
        done = subprocess.run([sys.executable, "-c", CLIENT, mode, *command], env=home, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    url = http_server.url + path
    alone, through = ask(url), ask(ctxkit, "mcp", "wrap", "--window", "200k", "--url", url)
    assert through["tools"] == [*alone["tools"], "read_result"]
    for name in ("version", "dump 2", "values", "work"):
        assert through[name] == alone[name], name
    assert ": a map, not the content" in through["dump 12000"]["content"][0]["text"]
