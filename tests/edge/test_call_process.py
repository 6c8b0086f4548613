"""A process takes the place of its caller for one call, and leaves it afterwards."""

import json
import os
import sys
from pathlib import Path

from ctxkit.core.serve import Caller
from ctxkit.edge import call_process, say, source


def run_forked(work, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a function in a fork with files as stdin, stdout and stderr; return its status and what it wrote."""
    files = [os.memfd_create("test") for _ in range(3)]
    os.pwrite(files[0], stdin, 0)
    pid = os.fork()
    if not pid:
        status = 99
        try:
            for number, descriptor in enumerate(files):
                os.dup2(descriptor, number)
            status = work()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    texts = [os.pread(number, 100_000, 0) for number in files[1:]]
    for number in files:
        os.close(number)
    return status, texts[0], texts[1]


def test_a_call_sees_its_own_directory_variables_and_files(tmp_path: Path) -> None:
    def report() -> int:
        print(json.dumps([os.getcwd(), {name: os.environ.get(name) for name in ("CTXKIT_MODEL", "CTXKIT_SESSION", "HOME")}, sys.stdin.read()]))
        say.warn("a warning")
        return 7

    def work() -> int:
        os.environ |= {"CTXKIT_SESSION": "that of the server", "HOME": "/own"}
        return call_process.run_for_caller(Caller(str(tmp_path), (("CTXKIT_MODEL", "m"),)), report)

    status, out, err = run_forked(work, b"content")
    assert (status, err) == (7, b"ctxkit: warning: a warning\n")
    assert json.loads(out) == [str(tmp_path), {"CTXKIT_MODEL": "m", "CTXKIT_SESSION": None, "HOME": "/own"}, "content"]


def test_nothing_of_a_call_is_left_for_the_next(tmp_path: Path) -> None:
    def first() -> int:
        say.change_verbosity(-1)
        source.provide("-", b"stale")
        print("first", end="")
        return 0

    def second() -> int:
        say.warn("heard")
        print(os.getcwd(), os.environ.get("CTXKIT_MODEL"), b"".join(source.chunks("-")), end="")
        return 0

    def work() -> int:
        call_process.run_for_caller(Caller(str(tmp_path), (("CTXKIT_MODEL", "m"),)), first)
        return call_process.run_for_caller(Caller(), second)

    assert run_forked(work, b"fresh") == (0, b"first/ None b'fresh'", b"ctxkit: warning: heard\n")


def test_a_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    status, out, err = run_forked(lambda: call_process.run_for_caller(Caller(str(tmp_path / "gone")), lambda: 0))
    assert (status, out) == (66, b"")
    assert err.decode() == f"ctxkit: {tmp_path / 'gone'}: No such file or directory\n  hint: the directory of the caller\n"


def test_a_variable_that_names_a_place_ends_the_call() -> None:
    status, out, err = run_forked(lambda: call_process.run_for_caller(Caller("", (("CTXKIT_EVENTS", "/x"),)), lambda: 0))
    assert (status, out) == (2, b"")
    assert err.decode().startswith("ctxkit: CTXKIT_EVENTS: names a file")
