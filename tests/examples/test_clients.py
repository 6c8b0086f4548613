"""The clients of examples/clients, each against a real server."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.servers import RunningServer, run_server

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"
PROGRAMS = {"gate.sh": ["sh"], "gate.py": ["python3"], "gate.mjs": ["node"], "gate.go": ["go", "run"]}
LOG = b"".join(b"line %d of the log\n" % number for number in range(1, 5_001))


@pytest.fixture
def server(ctxkit: str, home: dict[str, str]) -> Iterator[RunningServer]:
    with run_server(ctxkit, home, "-j", "1", "--tokenizer", "qwen3") as running:
        yield running


def run_client(name: str, path: str, home: dict[str, str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    if not shutil.which(PROGRAMS[name][0]) or (name == "gate.sh" and not shutil.which("curl")):
        pytest.skip(f"{PROGRAMS[name][0]} or curl is not installed")
    command = [*PROGRAMS[name], str(CLIENTS / name), "window=4096"]
    return subprocess.run(command, input=content, capture_output=True, env={**home, "CTXKIT_SOCKET": path}, cwd=home["HOME"], timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_client_prints_what_gate_prints(run: Run, server: RunningServer, home: dict[str, str], name: str) -> None:
    for content in (b"short \xff\n", LOG):
        done = run_client(name, server.path, home, content)
        assert (done.returncode, done.stdout) == (0, run("gate", "--window", "4096", stdin=content).out)


@pytest.mark.slow
def test_the_shell_client_does_without_a_server(home: dict[str, str], run: Run, ctxkit: str) -> None:
    path = f"{Path(ctxkit).parent}:{home['PATH']}"
    done = run_client("gate.sh", "/nowhere/ctxkit.sock", {**home, "PATH": path}, LOG)
    assert (done.returncode, done.stdout.count(b"\n") > 5) == (0, True)
    assert b"5,000 lines" in done.stdout
