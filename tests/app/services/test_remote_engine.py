"""Counts and maps of a real server are those of this process, and a server that fails costs nothing but time."""

import contextlib
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxkit.app.services import remote_engine
from ctxkit.app.services.remote_engine import ServerClient
from ctxkit.core.errors import InputOutputError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.conftest import Run
from tests.servers import RunningServer, list_children, make_user, run_server

LOG = "".join(f"2026-11-0{1 + at % 9} INFO step {at} of the build took {at * 7 % 113} ms\n" for at in range(3_000)) + "ERROR: the disk is full\n"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The user of the server and of the commands that ask it."""
    return make_user(tmp_path_factory.mktemp("user"))


@pytest.fixture
def home(user: dict[str, str]) -> dict[str, str]:
    return user


@pytest.fixture(scope="module")
def server(ctxkit: str, user: dict[str, str]) -> Iterator[RunningServer]:
    with run_server(ctxkit, user, "-j", "1", "--preload", "qwen3") as running:
        yield running


@pytest.fixture
def _same_home(user: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process have the home of the server, which answers no other."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"):
        monkeypatch.setenv(name, user[name])


def count_requests(server: RunningServer) -> int:
    return int(re.search(rb'"requests":(\d+)', server.ask("/v1/health").body)[1])


def fail(_vocabulary):
    raise AssertionError("the vocabulary is loaded here")


def make_engine(path: str, load=fail) -> remote_engine.RemoteEngine:
    return remote_engine.RemoteEngine(path, load)


@pytest.mark.slow
@pytest.mark.usefixtures("_same_home")
@pytest.mark.parametrize("text", ["", "one two", "ö\n\t🙂 x\u0000y", "\ud800 alone", "word " * 10_000])
def test_a_count_of_the_server_is_that_of_this_process(server: RunningServer, text: str) -> None:
    vocabulary = find_vocabulary("qwen3")
    assert make_engine(server.path).tokenizer(vocabulary)(text) == tokens.load_tokenizer(vocabulary)(text)


@pytest.mark.usefixtures("_same_home")
def test_many_counts_are_made_here(server: RunningServer) -> None:
    loads = []

    def load(vocabulary):
        loads.append(vocabulary.name)
        return len

    count = make_engine(server.path, load).tokenizer(find_vocabulary("qwen3"))
    answers = [count("word " * 10) for _ in range(remote_engine.MAX_REQUESTS + 3)]
    assert answers == [11] * remote_engine.MAX_REQUESTS + [50] * 3
    assert loads == ["qwen3"]


@pytest.mark.parametrize("name", ["claude", "bytes/3", "estimate"])
def test_what_needs_no_vocabulary_is_counted_here(server: RunningServer, name: str) -> None:
    vocabulary = find_vocabulary(name)
    assert make_engine(server.path, lambda found: found.name).tokenizer(vocabulary) == name  # type: ignore[comparison-overlap]
    assert make_engine(server.path).ask_for_map("ab", None, vocabulary, None) is None


def test_without_a_server_there_is_no_engine(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("absent", "file"):
        assert remote_engine.find_engine(str(tmp_path / name), fail) is None


def test_a_server_that_does_not_answer_is_asked_once(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(tmp_path / "s"))  # nobody listens
        engine = make_engine(os.path.relpath(tmp_path / "s"), lambda _vocabulary: len)
        assert [engine.tokenizer(find_vocabulary("qwen3"))("four") for _ in range(3)] == [4, 4, 4]


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--window", "4000"), ("--window", "900000"), ("--window", "4000", "--name", "make 'all'", "--status", "2", "--focus", "disk"), ("--window", "9000", "--hint", "sed"), ("--window", "4000", "--no-store")])
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_gate_with_a_server_answers_as_without(run: Run, server: RunningServer, options: tuple[str, ...], as_json: tuple[str, ...]) -> None:
    arguments = ("gate", "--tokenizer", "qwen3", *options, *as_json)
    before = count_requests(server)
    with_server = run(*arguments, stdin=LOG, env={"CTXKIT_SERVER": server.path, "CTXKIT_MODEL": ""})
    assert "900000" in options or count_requests(server) > before + 1
    assert with_server == run(*arguments, stdin=LOG, env={"CTXKIT_SERVER": "false"})
    assert with_server.status == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("CTXKIT_EVENTS", "/tmp/e.jsonl"), ("CTXKIT_STORE", "redis://127.0.0.1:1"), ("CTXKIT_CACHE_DIR", "/tmp/c")],
        *[("CTXKIT_SUMMARIZER", "cmd:true"), ("XDG_CONFIG_HOME", "/tmp/config"), ("XDG_CACHE_HOME", "/tmp/cache")],
    ],
)
def test_a_command_whose_variable_names_a_place_asks_no_server(run: Run, server: RunningServer, name: str, value: str, tmp_path: Path) -> None:
    words, place = ("gate", "--tokenizer", "qwen3", "--window", "4000"), {"CTXKIT_SERVER": server.path}
    before = count_requests(server)
    ran = run(*words, stdin=LOG, env={**place, name: value.replace("/tmp", str(tmp_path))})
    assert (ran.status, count_requests(server)) == (0, before + 1)
    assert run(*words, stdin=LOG, env=place).status == 0
    assert count_requests(server) > before + 2


@pytest.mark.slow
def test_a_server_of_another_home_does_not_answer(run: Run, server: RunningServer, tmp_path: Path) -> None:
    other = make_user(tmp_path / "other")
    ran = run("gate", "-v", "--tokenizer", "qwen3", "--window", "4000", stdin=LOG, env={**other, "CTXKIT_SERVER": server.path})
    assert ran.status == 0
    assert b"ERROR: the disk is full" in ran.out
    assert "the server does not answer: the server answered HTTP/1.1 409" in ran.err


@pytest.mark.slow
def test_a_session_is_charged_the_same(run: Run, server: RunningServer) -> None:
    used = []
    for name, chosen in (("a", server.path), ("b", "false")):
        run("session", "new", name, "--window", "20000", "--tokenizer", "qwen3")
        for stdin in (LOG, "short\n", LOG + "more\n"):
            assert run("gate", "--session", name, "--tokenizer", "qwen3", stdin=stdin, env={"CTXKIT_SERVER": chosen}).status == 0
        status = json.loads(run("session", "status", name, "--json").out)
        used.append({key: value for key, value in status.items() if key in ("used", "available", "calls", "entries")})
    assert used[0] == used[1]
    assert used[0]["used"] > 1_000


@pytest.mark.slow
def test_run_uses_the_server(run: Run, server: RunningServer) -> None:
    before = count_requests(server)
    arguments = ("run", "--tokenizer", "qwen3", "--window", "4000", "--", "seq", "20000")
    assert run(*arguments, env={"CTXKIT_SERVER": server.path}) == run(*arguments)
    assert count_requests(server) >= before + 3


@pytest.mark.slow
def test_a_server_that_stops_in_the_middle_is_done_without(run: Run, ctxkit: str, home: dict[str, str]) -> None:
    with run_server(ctxkit, home, "-j", "1", "--preload", "qwen3") as running:
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait()
        ran = run("gate", "-v", "--tokenizer", "qwen3", "--window", "4000", stdin=LOG, env={"CTXKIT_SERVER": running.path})
    assert ran.status == 0
    assert b"ERROR: the disk is full" in ran.out
    assert "the server does not answer" in ran.err


def test_a_project_cannot_name_a_server(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('server = "/tmp/evil"\n')
    ran = run("gate", "--window", "4000", stdin="x", cwd=tmp_path)
    assert ran.out == b"x"
    assert "server" in ran.err
    assert "only your own settings file" in ran.err


@pytest.mark.slow
def test_a_stopped_process_and_a_stopped_server_hold_no_gate(run: Run, server: RunningServer) -> None:
    words, place = ("gate", "--tokenizer", "qwen3", "--window", "4096"), {"CTXKIT_SERVER": server.path}
    shown = run(*words, stdin=LOG, env=place)
    for process in (*list_children(server.process.pid), server.process.pid):
        os.kill(process, signal.SIGSTOP)
        try:
            assert run(*words, stdin=LOG, env=place) == shown
        finally:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def trickle(connection: socket.socket) -> None:
    """Answer with a byte each 100 ms, until the client has gone."""
    with suppress(OSError), connection:
        for byte in b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n" + b'{"tokens":5}':
            connection.sendall(bytes([byte]))
            time.sleep(0.1)


def wait(connection: socket.socket) -> None:
    """Answer nothing until the client has gone."""
    with suppress(OSError), connection:
        while connection.recv(100_000):
            pass


@contextmanager
def run_broken_server(path: str, answer: Callable[[socket.socket], None] | None) -> Iterator[None]:
    """Accept connections at a path, each in a thread; without an answer, leave a socket at which nobody listens."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        if answer is None:
            yield
            return
        listener.listen()

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("answer", [trickle, wait, None])
@pytest.mark.parametrize("size", [10, 2_000_000])
def test_a_broken_server_adds_at_most_300_ms(answer: Callable[[socket.socket], None] | None, size: int) -> None:
    with TemporaryDirectory() as folder, run_broken_server(f"{folder}/s", answer):
        engine = make_engine(f"{folder}/s", lambda _vocabulary: len)
        began = time.monotonic()
        assert [engine.tokenizer(find_vocabulary("qwen3"))("x" * size) for _ in range(3)] == [size] * 3
        assert time.monotonic() - began < 0.3


@pytest.mark.slow
def test_a_stopped_server_adds_at_most_300_ms(server: RunningServer) -> None:
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        engine, began = make_engine(server.path, lambda _vocabulary: len), time.monotonic()
        assert engine.tokenizer(find_vocabulary("qwen3"))("four") == 4
        assert time.monotonic() - began < 0.3
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


@pytest.fixture
def listen():
    """Answer each connection with a function of what it sends; return the path."""
    with TemporaryDirectory() as folder:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/s")
        listener.listen()
        threads: list[threading.Thread] = []

        def start(answer: Callable[[socket.socket], None], times: int = 1) -> str:
            def serve() -> None:
                for _ in range(times):
                    connection, _ = listener.accept()
                    with connection:
                        answer(connection)

            threads.append(threading.Thread(target=serve))
            threads[-1].start()
            return f"{folder}/s"

        yield start
        for thread in threads:
            thread.join(10)
        listener.close()


def send(*pieces: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.recv(100_000)
        for piece in pieces:
            connection.sendall(piece)

    return answer


def test_the_body_of_an_answer_is_returned(listen) -> None:
    path = listen(send(b"HTTP/1.1 200 OK\r\nContent-", b"Length: 6\r\n", b"\r\nsix", b" by"))
    client = ServerClient(path)
    assert client.post("/x", {"a": "b"}, b"body") == b"six by"
    client.close()


def test_a_connection_serves_several_requests(listen) -> None:
    def answer(connection: socket.socket) -> None:
        for _ in range(3):
            head, _, body = connection.recv(100_000).partition(b"\r\n\r\n")
            assert head.splitlines()[:3] == [b"POST /echo HTTP/1.1", b"host: ctxkit", b"content-length: %d" % len(body)]
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)

    client = ServerClient(listen(answer))
    assert [client.post("/echo", {}, text) for text in (b"a", b"", b"ccc")] == [b"a", b"", b"ccc"]
    client.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\nno",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
        b"garbage",
        b"",
        b"x" * 100_000,
    ],
)
def test_anything_but_a_whole_answer_is_an_error(listen, answer: bytes) -> None:
    with pytest.raises(OSError):
        ServerClient(listen(send(answer))).post("/x", {}, b"")


def test_a_length_that_is_no_number_is_an_error(listen) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        ServerClient(listen(send(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n"))).post("/x", {}, b"")


@pytest.mark.parametrize("name", ["absent", "file"])
def test_no_server_is_an_error(tmp_path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        ServerClient(str(tmp_path / name)).post("/x", {}, b"")


def test_the_server_of_another_user_gets_nothing(listen, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    path = listen(lambda connection: seen.append(connection.recv(100)))
    monkeypatch.setattr(remote_engine, "read_peer_uid", lambda _connection: os.geteuid() + 1)
    with pytest.raises(InputOutputError, match="belongs to another user"):
        ServerClient(path).post("/x", {}, b"secret")
    while not seen:
        pass
    assert seen == [b""]


def test_a_server_that_is_stopped_holds_nobody(listen) -> None:
    """The system connects, but nothing answers: neither the request nor the question whether the server runs."""
    asked = threading.Event()
    path = listen(lambda _connection: asked.wait(20))
    began = time.monotonic()
    for body in (b"short", b"x" * 4_000_000):
        with pytest.raises(TimeoutError):
            ServerClient(path).post("/x", {}, body)
    assert time.monotonic() - began < 0.6
    asked.set()


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"])
def test_bytes_that_trickle_hold_nobody(listen, beginning: bytes) -> None:
    def answer(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.sendall(beginning)
            while True:
                connection.sendall(b"x")
                time.sleep(0.05)

    path = listen(lambda connection: threading.Thread(target=answer, args=(connection.dup(),)).start(), 2)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        ServerClient(path).post("/x", {}, b"")
    assert time.monotonic() - began < 0.3


def test_a_server_that_runs_may_take_longer(listen) -> None:
    answered = threading.Event()

    def answer(connection: socket.socket) -> None:
        if connection.recv(100_000).startswith(b"GET /v1/health"):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
            answered.set()
        else:
            threading.Thread(target=finish, args=(connection.dup(),)).start()

    def finish(connection: socket.socket) -> None:
        with connection:
            answered.wait(20)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    assert ServerClient(listen(answer, 2)).post("/x", {}, b"") == b"ok"
