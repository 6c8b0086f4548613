"""The script that CI runs, with a program in the place of make that takes no time."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import wait_until

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
MAKE = """\
#!/bin/sh
echo "output of make $*"
case "$1" in
    llama-wheel) echo $$ >"$FOLDER/builder"; exec sleep "$BUILD_SECONDS" ;;
    "$FAILS")
        while [ "$BUILD_SECONDS" != 0 ] && [ ! -s "$FOLDER/builder" ]; do sleep 0.1; done
        exit 2 ;;
esac
"""
pytestmark = [
    pytest.mark.skipif(not SCRIPT.exists(), reason="an sdist holds no hidden files"),
    pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed"),
]


def run_script(folder: Path, fails: str = "", build_seconds: str = "0") -> subprocess.CompletedProcess[str]:
    """Run a copy of the script below a directory, with targets of make that do nothing, of which one may fail."""
    programs = folder / "programs"
    programs.mkdir()
    for name, text in {"make": MAKE, "apt-get": "#!/bin/sh\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o700)
    (folder / ".ci").mkdir()
    copy = shutil.copy(SCRIPT, folder / ".ci")
    path = f"{programs}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "FOLDER": str(folder), "FAILS": fails, "BUILD_SECONDS": build_seconds}
    return subprocess.run(["bash", copy], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50)


def is_running(process: int) -> bool:
    """Whether a process runs; one that has ended, and that nobody waits for, does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_all_targets_run_once_and_their_output_is_shown(tmp_path: Path) -> None:
    done = run_script(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    targets = [line.split()[3] for line in done.stdout.splitlines() if line.startswith("output of make ")]
    assert sorted(targets) == sorted(
        [".venv/test", "bench-quick", "check", "faults", "fuzz", "test", "test-slow", "test-valkey", "llama-wheel", "test-llama"]
    )


@pytest.mark.parametrize("target", [".venv/test", "bench-quick", "check", "faults", "fuzz", "test", "test-slow", "test-valkey", "test-llama"])
def test_each_target_that_fails_fails_the_run(tmp_path: Path, target: str) -> None:
    done = run_script(tmp_path, fails=target)
    assert done.returncode == 2
    assert f"output of make {target}" in done.stdout
    assert ("output of make test-llama" in done.stdout) is (target in ("test-valkey", "test-llama"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="without /proc, no process is seen to end")
def test_a_failure_ends_what_runs_beside_it(tmp_path: Path) -> None:
    done = run_script(tmp_path, fails="fuzz", build_seconds="600")
    assert done.returncode == 2
    assert "failed: checks" in done.stderr
    builder = int((tmp_path / "builder").read_text())
    assert wait_until(lambda: not is_running(builder))
