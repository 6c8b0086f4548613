"""The process that reads what nobody trusts is killed, starved and stopped in every verb: the answer is one or the other.

The answer is whole, or it is what stands in for it: head and tail of the stored content for a map, the input itself for
a compaction, one honest line for what has no other answer.
"""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the process is looked for in /proc")

SIZED = ("--window", "8192", "--tokenizer", "o200k")
TARGET = 3277
LOG = "".join(
    f"{n:06} the server {'answered' if n % 7 else 'refused'} request {n * 7919 % 10007}\n" for n in range(8_000)
)
TURNS = 400


def turn(number: int) -> dict[str, str]:
    text = f"Request {number}: see src/part_{number % 97}.py, where {number * 7919 % 10007} of the tests fail. " * 8
    return {"role": "assistant" if number % 2 else "user", "content": text}


CHAT = "".join(json.dumps(turn(number)) + "\n" for number in range(TURNS))
RULES = "".join(f"- Always use tool {n} for the files in part {n * 31 % 997} of the project.\n" for n in range(600))


class Verb(NamedTuple):
    """A command whose work is done in a process of its own, and what it does without one."""

    args: Sequence[str]
    stdin: str = ""
    status: int = 0
    alone: str = "error"
    """What stands in where it dies: ``ends`` of the log, the ``input``, or an ``error``."""


VERBS = {
    "gate": Verb(("gate", *SIZED), LOG, 0, "ends"),
    "run": Verb(("run", *SIZED, "--", "sh", "-c", "cat log; exit 3"), "", 3, "ends"),
    "brief": Verb(("brief", "--target", str(TARGET)), LOG, 0, "ends"),
    "brief FILE": Verb(("brief", "log", "--target", str(TARGET)), "", 0, "ends"),
    "count": Verb(("count", "chat.jsonl"), "", 0),
    "compact": Verb(("compact", *SIZED), CHAT, 0, "input"),
    "edit list": Verb(("edit", "list"), CHAT, 0),
    "edit remove": Verb(("edit", "remove", "3:4", "chat.jsonl"), "", 0),
    "dedupe": Verb(("dedupe", "--exit-zero", "space"), "", 0),
    "session append": Verb(("session", "append", "s", "chat.jsonl", "--json"), "", 0),
    "snapshot save": Verb(("snapshot", "save", "s", "--json"), CHAT, 0),
    "cache get": Verb(("cache", "get", "log", "--gate", *SIZED), "", 0, "page"),
}
EACH = pytest.mark.parametrize("name", VERBS)


@pytest.fixture
def place(tmp_path: Path, run: Run, home: dict[str, str]) -> Path:
    folder = tmp_path / "place"
    (folder / "space").mkdir(parents=True)
    (folder / "log").write_text(LOG)
    (folder / "chat.jsonl").write_text(CHAT)
    (folder / "space" / "AGENTS.md").write_text("# Rules\n\n" + RULES)
    assert run("session", "new", "s", *SIZED[:2]).status == 0
    return folder


def start(ctxkit: str, home: dict[str, str], place: Path, verb: Verb) -> "subprocess.Popen[bytes]":
    given = place / f"stdin-{time.monotonic_ns()}"
    given.write_text(verb.stdin)
    with given.open() as stdin:
        return subprocess.Popen(
            [ctxkit, *verb.args], env=home, cwd=place, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


def worker(process: "subprocess.Popen[bytes]") -> int:
    """Return the forked process of a command, once there is one."""
    pid = worker_or_none(process)
    assert pid, process.communicate()
    return pid


def worker_or_none(process: "subprocess.Popen[bytes]") -> int:
    """Return the forked process of a command, once there is one; 0 when the command has ended without."""
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):
            for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                # A command that run starts has our command line too until it is another program, but no such stdout.
                if os.readlink(f"/proc/{pid}/fd/1") == os.devnull:
                    return int(pid)
    return 0


def check(verb: Verb, status: int, out: bytes, err: str, said: str) -> None:
    """Assert that a call without its process answered as it should, and ``said`` why in one line."""
    assert said in err
    lines = [line for line in err.splitlines() if not line.startswith("  hint: ")]
    assert len(lines) == 1, err
    if verb.alone == "error":
        assert (status, out) == (65 if "memory" in said or "no answer" in said else 70, b"")
        assert lines[0].startswith("ctxkit: the worker process ")
        return
    assert status == verb.status
    assert lines[0].startswith("ctxkit: warning: ")
    if verb.alone == "input":
        assert out == verb.stdin.encode()
    elif verb.alone == "ends":
        check_ends(out.decode())
    else:
        assert out.startswith(LOG[:1000].encode())


def check_ends(text: str) -> None:
    """Assert that a text is head and tail of the log, with true line numbers, within the target."""
    from ctxkit.app.services import engines
    from ctxkit.core.tokens.vocabulary import find_vocabulary

    assert engines.load_tokenizer(find_vocabulary("o200k"))(text) <= TARGET
    text = text.removeprefix("Exit status 3\n")
    header, blank, *body, gap_after, hint = text.removesuffix("\n").split("\n")
    assert "(8,000 lines, " in header
    assert header.endswith("head and tail, not the content")
    assert (blank, gap_after) == ("", "")
    (gap,) = [number for number, line in enumerate(body) if line.startswith("[lines ")]
    first, last, total = (int(number.replace(",", "")) for number in re.findall(r"[\d,]+", body[gap]))
    assert total == 8_000
    rows = LOG.splitlines()
    assert body[:gap] == rows[: first - 1]
    assert body[gap + 1 :] == rows[last:]
    assert gap > 5
    assert hint.startswith("To read a part: ")


def settle(process: "subprocess.Popen[bytes]", pid: int) -> tuple[int, bytes, str]:
    out, err = process.communicate(timeout=90)
    assert not pid or gone(pid)
    return process.returncode, out, err.decode()


def gone(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


@pytest.mark.slow
@EACH
def test_a_worker_that_is_killed_at_once(ctxkit: str, home: dict[str, str], place, run: Run, name: str) -> None:
    verb, name_of_signal = VERBS[name], "SEGV"
    process = start(ctxkit, home, place, verb)
    pid = worker(process)
    os.kill(pid, getattr(signal, f"SIG{name_of_signal}"))
    status, out, err = settle(process, pid)
    check(verb, status, out, err, f"was killed by SIG{name_of_signal}")
    if verb.alone == "ends" and "cache get" in out.decode():
        ref = re.search(r"cache get ([0-9a-f]{16})", out.decode())
        assert run("cache", "get", ref[1]).out == LOG.encode()


@pytest.mark.slow
@EACH
def test_a_worker_that_is_killed_at_random_moments(ctxkit: str, home: dict[str, str], place, name: str) -> None:
    verb, rng, whole = VERBS[name], random.Random(name), b""
    if name != "session append":  # which says where the lines went, other ones each time
        process = start(ctxkit, home, place, verb)
        whole = process.communicate(timeout=60)[0]
        assert process.returncode == verb.status
    for _ in range(2):
        process = start(ctxkit, home, place, verb)
        pid = worker(process)
        time.sleep(rng.random() * 0.4)
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        status, out, err = settle(process, pid)
        if "the worker process was killed" in err and "may be lost" not in err:
            check(verb, status, out, err, "was killed by SIGKILL")
        else:
            assert status == verb.status
            assert out == whole or steady(out) == steady(whole) or name == "session append"


def steady(out: bytes) -> bytes:
    """Return an answer less the time in it."""
    return re.sub(rb'"(?:created|updated|saved)":[^,}]*', b"", out)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gate", "brief FILE", "count", "compact", "edit list", "dedupe", "cache get"])
def test_a_worker_that_gets_no_memory(ctxkit: str, home: dict[str, str], place, name: str) -> None:
    verb = VERBS[name]
    process = start(ctxkit, home, place, verb)
    pid = worker(process)
    time.sleep(0.01)  # it limits itself first
    resource.prlimit(pid, resource.RLIMIT_DATA, (1 << 20, resource.prlimit(pid, resource.RLIMIT_DATA)[1]))
    status, out, err = settle(process, pid)
    said = next(
        (words for words in ("of memory", "was killed by SIG", "failed: ", "ended without", "no answer") if words in err), ""
    )
    if said or status == 65:
        check(verb, status, out, err, said)
    else:  # a map that failed for want of memory had the generic one to stand in, or there was enough
        assert status == verb.status


@pytest.fixture
def stopped(ctxkit: str, home: dict[str, str], place) -> Iterator[dict[str, tuple["subprocess.Popen[bytes]", int]]]:
    """Start every verb and stop its worker, all at once: each waits for its own time limit."""
    running = {}
    for name, verb in VERBS.items():
        process = start(ctxkit, home, place, verb)
        pid = worker(process)
        os.kill(pid, signal.SIGSTOP)
        running[name] = process, pid
    yield running
    for process, _ in running.values():
        process.kill()


@pytest.mark.slow
def test_workers_that_hang(stopped) -> None:
    for name, (process, pid) in stopped.items():
        status, out, err = settle(process, pid)
        check(VERBS[name], status, out, err, "gave no answer in ")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["gate", "run", "compact"])
def test_a_strict_call_answers_with_an_error(ctxkit: str, home: dict[str, str], place, name: str) -> None:
    verb = VERBS[name]
    process = start(ctxkit, home, place, verb._replace(args=(verb.args[0], "--strict", *verb.args[1:])))
    pid = worker(process)
    os.kill(pid, signal.SIGKILL)
    status, out, err = settle(process, pid)
    assert (status, out, err.count("\n")) == (70, b"", 1)
    assert "the worker process was killed by SIGKILL" in err


@pytest.mark.slow
@pytest.mark.parametrize(("signal_", "status"), [("INT", 130), ("TERM", -15), ("KILL", -9)])
@pytest.mark.parametrize("name", ["gate", "run", "compact", "dedupe"])
def test_a_command_that_is_ended_leaves_no_worker(ctxkit: str, home: dict[str, str], place, name: str, signal_: str, status: int) -> None:
    process = start(ctxkit, home, place, VERBS[name])
    pid = worker(process)
    process.send_signal(getattr(signal, f"SIG{signal_}"))
    assert process.wait(20) == status
    assert process.communicate()[0] == b""
    until = time.monotonic() + 20
    while not gone(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert gone(pid)


@pytest.mark.slow
def test_a_reader_that_leaves_ends_the_command_and_its_worker(ctxkit: str, home: dict[str, str], place) -> None:
    process = start(ctxkit, home, place, VERBS["compact"])
    pid = worker(process)
    process.stdout.close()
    assert process.wait(30) == -signal.SIGPIPE
    assert gone(pid)
    process.stderr.close()


@pytest.mark.slow
def test_what_fits_and_what_is_small_starts_no_worker(ctxkit: str, home: dict[str, str], place) -> None:
    for args, text in (
        (("gate", "--window", "2000000", "--tokenizer", "o200k"), LOG),
        (("count",), LOG),
        (("count",), CHAT[: CHAT.index("\n") + 1]),
        (("cache", "get", "log"), ""),
    ):
        (place / "given").write_text(text)
        with (place / "given").open() as stdin:
            process = subprocess.Popen([ctxkit, *args], env=home, cwd=place, stdin=stdin, stdout=subprocess.DEVNULL)
        assert worker_or_none(process) == 0
        assert process.returncode == 0
