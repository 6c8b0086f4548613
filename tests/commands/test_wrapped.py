"""Daily situations behind the script that ``init`` puts in front of a command, in each shell; ctxkit itself gates."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ctxkit.core.hosts.wrap_script import make_source_command, make_wrapping_scripts
from tests.daily_situations import GEMINI
from tests.daily_situations import SITUATIONS as DAILY

Wrapped = Callable[..., "subprocess.CompletedProcess[bytes]"]
FORMS = {"bash": "{script}", "zsh": "{script}", "dash": "{script}", "gemini": GEMINI}
"""How hosts give a script to their shells: Codex, Copilot, opencode and pi by ``-c``, mini-swe-agent to ``sh``."""
SHELLS = [name for name in FORMS if shutil.which("bash" if name == "gemini" else name)]
SHARED = ("here document", "own trap", "exec", "sudo missing", "binary output", "colours", "umask", "timeout")
SITUATIONS = {
    **{situation.name: situation.script for situation in DAILY if situation.name in SHARED},
    "failure in a pipe": "false | cat; echo $?; (exit 3)",
    "long line": "head -c 5000 /dev/zero | tr '\\000' x",
    "kill": "echo a; sh -c 'kill -9 $$'; echo $?",
    "directory": "cd / && pwd",
    "no home": "unset HOME; cd /; echo ${HOME-none}",
    "stdin": "cat; read -r x || echo end",
    "status": "exit 255",
    "nothing": "true",
    "both streams": "echo out; echo err >&2; echo out",
    "quotes": "echo 'it'\"'\"'s \"x\"' \\$HOME",
    "syntax error": "echo a\nif",
    "editor without a terminal": "printf 'a\\nq\\n' | ed 2>/dev/null || echo none",
}
"""Scripts that print and return what they do without ctxkit."""


def hide_number(output: bytes) -> bytes:
    """Return output without the number of a process that a shell names."""
    return re.sub(rb"\d+ Killed", b"Killed", output)


@pytest.fixture
def wrapped(home: dict[str, str], ctxkit: str, tmp_path: Path) -> Wrapped:
    """Run a script in a shell, behind the scripts of a host, in a directory of its own."""
    folder = tmp_path / "hosts"
    folder.mkdir()
    for path, text in make_wrapping_scripts("codex", str(folder), (ctxkit, shutil.which("sh") or "")).items():
        Path(path).write_text(text)
    source = make_source_command(str(folder / "wrap.sh"))
    work = tmp_path / "work"
    work.mkdir()

    def run_script(name: str, script: str, *, is_wrapped: bool = True) -> "subprocess.CompletedProcess[bytes]":
        place = work / f"{time.monotonic_ns()}"
        place.mkdir()
        text = FORMS[name].replace("{script}", f"{source if is_wrapped else ''}{script}")
        argv = ["bash" if name == "gemini" else name, "-c", text]
        env = {**home, "TMPDIR": str(tmp_path)}
        return subprocess.run(argv, input=b"in\n", stdout=-1, stderr=subprocess.STDOUT, env=env, cwd=place, timeout=60)

    return run_script


@pytest.fixture(autouse=True)
def check_leftovers(tmp_path: Path) -> Iterator[None]:
    yield
    assert not list(tmp_path.glob("ctxkit-wrap.*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_daily_situations_are_as_without_ctxkit(wrapped: Wrapped, name: str) -> None:
    def compare(situation: str) -> None:
        script = SITUATIONS[situation]
        plain, done = wrapped(name, script, is_wrapped=False), wrapped(name, script)
        assert done.returncode == plain.returncode, situation
        if situation != "syntax error":  # which quotes the line, and its beginning with it
            assert hide_number(done.stdout) == hide_number(plain.stdout), situation

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(compare, SITUATIONS))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_long_output_is_a_map_with_the_status_and_the_command(wrapped: Wrapped, name: str) -> None:
    done = wrapped(name, "seq -f 'line %.0f of a long output' 9000; exit 4")
    assert done.returncode == 4
    assert done.stdout.startswith(b"Exit status 4\n# seq -f 'line %.0f of a long output' 9")
    assert b"(9,000 lines" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_a_server_is_seen_and_a_process_in_the_background_is_not_waited_for(wrapped: Wrapped, name: str) -> None:
    begin = time.monotonic()
    done = wrapped(name, "sleep 60 & echo started $!")
    os.kill(int(done.stdout.split()[1]), signal.SIGKILL)
    assert time.monotonic() - begin < 30
    assert re.fullmatch(rb"started \d+\n\[ctxkit: a process that the command started still runs; .*\]\n", done.stdout)


@pytest.mark.slow
def test_two_at_once_do_not_mix(wrapped: Wrapped) -> None:
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda word: wrapped("bash", f"for i in 1 2 3; do echo {word}; sleep 0.1; done"), "ab")
    assert (first.stdout, second.stdout) == (b"a\n" * 3, b"b\n" * 3)


def test_the_first_line_of_a_server_is_seen_while_it_runs(home: dict[str, str], ctxkit: str, tmp_path: Path) -> None:
    for path, text in make_wrapping_scripts("pi", str(tmp_path), (ctxkit, "/bin/sh")).items():
        Path(path).write_text(text)
    script = f"{make_source_command(str(tmp_path / 'wrap.sh'))}echo ready; echo $$ > {tmp_path}/pid; exec sleep 60"
    with subprocess.Popen(
        ["bash", "-c", script], stdout=subprocess.PIPE, env={**home, "TMPDIR": str(tmp_path)}, start_new_session=True
    ) as process:
        assert process.stdout is not None
        begin = time.monotonic()
        assert process.stdout.readline() == b"ready\n"
        assert time.monotonic() - begin < 30
        os.killpg(process.pid, signal.SIGKILL)
        assert process.stdout.read() == b""
