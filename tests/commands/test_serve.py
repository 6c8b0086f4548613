"""ctxkit serve: a real server, a real client, and the same answers as the command, pair by pair."""

import http.client
import json
import os
import plistlib
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.commands.serve import UNITS, make_unit
from tests.conftest import Run
from tests.servers import (
    RunningServer,
    UnixConnection,
    ask_as_another_user,
    list_children,
    make_user,
    receive,
    run_server,
    wait_until,
)

CASES = Path(__file__).parents[1] / "cases"
INPUTS = sorted(path for kind in ("brief", "compact") for path in (CASES / kind).glob("*/input*") if path.stat().st_size < 300_000)
REQUESTS: dict[str, tuple[str, dict[str, str]]] = {
    "count": ("count", {"tokenizer": "qwen3"}),
    "gate": ("gate", {"tokenizer": "qwen3", "window": "4096"}),
    "limit": ("gate", {"model": "claude-sonnet-4", "limit": "900", "name": "a 'name'"}),
    "brief": ("brief", {"tokenizer": "qwen3", "target": "600", "focus": "error"}),
}
LOG = b"".join(b"line %d of the log\n" % number for number in range(1, 30_001))


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The user of the server, whose requests and commands share a store."""
    return make_user(tmp_path_factory.mktemp("user"))


@pytest.fixture
def home(user: dict[str, str]) -> dict[str, str]:
    return user


@pytest.fixture(scope="module")
def server(ctxkit: str, user: dict[str, str]) -> Iterator[RunningServer]:
    with run_server(ctxkit, {**user, "CTXKIT_MODEL": "gpt-5"}, "-j", "2", "--preload", "qwen3") as running:
        yield running


@pytest.fixture
def caller(home: dict[str, str]) -> dict[str, str]:
    """Return the headers of a caller without a project."""
    return {"ctxkit-directory": quote(home["HOME"])}


def read_health(path: str) -> dict[str, int]:
    with closing(UnixConnection(path)) as connection:
        return json.loads(receive(connection, "GET", "/v1/health", b"", {}).body)


def list_answers() -> Iterator[Any]:
    """Yield each input with each request."""
    for path in INPUTS:
        for name, (endpoint, options) in REQUESTS.items():
            yield pytest.param(path, endpoint, options, id=f"{name}-{path.parent.name}-{path.suffix.lstrip('.')}")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("path", "endpoint", "options"), list(list_answers()))
def test_an_answer_is_that_of_the_command(run: Run, server: RunningServer, caller: dict[str, str], path: Path, endpoint: str, options: dict[str, str]) -> None:
    data = path.read_bytes()
    ran = run(endpoint, "--json", *(f"--{name}={value}" for name, value in options.items()), stdin=data)
    reply = server.ask(f"/v1/{endpoint}?{urlencode(options)}", data, caller)
    assert (reply.body, int(reply.headers["ctxkit-status"])) == (ran.out, ran.status)
    assert reply.status == 200


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("path", [path for path in INPUTS if "compact" in path.parts], ids=lambda path: path.parent.name)
@pytest.mark.parametrize("options", [{"window": "4096", "force": ""}, {"window": "200000"}], ids=["force", "fits"])
def test_a_conversation_is_compacted_as_by_the_command(run: Run, server: RunningServer, caller: dict[str, str], path: Path, options: dict[str, str]) -> None:
    data = path.read_bytes()
    words = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
    ran = run("compact", "--tokenizer=qwen3", "--summarizer", "extract", *words, stdin=data)
    reply = server.ask(f"/v1/compact?{urlencode({'tokenizer': 'qwen3', **options})}", data, caller)
    budget = server.ask("/v1/budget?tokenizer=qwen3&window=32768", data, caller)
    assert int(reply.headers["ctxkit-status"]) == ran.status
    assert ran.status or reply.body == ran.out
    assert budget.body == run("budget", "--json", "--tokenizer=qwen3", "--window=32768", stdin=data).out


@pytest.mark.slow
def test_stored_content_is_read_back(run: Run, server: RunningServer, caller: dict[str, str]) -> None:
    ref = json.loads(server.ask("/v1/gate?window=4096", LOG, caller).body)["ref"]
    assert run("cache", "get", ref, "--lines", "7:8").out == server.ask(f"/v1/cache/get?ref={ref}&lines=7:8", b"", caller).body == b"line 7 of the log\nline 8 of the log\n"
    assert server.ask(f"/v1/cache/get?ref={ref}", b"", caller).body == LOG
    missing = server.ask("/v1/cache/get?ref=abcdef012345", b"", caller)
    assert (missing.status, missing.headers["ctxkit-status"]) == (404, "1")
    assert json.loads(missing.body)["messages"][0] == "ctxkit: nothing is stored under abcdef012345"


def test_a_session_lives_on_both_sides(run: Run, server: RunningServer, caller: dict[str, str]) -> None:
    assert server.ask("/v1/session/new?id=s1&window=9000&tokenizer=qwen3", b"", caller).body == b"s1\n"
    assert run("gate", "--session", "s1", "--tokenizer", "qwen3", stdin="one two\n").status == 0
    assert server.ask("/v1/gate?session=s1&tokenizer=qwen3", b"three four\n", caller).status == 200
    message = b'{"role": "user", "content": "hello"}\n'
    assert server.ask("/v1/session/append?id=s1", message, caller).status == 200
    ours, theirs = (json.loads(text) for text in (run("session", "status", "s1", "--json").out, server.ask("/v1/session/status?id=s1", b"", caller).body))
    assert ours["used"] == theirs["used"] > 5
    assert server.ask("/v1/session/history?id=s1", b"", caller).body == run("session", "history", "s1", "--json").out
    assert b'"s1"' in server.ask("/v1/session/list", b"", caller).body
    assert server.ask("/v1/session/reset?id=s1&used=3", b"", caller).status == 200
    assert json.loads(run("session", "status", "s1", "--json").out)["used"] == 3
    assert server.ask("/v1/session/rm?id=s1", b"", caller).status == 200
    assert server.ask("/v1/session/status?id=s1", b"", caller).status == 404


def test_records_are_answered_in_order(run: Run, server: RunningServer, caller: dict[str, str]) -> None:
    data = b'{"text": "one two"}\n{"text": 5}\nnot json\n'
    reply = server.ask("/v1/count?each&field=text&tokenizer=qwen3", data, caller)
    ran = run("count", "--each", "--field", "text", "--tokenizer", "qwen3", stdin=data)
    assert (reply.body, int(reply.headers["ctxkit-status"])) == (ran.out, ran.status)
    assert len(reply.body.splitlines()) == 3


@pytest.mark.slow
def test_settings_are_those_of_the_caller(server: RunningServer, caller: dict[str, str], tmp_path: Path) -> None:
    """Neither the model in the server's environment nor a project elsewhere holds; an untrusted project may not log."""
    project = tmp_path / "a project"
    (project / ".git").mkdir(parents=True)
    (project / ".ctxkit.toml").write_text('model = "qwen3-30b"\nevents = "/tmp/evil.jsonl"\n')
    here = {**caller, "ctxkit-directory": quote(str(project))}
    assert json.loads(server.ask("/v1/gate", b"x", caller).body)["tokenizer"] == "estimate"
    reply = server.ask("/v1/gate", b"x", here)
    assert json.loads(reply.body)["tokenizer"] == "qwen3"
    assert "ignored%2C%20because%20a%20request%20reads%20only%20harmless" in reply.headers["ctxkit-messages"]
    variables = {**here, "ctxkit-variables": "CTXKIT_MODEL=gpt-5"}
    assert json.loads(server.ask("/v1/gate", b"x", variables).body)["tokenizer"] == "o200k"
    gone = server.ask("/v1/gate", b"x", {**caller, "ctxkit-directory": "/nowhere/at/all"})
    assert (gone.status, "/nowhere/at/all: No such file" in json.loads(gone.body)["messages"][0]) == (404, True)


@pytest.mark.slow
def test_no_program_of_the_settings_runs(server: RunningServer, caller: dict[str, str], home: dict[str, str], tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    data = (CASES / "compact").glob("*/input.jsonl").__next__().read_bytes()
    settings = Path(home["XDG_CONFIG_HOME"], "ctxkit", "config.toml")
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f'summarizer = "cmd:touch {mark}"\n')
    try:
        assert server.ask("/v1/compact?window=4096&force", data, caller).status == 200
    finally:
        settings.unlink()
    assert not mark.exists()


def test_plain_output_is_for_shells(server: RunningServer, caller: dict[str, str]) -> None:
    reply = server.ask("/v1/gate?window=4096", b"as it is\xff\n", {**caller, "accept": "text/plain"})
    assert (reply.body, reply.headers["content-type"]) == (b"as it is\xff\n", "application/octet-stream")


def test_a_connection_serves_many_requests(server: RunningServer, caller: dict[str, str]) -> None:
    connection = UnixConnection(server.path)
    replies = [receive(connection, "POST", "/v1/count?tokenizer=qwen3", b"a " * at, caller) for at in (1, 50_000, 3)]
    connection.close()
    assert [json.loads(reply.body)["tokens"] for reply in replies] == [2, 50_001, 4]


def test_clients_at_the_same_time_get_their_own_answers(server: RunningServer, caller: dict[str, str]) -> None:
    texts = [b"word " * number for number in range(1, 41)]
    found: dict[int, int] = {}

    def ask(number: int) -> None:
        found[number] = json.loads(server.ask("/v1/gate?tokenizer=qwen3&window=9000", texts[number], caller).body)["original"]["bytes"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: len(text) for number, text in enumerate(texts)}


@pytest.mark.slow
def test_a_client_that_leaves_frees_its_process(server: RunningServer, caller: dict[str, str]) -> None:
    for _ in range(4):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(server.path)
            client.sendall(b"POST /v1/gate?window=4096 HTTP/1.1\r\nhost: x\r\ncontent-length: 600000\r\n\r\n" + LOG)
    assert server.ask("/v1/count", b"still here", caller).status == 200


def read_metrics(server: RunningServer) -> dict[tuple[str, ...], float]:
    """Return the samples of the server by name and labels."""
    reply = server.ask("/metrics", method="GET")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(reply.body.decode())
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_requests_are_counted_by_command_and_status(server: RunningServer, caller: dict[str, str]) -> None:
    before = read_metrics(server)
    server.ask("/v1/gate?tokenizer=qwen3&window=9000", b"x", caller)
    server.ask("/v1/gate?xyzzy", b"x", caller)
    server.ask("/xyzzy", b"x", caller)
    after = read_metrics(server)
    names = [("ctxkit_requests_total", *labels) for labels in (("gate", "200"), ("gate", "400"), ("unknown", "404"), ("metrics", "200"))]
    names.append(("ctxkit_request_duration_seconds_bucket", "gate", "+Inf"))
    assert [after[name] - before.get(name, 0) for name in names] == [1, 1, 1, 1, 2]
    assert after[("ctxkit_workers", "idle")] + after[("ctxkit_workers", "busy")] == 2
    assert after[("ctxkit_resident_memory_bytes", "server")] > 1e6


@pytest.mark.slow
def test_the_size_of_the_store_is_that_of_the_command(run: Run, ctxkit: str, home: dict[str, str]) -> None:
    run("cache", "put", "-", stdin=LOG)
    with run_server(ctxkit, home, "-j", "1") as running:
        stored = json.loads(run("cache", "stat", "--json").out)["bytes"]
        assert read_metrics(running)[("ctxkit_stored_bytes",)] == stored > 0


@pytest.mark.slow
def test_a_process_that_is_killed_costs_no_request(server: RunningServer, caller: dict[str, str]) -> None:
    for child in list_children(server.process.pid):
        os.kill(child, signal.SIGKILL)
    assert {server.ask("/v1/count", b"x", caller).status for _ in range(6)} == {200}
    assert json.loads(server.ask("/v1/health", method="GET").body)["workers"] == 2


@pytest.mark.slow
def test_a_process_that_is_stopped_holds_no_request(server: RunningServer, caller: dict[str, str]) -> None:
    before = read_metrics(server)[("ctxkit_worker_replacements_total",)]
    children = list_children(server.process.pid)
    for child in children:
        os.kill(child, signal.SIGSTOP)
    reply = server.ask("/v1/count?tokenizer=qwen3", b"one two", caller)
    assert (reply.status, json.loads(reply.body)["tokens"]) == (200, 2)
    assert read_metrics(server)[("ctxkit_worker_replacements_total",)] > before
    for child in set(children) & set(list_children(server.process.pid)):
        os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_answered_even_if_the_socket_is_open(server: RunningServer) -> None:
    for place in (server.path, os.path.dirname(server.path)):
        os.chmod(place, 0o777)
    assert ask_as_another_user(server.path) == b"connected "
    os.chmod(server.path, 0o600)


@pytest.mark.slow
def test_the_socket_is_the_users_own_and_goes_with_the_server(ctxkit: str, home: dict[str, str]) -> None:
    with run_server(ctxkit, home, "-j", "1") as running:
        assert stat.S_IMODE(os.stat(running.path).st_mode) == 0o600
        workers = list_children(running.process.pid)
        assert running.end() == (0, "")
        assert not os.path.exists(running.path)
        assert not any(os.path.exists(f"/proc/{pid}") for pid in workers)


@pytest.mark.slow
def test_a_request_that_runs_is_answered_after_sigterm_and_new_ones_are_refused(ctxkit: str, home: dict[str, str]) -> None:
    """The signal reaches the processes as well, as a service manager may send it to all."""
    with run_server(ctxkit, home, "-j", "1", "-v") as running, closing(UnixConnection(running.path)) as slow:
        slow.putrequest("POST", "/v1/count")
        slow.putheader("content-length", "7")
        slow.endheaders(b"one")
        assert running.ask("/v1/health", method="GET").status == 200  # the other one has begun
        for process in (*list_children(running.process.pid), running.process.pid):
            os.kill(process, signal.SIGTERM)
        assert wait_until(lambda: running.ask("/v1/count", b"x").status == 503)
        refused = running.ask("/v1/count", b"x")
        assert (refused.status, refused.headers["connection"]) == (503, "close")
        assert json.loads(refused.body)["messages"] == ["ctxkit: the server ends"]
        slow.send(b" two")
        answer = slow.getresponse()
        assert (answer.status, answer.getheader("connection"), json.loads(answer.read())["bytes"]) == (200, "close", 7)
        log = running.process.communicate(timeout=20)[1].splitlines()
        assert running.process.returncode == 0
        assert not os.path.exists(running.path)
    assert all(re.fullmatch(r"ctxkit: \d{4}-\d\d-\d\dT[\d:.]{12}Z \S+ \d{3} [\d.]+ ms, \d+ bytes in, \d+ bytes out", line) for line in log)
    assert [line.split()[2:4] for line in log][-1] == ["count", "200"]
    assert " 7 bytes in, " in log[-1]


@pytest.mark.slow
def test_an_interrupt_is_130(ctxkit: str, home: dict[str, str]) -> None:
    with run_server(ctxkit, home, "-j", "1") as running:
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(20) == 130


@pytest.mark.slow
def test_processes_end_with_a_server_that_is_killed(ctxkit: str, home: dict[str, str]) -> None:
    with run_server(ctxkit, home, "-j", "2") as running:
        workers = list_children(running.process.pid)
        assert len(workers) == 2
        running.process.kill()
        running.process.wait()
        assert wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workers))
        with run_server(ctxkit, home, "-j", "1", path=running.path) as second:  # whose socket was left
            assert second.ask("/v1/health", method="GET").status == 200


@pytest.mark.slow
def test_a_second_server_is_refused(run: Run, server: RunningServer) -> None:
    ran = run("serve", "--socket", server.path)
    assert (ran.status, ran.out, ran.err) == (74, b"", f"ctxkit: {server.path}: a server listens here already\n")


@pytest.mark.slow
def test_the_default_socket_is_used_by_commands(run: Run, ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    short = Path(f"/tmp/ctxkit-test-{os.getpid()}")
    short.mkdir(mode=0o700)
    try:
        place = {"XDG_RUNTIME_DIR": str(short)}
        process = subprocess.Popen([ctxkit, "serve", "-j", "1", "--idle", "60"], stderr=subprocess.PIPE, env={**home, **place}, text=True)
        assert process.stderr is not None
        assert process.stderr.readline() == f"ctxkit: listens on {short}/ctxkit.sock\n"
        with_server = run("gate", "--tokenizer", "qwen3", "--window", "4096", stdin=LOG, env=place)
        count = read_health(f"{short}/ctxkit.sock")["requests"]
        process.terminate()
        process.communicate(timeout=20)
        assert count > 2
        assert with_server == run("gate", "--tokenizer", "qwen3", "--window", "4096", stdin=LOG, env=place)
    finally:
        shutil.rmtree(short)


@pytest.mark.slow
def test_a_server_nobody_asks_ends(ctxkit: str, home: dict[str, str]) -> None:
    began = time.monotonic()
    with run_server(ctxkit, home, "-j", "1", "--idle", "1") as running:
        assert running.process.wait(30) == 0
        assert not os.path.exists(running.path)
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_the_service_manager_may_open_the_socket(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    """The socket is descriptor 3, as systemd hands it over; the server leaves its file alone."""
    path = f"/tmp/ctxkit-activation-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        script = 'exec 3<&"$0"; LISTEN_FDS=1 LISTEN_PID=$$ exec "$1" serve -j 1'
        process = subprocess.Popen(["bash", "-c", script, str(listener.fileno()), ctxkit], pass_fds=[listener.fileno()], stderr=subprocess.PIPE, env=home, text=True)
        try:
            assert read_health(path)["workers"] == 1
            process.terminate()
            assert process.communicate(timeout=20)[1] == "ctxkit: listens on the given socket\n"
            assert os.path.exists(path)
        finally:
            process.kill()
            os.unlink(path)


@pytest.mark.slow
def test_the_network_needs_a_token(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("correct horse battery\n")
    token.chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with run_server(ctxkit, home, "-j", "1", "--listen", f"127.0.0.1:{port}", "--token-file", str(token)) as running:

        def ask(headers: dict[str, str]) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                return receive(connection, "POST", "/v1/count?tokenizer=qwen3", b"one two", headers).status
            finally:
                connection.close()

        assert ask({}) == ask({"authorization": "Bearer wrong"}) == 401
        assert ask({"authorization": "Bearer correct horse battery"}) == 200
        assert ask({"authorization": "Bearer correct horse battery", "ctxkit-directory": "/"}) == 400
        assert running.ask("/v1/count", b"x").status == 200


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--listen", "127.0.0.1:1"], 2, "--listen and --token-file go together"),
        (["--token-file", "absent", "--listen", "127.0.0.1:1"], 66, "absent: No such file or directory"),
        (["--socket", "absent/s"], 74, "absent/s: No such file or directory"),
        (["--preload", "xyzzy"], 2, "xyzzy"),
        (["-j", "0"], 2, "--jobs: '0'"),
    ],
)
def test_a_mistake_is_one_line(run: Run, arguments: list[str], status: int, message: str) -> None:
    ran = run("serve", *arguments)
    assert (ran.status, ran.out) == (status, b"")
    assert message in ran.err.splitlines()[0]


@pytest.mark.parametrize(("name", "line"), [("systemd", "ExecStart={} serve --idle 3600"), ("launchd", "    <string>{}</string>")])
def test_a_unit_names_the_program_that_prints_it(run_installed: Run, ctxkit: str, tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no uvicorn')\n")
    ran = run_installed("serve", "--print-unit", name, env={"PYTHONPATH": str(tmp_path)})
    assert (ran.status, ran.err) == (0, "")
    assert line.format(os.path.abspath(ctxkit)) in ran.out.decode().splitlines()


def test_without_uvicorn_the_hint_installs_it(run_installed: Run, tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no uvicorn')\n")
    ran = run_installed("serve", env={"PYTHONPATH": str(tmp_path)})
    first, hint = ran.err.splitlines()
    assert (ran.status, first) == (69, "ctxkit: serve needs uvicorn")
    assert hint.startswith(f"  hint: {Path(sys.executable).parent}/python")
    assert hint.endswith(" -m pip install 'uvicorn>=0.30'")


PROGRAMS = ["/usr/bin/ctxkit", "/home/a b/100%/ctxkit", "/it's/\"so\"/a\\b/ctxkit", "/a&b/<c>/ctxkit"]


def read_unit(text: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, delimiters=("=",), strict=True)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string(text)
    return parser


@pytest.mark.parametrize("program", PROGRAMS)
def test_systemd_starts_the_program_that_printed_the_unit(program: str) -> None:
    service = read_unit(make_unit("systemd", program))
    assert shlex.split(service["Service"]["ExecStart"].replace("%%", "%")) == [program, "serve", "--idle", "3600"]
    assert service["Service"]["KillMode"] == "mixed"  # else each process gets the signal, and calls die
    assert service["Unit"]["Requires"] == "ctxkit.socket"


def test_the_socket_is_the_default_one() -> None:
    socket = read_unit(make_unit("systemd-socket", "/x"))["Socket"]
    assert dict(socket) == {"ListenStream": "%t/ctxkit.sock", "SocketMode": "0600"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_launchd_starts_the_program_that_printed_the_file(program: str) -> None:
    value = plistlib.loads(make_unit("launchd", program).encode())
    assert value["ProgramArguments"] == [program, "serve"]
    assert (value["Label"], value["KeepAlive"]) == ("org.ctxkit.serve", True)


@pytest.mark.parametrize("name", UNITS)
def test_no_placeholder_stays(name: str) -> None:
    assert "{" not in make_unit(name, "/usr/bin/ctxkit")
