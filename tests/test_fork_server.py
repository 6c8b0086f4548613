"""Runs in forks know nothing of one another, and end as processes do."""

import os
import subprocess
import time
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


@pytest.mark.slow
def test_a_server_ends_when_it_is_closed(tmp_path: Path) -> None:
    servers = ForkServers(dict(os.environ), os.path.relpath(tmp_path / "socket"))
    with servers.borrow() as first, servers.borrow() as second:
        for server in (first, second):
            assert server.run(["--version"], b"", dict(os.environ), "/", 20)[0] == 0
    servers.close()
    assert servers.process.returncode is not None


@pytest.mark.slow
def test_a_shell_runs_a_fork_as_it_runs_the_installed_program(forked_ctxkit: Path, ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    script = 'printf "%s\\n" "two words" | "$0" gate --window 900; "$0" cache get 000000; echo $?; "$0" nonsense; echo $?'
    ran = [
        subprocess.run(["sh", "-c", f"exec 2>&1; {script}", program], env=home, cwd=tmp_path, stdout=subprocess.PIPE).stdout
        for program in (str(forked_ctxkit), ctxkit)
    ]
    assert ran[0] == ran[1]
    assert ran[0].startswith(b"two words\n")


def test_a_fork_gets_the_signals_of_its_client(forked_ctxkit: Path, home: dict[str, str], tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [forked_ctxkit, "run", "--window", "900", "--", "sh", "-c", 'echo $PPID > "$0.part"; mv "$0.part" "$0"; exec sleep 60', ready]
    with subprocess.Popen(command, env=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.terminate()
        assert process.wait(20) == 143
    assert not os.path.exists(f"/proc/{ready.read_text().strip()}/stat")


def test_a_client_dies_of_the_signal_that_its_fork_dies_of(forked_ctxkit: Path, home: dict[str, str]) -> None:
    script = 'seq 100000 | "$0" gate --window 99999999 | head -n 1; echo "${PIPESTATUS[@]}"'
    done = subprocess.run(["bash", "-c", script, forked_ctxkit], env=home, capture_output=True)
    assert done.stdout.split(b"\n")[1].split()[1] == b"141", done.stderr
