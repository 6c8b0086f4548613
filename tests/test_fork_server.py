"""Runs in forks know nothing of one another, and end as processes do."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Ran, Run
from tests.fork_server import ForkServers


def test_nothing_stays_behind_for_the_next_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    quiet = run("gate", "-q", stdin="x\n", cwd=tmp_path / "elsewhere", env={"CTXKIT_WINDOW": "900"})
    assert quiet == Ran(0, b"x\n", "")
    loud = run("gate", stdin="x\n")
    assert (loud.status, loud.out) == (0, b"x\n")
    assert "assum" in loud.err, "neither -q nor the window holds any more"


def test_much_goes_in_and_out(run: Run) -> None:
    data = os.urandom(3 << 20)
    assert run("gate", "--window", "100000000", "--tokenizer", "estimate", stdin=data).out == data


def test_what_takes_too_long_is_killed_and_the_next_run_works(run: Run) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("run", "--window", "900", "--", "sleep", "30", timeout=1)
    assert run("--version").status == 0


def test_a_server_ends_when_it_is_closed(tmp_path: Path) -> None:
    servers = ForkServers(dict(os.environ), os.path.relpath(tmp_path / "socket"))
    with servers.borrow() as first, servers.borrow() as second:
        for server in (first, second):
            assert server.run(["--version"], b"", dict(os.environ), "/", 20)[0] == 0
    servers.close()
    assert servers.process.returncode is not None
