"""Daily situations in the real hosts: what the model sees of each, plain and through ctxkit, in one session each."""

import re
import shlex
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from tests.daily_situations import IN_HOSTS, SITUATIONS, TRIED, Situation, find_host_outcome
from tests.harness.cases import CASES, CLAUDE, MINI, SEARCHED, StartedHost

pytestmark = pytest.mark.harness
KNOWN = {case.name: case for case in (CLAUDE, MINI, *CASES)}
CHOSEN = [situation for situation in SITUATIONS if situation.name in TRIED]
CHILD = next(situation for situation in CHOSEN if situation.name == "background child")
SHOWN = {
    "here document": "vim $x 'y' it's",
    "own trap": "a\nmine",
    "exec": "a\nb",
    "background child": "started",
    "failure before a pipe": "1 failed",
    "sudo missing": "sudo",
    "binary output": "no newline",
    "very long line": "xxxxxxxx",
    "cd": "/project/sub",
    "umask": "0027\n-rw-r-----",
}
"""What a host shows of each without ctxkit: a command that it refuses would be the same with ctxkit."""
STATUSES = {"own trap": 4, "exec": 5, "sudo missing": 127, "very long line": 3}
HIDDEN = (("gemini", "binary output"),)
"""What a host does not show."""
WITHOUT_STATUS = ("opencode",)
"""Hosts that do not tell the model how a command ended."""
NOTE = re.compile(r"\[ctxkit: env sh -c 'echo 1 failed; exit 1' exited 1 before \| tail -n 3\]\n?")
STILL_RUNS = re.compile(r"\[ctxkit: a process that the command started still runs(.*); what it prints .* is kept: ctxkit cache get (\w+)\]")
LENGTH = re.compile(r"Original token count: \d+\n")
"""What Codex says of the length of output."""
WAIT = "for n in $(seq 100); do [ ! -e {} ] || break; sleep 0.1; done"
SURVIVED = "survived"
"""What the background child writes at its end. Without ctxkit it may die of SIGPIPE, since hosts close the pipe."""
SCAFFOLD = re.compile(r"test -r \S+wrap\.sh && \. \S+wrap\.sh; ")
"""The script in front of a command, where a host shows the command itself with its output."""


class Shown(NamedTuple):
    """What the model sees of each situation, and the files that are there afterwards."""

    texts: Mapping[str, str]
    files: Mapping[str, Any]


class Sessions(NamedTuple):
    """A session of a host without ctxkit, and one with it."""

    host: StartedHost
    plain: Shown
    wrapped: Shown


@pytest.fixture(scope="module", params=IN_HOSTS)
def sessions(request: Any, ctxkit: str) -> Iterator[Sessions]:
    """Let a host run all situations twice, outside /tmp, which sandboxes of hosts treat in their own way."""
    case = KNOWN[request.param]
    if not shutil.which(case.program, path=SEARCHED):
        pytest.skip(f"{case.program} is not installed: make test-harness installs it")
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        host = StartedHost(case, Path(folder), ctxkit)
        plain = run_situations(host, is_wrapped=False)
        host.init(*(["--trust"] if case.name == "codex" else []))
        yield Sessions(host, plain, run_situations(host, is_wrapped=True))
        host.end()


def run_situations(host: StartedHost, *, is_wrapped: bool) -> Shown:
    """Let the host run the situations in a project without the files of an earlier session."""
    subprocess.run(["git", "clean", "-fdxq"], cwd=host.project, check=True)
    (host.project / "sub").mkdir()
    scripts = [situation.script.replace("`", "'") for situation in CHOSEN]  # Gemini CLI refuses backticks
    if is_wrapped and find_host_outcome(host.case.name, CHILD) == "kept":  # some hosts end all children with the session
        scripts.append(WAIT.format(shlex.quote(str(host.project / SURVIVED))))
    texts = host.show(*scripts, args=host.case.wrapped if is_wrapped else ())[: len(CHOSEN)]
    files = {path.relative_to(host.project).as_posix(): path for path in host.project.rglob("*") if ".git" not in path.parts}
    described = {name: describe_file(path) for name, path in files.items() if name not in ("opencode.json", SURVIVED)}
    return Shown(dict(zip((situation.name for situation in CHOSEN), texts, strict=True)), described)


def describe_file(path: Path) -> tuple[str, bytes]:
    """Return the mode of a file, and its content."""
    return stat.filemode(path.stat().st_mode), path.read_bytes() if path.is_file() else b""


def wait_for(is_there: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_there():
        assert time.monotonic() < end
        time.sleep(0.05)


def read_stored(host: StartedHost, ref: str) -> bytes:
    argv = [host.ctxkit, "cache", "get", ref]
    return subprocess.run(argv, env=host.env, capture_output=True, check=True, timeout=60).stdout


def check_same(_host: StartedHost, seen: str, plain: str) -> None:
    assert SCAFFOLD.sub("", seen) == plain


def check_noted(_host: StartedHost, seen: str, plain: str) -> None:
    """A line is all that differs."""
    assert len(NOTE.findall(seen)) == 1, seen
    without = NOTE.sub("", SCAFFOLD.sub("", seen))
    assert LENGTH.sub("", without).rstrip("\n") == LENGTH.sub("", plain).rstrip("\n")


def check_map(host: StartedHost, seen: str, _plain: str) -> None:
    assert seen.count("a map, not the content") == 1, seen
    assert seen.count("Exit status 3") == 1
    assert len(seen) < 15_000
    refs = set(re.findall(r"ctxkit cache get (\w+)", seen))
    assert len(refs) == 1
    assert read_stored(host, refs.pop()) == b"x" * 300_000


def check_kept(host: StartedHost, seen: str, _plain: str) -> None:
    """The child prints after the end of its command, and the model knows where."""
    ref = check_line(seen, "")
    assert (host.project / SURVIVED).exists()
    wait_for(lambda: read_stored(host, ref) == b"late\n")


def check_told(host: StartedHost, seen: str, _plain: str) -> None:
    """The sandbox of the host ends the child, as it does without ctxkit."""
    check_line(seen, ", and ends with this sandbox")
    assert not (host.project / SURVIVED).exists()


def check_line(seen: str, end: str) -> str:
    """Check that one line is all that follows the output, and return the ref in it."""
    lines = STILL_RUNS.findall(seen)
    assert [line[0] for line in lines] == [end], seen
    assert seen.count("started\n") == 1
    assert "late" not in seen
    return str(lines[0][1])


CHECKS = {"same": check_same, "noted": check_noted, "map": check_map, "kept": check_kept, "told": check_told}


@pytest.mark.parametrize("situation", CHOSEN, ids=lambda situation: situation.name)
def test_a_situation_in_a_host_is_as_without_ctxkit(sessions: Sessions, situation: Situation) -> None:
    host, plain, seen = sessions.host, sessions.plain.texts[situation.name], sessions.wrapped.texts[situation.name]
    if (host.case.name, situation.name) not in HIDDEN:
        assert SHOWN[situation.name] in plain
    if situation.name in STATUSES and host.case.name not in WITHOUT_STATUS:
        assert str(STATUSES[situation.name]) in plain
    assert "ctxkit-wrap" not in seen
    CHECKS[find_host_outcome(host.case.name, situation) or ""](host, seen, plain)


def test_the_files_of_a_session_are_those_without_ctxkit(sessions: Sessions) -> None:
    assert sessions.wrapped.files == sessions.plain.files
    temporary = Path(sessions.host.env["TMPDIR"])
    wait_for(lambda: not list(temporary.glob("ctxkit-wrap*")))
