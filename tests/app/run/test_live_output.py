"""What ``ctxkit run`` and ``ctxkit shell`` print while a command runs, and at its end; real processes."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.run import live_output
from ctxkit.app.run.live_output import MAX_ALIKE, MAX_LINES, FirstLines, RecordedOutput, limit_tokens
from ctxkit.core.store.label import Label
from ctxkit.engines.local_store import LocalStore

Run = Callable[..., Any]
Home = dict[str, str]
ENDS = r"\[ctxkit: a process that the command started still runs, and ends with this sandbox; what it prints until then is kept: ctxkit cache get (\w+)\]\n"
SMALL = ("--window", "4000", "--tokenizer", "bytes/3")
SERVERS = (
    *("npm run dev", "npm run ready", "npm start", "pnpm dev", "yarn start", "bun dev", "deno task dev", "npx vite"),
    *("next dev", "make dev", "make watch", "node server.js", "python3 -m http.server", "python3 manage.py runserver"),
    *("flask run", "uvicorn app:app", "gunicorn app", "rails s", "php -S localhost:1", "php artisan serve"),
    *("gradle bootRun", "mvn spring-boot:run", "cargo watch -x test", "go run .", "dotnet watch", "hugo server"),
    *("mkdocs serve", "docker compose up", "kubectl get -w pods", "kubectl port-forward x 1:1", "kubectl logs -f x"),
    *("tail -f x.log", "journalctl -fu x", "npx tsc -w", "jest --watch", "inotifywait -m .", "redis-cli monitor", "tcpdump -i lo"),
)
"""Servers and watchers, of which ctxkit knows none by its name."""
UNKNOWN = tuple(f"program-{number} {words}" for number, words in enumerate(("", "x", "--port 1", "a b") * 3))


@pytest.fixture
def start(ctxkit: str, home: Home, tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Start ctxkit in a group of its own, which is killed at the end."""
    started = []

    def start(*args: str, **env: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [ctxkit, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
            env={**home, "SHELL": "/bin/bash", **env}, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        for pid in (process.pid, *list_children(process.pid)):
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.communicate()


def list_children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def make_stubs(folder: Path, commands: Sequence[str]) -> str:
    """Make programs that print a line and go on running; return a PATH with them."""
    folder.mkdir(exist_ok=True)
    for command in commands:
        path = folder / command.split()[0]
        path.write_text("#!/bin/sh\necho Listening on 1\nexec sleep 60\n")
        path.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("command", [*SERVERS, *UNKNOWN])
def test_the_first_line_of_a_server_is_seen_while_it_runs(start, tmp_path: Path, command: str) -> None:
    process = start("shell", "--host", "claude-code", "-c", command, PATH=make_stubs(tmp_path / "bin", [command]))
    begin = time.monotonic()
    assert process.stdout.readline() == b"Listening on 1\n"
    assert time.monotonic() - begin < 30
    assert process.poll() is None


def test_a_command_that_fits_is_printed_once_whatever_time_it_takes(run: Run) -> None:
    done = run("run", *SMALL, "--", "sh", "-c", "seq 3; sleep 2.2; seq 4 90; exit 3")
    assert (done.status, done.err) == (3, "")
    assert done.out == b"".join(b"%d\n" % number for number in range(1, 91))


def name_number(number: int) -> str:
    """Return a number in letters: lines that differ in numbers alone are held."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.mark.slow
def test_the_map_covers_what_was_not_printed_and_says_so(run: Run) -> None:
    script = "seq 30 | tr 0-9 a-j; sleep 2.2; seq 31 5000 | tr 0-9 a-j; echo 'error: disk full'; exit 3"
    done = run("run", *SMALL, "--", "sh", "-c", script)
    first, _, rest = done.out.decode().partition("Exit status 3; lines 1-40 are above, and not in this map\n")
    assert first == "".join(f"{name_number(number)}\n" for number in range(1, 41))
    assert "(5,001 lines" in rest.splitlines()[0]
    assert "5001: error: disk full" in rest
    assert not re.search(r"^- (?:[1-9]|[1-3]\d|40):", rest, re.MULTILINE)
    assert len(done.out) <= 1600 * 3, "the target of a map, in bytes, with the lines above"
    ref = re.search(r"ctxkit cache get (\w+)", rest)
    assert ref
    assert run("cache", "get", ref[1], "--lines", "40:41").out == b"ea\neb\n"


@pytest.mark.slow
def test_without_a_store_the_excerpt_begins_after_what_was_printed(run: Run) -> None:
    done = run("run", *SMALL, "--no-store", "--", "sh", "-c", "seq 30 | tr 0-9 a-j; sleep 2.2; seq 31 5000 | tr 0-9 a-j")
    lines = done.out.decode().splitlines()
    assert lines[:40] == [name_number(number) for number in range(1, 41)]
    assert lines.count("eb") == 1
    assert lines.count("h") == 1
    assert lines[-1] == "faaa"


@pytest.mark.slow
def test_lines_that_differ_in_numbers_alone_are_held(run: Run) -> None:
    done = run("run", *SMALL, "--", "sh", "-c", "echo begin; seq 5000; sleep 2.2; echo end")
    above, _, rest = done.out.decode().partition("lines 1-2 are above, and not in this map\n")
    assert above == "begin\n1\n"
    assert "(5,002 lines" in rest


def test_the_object_of_json_is_the_only_output(run: Run) -> None:
    done = run("run", *SMALL, "--json", "--", "sh", "-c", "echo a; sleep 2.2; echo b")
    assert json.loads(done.out)["content"] == "a\nb\n"


def test_first_lines_are_masked(run: Run) -> None:
    done = run("run", *SMALL, "--redact", "--", "sh", "-c", "echo api_key=abcdefgh12345678; sleep 2.5; echo b")
    assert b"abcdefgh" not in done.out
    assert done.out.endswith(b"\nb\n")
    assert done.out.count(b"api_key") == 1


def test_output_that_the_user_lets_pass_comes_at_once(start) -> None:
    process = start("run", *SMALL, "--", "sh", "-c", "seq 60; exec sleep 60", CTXKIT_EXCLUDE="sh")
    for number in range(1, 61):
        assert process.stdout.readline() == b"%d\n" % number


@pytest.mark.slow
def test_a_part_of_the_output_is_stored_if_ctxkit_is_killed(start, run: Run) -> None:
    process = start("run", *SMALL, "--", "sh", "-c", "seq 3000; exec sleep 60")
    assert process.stdout.readline() == b"1\n"
    time.sleep(0.5)
    process.kill()
    process.wait()
    listed = run("cache", "list").out.decode()
    assert "cut off, ctxkit was killed: sh -c 'seq 3000" in listed
    assert run("cache", "get", listed.split()[0]).out == b"".join(b"%d\n" % number for number in range(1, 3001))
    assert "1 blob" in run("cache", "stat").out.decode()


@pytest.mark.slow
def test_a_disk_that_fills_while_the_command_runs_loses_no_byte(ctxkit: str, home: Home) -> None:
    done = subprocess.run(
        [ctxkit, "run", *SMALL, "--", "sh", "-c", "seq 100; sleep 2.5; seq 101 300000; exit 6"],
        capture_output=True,
        env=home,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)),
    )
    assert done.returncode == 6
    assert done.stdout == b"".join(b"%d\n" % number for number in range(1, 300_001))


@pytest.mark.slow
def test_a_line_says_that_a_command_still_runs(run: Run) -> None:
    done = run("run", *SMALL, "--", "sh", "-c", "echo a; sleep 10.5; echo b")
    assert done.out == b"a\nb\n"
    assert done.err == "[ctxkit: still running after 10 s, 1 line so far]\n"


def test_a_command_ends_when_nobody_reads_its_first_lines(ctxkit: str, home: Home) -> None:
    loop = "i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo $i | tr 0-9 a-j || exit; sleep 0.1; done"
    script = f"{ctxkit} run {' '.join(SMALL)} -- bash -c '{loop}' | head -n 1"
    begin = time.monotonic()
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home, timeout=60)
    assert done.stdout == b"b\n"
    assert time.monotonic() - begin < 40


def test_descriptors_that_are_open_stay_open(ctxkit: str, home: Home) -> None:
    script = f"{ctxkit} run {' '.join(SMALL)} -- sh -c 'cat \"$0\"; cat <&9' <(echo substituted) 9< <(echo nine)"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home)
    assert done.stdout == b"substituted\nnine\n"


def test_a_map_says_that_one_output_is_capped(run: Run) -> None:
    words = ("run", "--window", "200k", "--tokenizer", "bytes/3", "--")
    many = ("sh", "-c", "seq 30000")
    capped = run(*words, *many).out.decode()
    assert capped.startswith("more than result_cap, 25,000 tokens\n# sh -c 'seq 30000'")
    assert run(*words, *many, env={"CTXKIT_RESULT_CAP": "none"}).out.count(b"\n") == 30_000
    assert run(*words[:1], "--limit", "100k", *words[1:], *many).out.count(b"\n") == 30_000


def wait_for(path: Path) -> str:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.05)
    return path.read_text()


def leave_behind(tmp_path: Path, script: str) -> str:
    """Return a script that leaves a process behind, which writes how it ended."""
    return f"( sleep 1; {script}; echo $? > {tmp_path}/end ) & echo started; exit 4"


def read_later(run: Run, note: str, size: int) -> bytes:
    """Return what a note names, once it has some bytes."""
    id_ = re.search(r"ctxkit cache get (\w+)\]\n", note)
    assert id_, note
    until = time.monotonic() + 30
    while len(data := run("cache", "get", id_[1]).out) < size:
        assert time.monotonic() < until, data
        time.sleep(0.05)
    return bytes(data)


def test_a_process_that_prints_later_is_not_killed_and_its_output_is_kept(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "echo late; sleep 0.2; echo later"))
    assert (done.status, done.out) == (4, b"started\n")
    assert read_later(run, done.err, 11) == b"late\nlater\n"
    assert wait_for(tmp_path / "end") == "0\n"


def test_without_a_store_it_is_read_and_lost(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--no-store", "--", "bash", "-c", leave_behind(tmp_path, "echo late"))
    assert done.err.endswith("what it prints from now on is not kept]\n")
    assert wait_for(tmp_path / "end") == "0\n"


def test_its_secrets_are_masked(run: Run, tmp_path: Path) -> None:
    script = leave_behind(tmp_path, "echo api_key=abcdefgh12345678")
    done = run("run", *SMALL, "--redact", "--", "bash", "-c", script)
    assert b"abcdefgh" not in read_later(run, done.err[done.err.index("[ctxkit") :], 9)


@pytest.mark.slow
def test_what_exceeds_the_limit_is_counted(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "head -c 20000000 /dev/zero"))
    assert wait_for(tmp_path / "end") == "0\n"
    assert len(read_later(run, done.err, 16 << 20)) == 16 << 20
    until = time.monotonic() + 30
    while "3,222,784 more bytes" not in (listed := run("cache", "list").out.decode()):
        assert time.monotonic() < until, listed
        time.sleep(0.1)


def test_a_command_that_is_stopped_leaves_nothing(run: Run) -> None:
    done = run("run", *SMALL, "--timeout", "0.5", "--", "bash", "-c", "sleep 60 & sleep 60")
    assert (done.status, done.err) == (124, "")


@pytest.mark.parametrize("script", ['exec "$@"', '"$@"; exit $?'], ids=["process 1", "its child"])
def test_in_a_sandbox_a_line_says_that_the_process_ends_with_it(
    ctxkit: str, home: dict[str, str], tmp_path: Path, script: str
) -> None:
    """The end of process 1 of a namespace ends all others there."""
    spaces = ["unshare", *(["-r"] if os.getuid() else []), "--pid", "--fork", "--mount-proc", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or subprocess.run([*spaces, "true"], capture_output=True).returncode:
        pytest.skip("this user may make no namespace")
    argv = [*spaces, ctxkit, "run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "echo late")]
    done = subprocess.run(argv, capture_output=True, text=True, env=home, timeout=60)
    assert (done.returncode, done.stdout) == (4, "started\n")
    line = re.fullmatch(ENDS, done.stderr)
    assert line, done.stderr
    time.sleep(1.5)
    assert not (tmp_path / "end").exists()
    stored = subprocess.run([ctxkit, "cache", "get", line[1]], capture_output=True, env=home, timeout=60)
    assert (stored.returncode, stored.stdout) == (0, b"")


LABEL = Label("make")


@pytest.fixture
def begin_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_output, "AFTER", 0.0)


@pytest.fixture
def store(tmp_path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def list_unfinished(tmp_path) -> list[str]:
    return [path.name for path in (tmp_path / "cache" / "taking").iterdir()]


@pytest.mark.usefixtures("begin_at_once")
def test_the_entry_holds_what_came_and_is_continued(store: LocalStore, tmp_path) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    chunks = recorded.watch([b"a", b"b", b"c"])
    assert next(chunks) + next(chunks) == b"ab"
    assert len(list_unfinished(tmp_path)) == 2
    writer = recorded.open_writer(store)
    writer.write(b"ab")
    assert list(writer.replay()) == [b"ab"]
    writer.write(next(chunks))
    ref = writer.commit(LABEL)
    recorded.close()
    assert store.open(ref).read(0, 9) == b"abc"
    assert list_unfinished(tmp_path) == []


@pytest.mark.usefixtures("begin_at_once")
def test_an_entry_that_nobody_continues_is_removed(store: LocalStore, tmp_path) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    assert b"".join(recorded.watch([b"a"])) == b"a"
    recorded.close()
    assert list_unfinished(tmp_path) == []


@pytest.mark.usefixtures("begin_at_once")
def test_output_that_comes_before_the_time_is_not_stored(store: LocalStore, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_output, "AFTER", 60.0)
    recorded = RecordedOutput(lambda: store, LABEL)
    assert b"".join(recorded.watch([b"a"])) == b"a"
    assert not (tmp_path / "cache").exists()
    writer = recorded.open_writer(store)
    writer.write(b"a")
    assert store.open(writer.commit(LABEL)).read(0, 9) == b"a"
    recorded.close()


@pytest.mark.usefixtures("begin_at_once")
def test_an_entry_that_cannot_be_written_leaves_the_output_and_reports_the_error(store: LocalStore) -> None:
    def fail() -> LocalStore:
        raise OSError("no space")

    recorded = RecordedOutput(fail, LABEL)
    assert b"".join(recorded.watch([b"a", b"b"])) == b"ab"
    assert str(recorded.error) == "no space"
    recorded.close()


@pytest.mark.usefixtures("begin_at_once")
def test_bytes_that_could_not_be_written_are_an_error_of_the_continued_entry(store: LocalStore) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    chunks = recorded.watch([b"a", b"b"])
    next(chunks)
    writer = recorded.open_writer(store)
    writer.write(b"a")
    recorded.error = OSError("no space")
    with pytest.raises(OSError, match="no space"):
        writer.write(next(chunks))
    assert b"".join(writer.replay()) == b"a"
    writer.abandon()


MANY = b"".join(f"{'a' * number}\n".encode() for number in range(1, 60))


def is_short(text: bytes) -> bool:
    return len(text) <= 1900


def show(chunks: list[bytes], mask: Callable[[bytes], bytes] | None = None) -> int:
    lines = FirstLines(is_short, mask)
    assert list(lines.watch(chunks)) == chunks
    return lines.count


@pytest.mark.parametrize(
    ("chunks", "printed"),
    [
        ([b"a\nb\n"], b"a\nb\n"),
        ([b"a", b"\nb", b"", b"c\nd"], b"a\nbc\n"),
        ([b"no newline"], b""),
        ([b"a\n\0\1\2\nb\n"], b"a\n"),
        ([b"10%\r20%\r99%\nb\n"], b"99%\nb\n"),
        ([b"x\n" * 100], b"x\n" * MAX_ALIKE),
        ([MANY], b"".join(MANY.splitlines(keepends=True)[:MAX_LINES])),
        ([b"step 1\nstep 2\nstep 30\n", b"step 4\n"], b"step 1\n"),
        ([b"step 1\nstep 2\n", b"step 3\nready\nstep 4\n"], b"step 1\nstep 2\nstep 3\nready\n"),
        ([b"x\n" * 60 + b"ready\n"], b"x\n" * MAX_ALIKE),
        ([b"x" * 70_000 + b"\n", b"a\n"], b""),
        ([b"a\n", b"x" * 3000 + b"\n", b"b\n"], b"a\n"),
        ([b"\xff\xfe\n"], b"\xff\xfe\n"),
    ],
)
@pytest.mark.usefixtures("begin_at_once")
def test_complete_lines_that_fit_are_printed(capfdbinary: pytest.CaptureFixture[bytes], chunks: list[bytes], printed: bytes) -> None:
    count = show(chunks)
    assert capfdbinary.readouterr().out == printed
    assert count == printed.count(b"\n")


@pytest.mark.usefixtures("begin_at_once")
def test_nothing_is_printed_before_the_time(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(live_output, "AFTER", 60.0)
    assert show([b"a\n", b"x\n" * 99_999]) == 0
    assert capfdbinary.readouterr().out == b""


@pytest.mark.usefixtures("begin_at_once")
def test_what_is_not_kept_is_not_taken_for_the_next_line(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(live_output, "AFTER", 0.2)
    lines = FirstLines(is_short)

    def read() -> Iterator[bytes]:
        yield b"1\n" + b"step\r" * 20_000
        yield b"lost\n" * 9
        time.sleep(0.3)
        yield b"end\n"

    assert len(b"".join(lines.watch(read()))) > 100_000
    assert (capfdbinary.readouterr().out, lines.count) == (b"1\n", 1)


@pytest.mark.usefixtures("begin_at_once")
def test_lines_come_one_after_the_other(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = FirstLines(is_short)

    def read() -> Iterator[bytes]:
        for line in (b"a\n", b"b\n"):
            yield line
            yield b""
            assert capfdbinary.readouterr().out == line
        lines.close()
        yield b"c\n"

    assert b"".join(lines.watch(read())) == b"a\nb\nc\n"
    assert capfdbinary.readouterr().out == b""


@pytest.mark.usefixtures("begin_at_once")
def test_secrets_are_masked_and_what_changes_later_is_held(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def mask(data: bytes) -> bytes:
        """Mask a key, and all of it once its end is known."""
        return data.replace(b"key=abc", b"*" if b"end" in data else b"***")

    show([b"key=abc\nok\n"], mask=mask)
    assert capfdbinary.readouterr().out == b"***\nok\n"
    assert show([b"key=abc\n", b"end\n", b"more\n"], mask=mask) == 1
    assert capfdbinary.readouterr().out == b"***\n"
    wrapped = b"x" * 70 + b"\n"
    assert show([wrapped], mask=mask) == 0
    assert show([wrapped, b"next\n"], mask=mask) == 2


@pytest.mark.usefixtures("begin_at_once")
def test_an_error_holds_the_lines() -> None:
    def fail(_text: bytes) -> bool:
        raise ValueError

    lines = FirstLines(fail)
    assert list(lines.watch([b"a\n", b"b\n"])) == [b"a\n", b"b\n"]
    assert lines.count == 0


@pytest.mark.usefixtures("begin_at_once")
def test_a_quarter_of_the_target_is_the_limit() -> None:
    assert [limit_tokens(target) for target in (0, 400, 8_000)] == [0, 100, 1_000]
