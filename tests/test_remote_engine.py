"""Counts and maps of a real server are those of this process, and a server that fails costs nothing but time."""

import json
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ctxkit import remote_engine
from ctxkit.core.tokens.vocabularies import find_vocabulary
from ctxkit.engines import tokens
from tests.conftest import Run
from tests.servers import RunningServer, list_children, run_server

LOG = "".join(f"2026-11-0{1 + at % 9} INFO step {at} of the build took {at * 7 % 113} ms\n" for at in range(3_000)) + "ERROR: the disk is full\n"


@pytest.fixture(scope="module")
def server(ctxkit: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("server")
    home = {name: str(folder) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with run_server(ctxkit, {**os.environ, **home}, "-j", "1", "--preload", "qwen3") as running:
        yield running


def fail(_vocabulary):
    raise AssertionError("the vocabulary is loaded here")


def make_engine(path: str, load=fail) -> remote_engine.RemoteEngine:
    return remote_engine.RemoteEngine(path, load)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "one two", "ö\n\t🙂 x\u0000y", "\ud800 alone", "word " * 10_000])
def test_a_count_of_the_server_is_that_of_this_process(server: RunningServer, text: str) -> None:
    vocabulary = find_vocabulary("qwen3")
    assert make_engine(server.path).tokenizer(vocabulary)(text) == tokens.load_tokenizer(vocabulary)(text)


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
    with_server = run(*arguments, stdin=LOG, env={"CTXKIT_SERVER": server.path, "CTXKIT_MODEL": ""})
    assert with_server == run(*arguments, stdin=LOG, env={"CTXKIT_SERVER": "false"})
    assert with_server.status == 0


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
    before = server.ask("/v1/health").body
    arguments = ("run", "--tokenizer", "qwen3", "--window", "4000", "--", "seq", "20000")
    assert run(*arguments, env={"CTXKIT_SERVER": server.path}) == run(*arguments)
    requests = [int(re.search(rb'"requests":(\d+)', body)[1]) for body in (before, server.ask("/v1/health").body)]
    assert requests[1] >= requests[0] + 3


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
            began = time.monotonic()
            assert run(*words, stdin=LOG, env=place) == shown
            assert time.monotonic() - began < 20  # a call takes 120 seconds at most
        finally:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
