"""The main commands where modules of POSIX and forks are missing, as in Windows: nothing imports what is not there.

Windows differs in more, so that this says nothing of whether ctxkit works there.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

HIDDEN = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
DRIVER = f"""
import os, subprocess, sys
HIDDEN = {HIDDEN}
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in HIDDEN:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Finder())
for name in HIDDEN:
    sys.modules.pop(name, None)
del os.fork, os.forkpty
"""
MAIN = DRIVER + "from ctxkit.main import main\nsys.argv[0] = 'ctxkit'\nmain()\n"
IMPORTS = DRIVER + """
import json, pkgutil
import ctxkit
missing = {}
for module in pkgutil.walk_packages(ctxkit.__path__, "ctxkit."):
    if not module.name.endswith("__main__"):
        try:
            __import__(module.name)
        except ModuleNotFoundError as error:
            if error.name in HIDDEN:
                missing[module.name] = error.name
print(json.dumps(missing))
"""
FORKING = ("ctxkit.engines.isolation", "ctxkit.engines.worker_process", "ctxkit.engines.isolation")
"""Beginnings of the names of modules that are of no use without forks."""
LOG = "".join(f"step {number} of the build\n" for number in range(900)) + "error: no such file\n"
CHAT = {"messages": [{"role": ("user", "assistant")[turn % 2], "content": f"words of turn {turn} " * 60} for turn in range(40)]}
CALLS = [
    ("count", "log.txt"),
    ("count", "chat.json", "--json"),
    ("gate", "log.txt", "--window", "1500"),
    ("gate", "log.txt", "--window", "90000"),
    ("brief", "log.txt", "--target", "200"),
    ("brief", ".", "--target", "200"),
    ("cache", "get", "REF", "--lines", "3:5"),
    ("cache", "get", "REF", "--grep", "error"),
    ("cache", "get", "REF", "--focus", "file"),
    ("cache", "search", "error"),
    ("compact", "chat.json", "--window", "3000"),
    ("dedupe", "--exit-zero", "."),
    ("run", "--window", "1500", "--", "cat", "log.txt"),
    ("shell", "-c", "echo a; exit 3"),
    ("truncate", "log.txt", "--max-lines", "9"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "log.txt").write_text(LOG)
    (folder / "chat.json").write_text(json.dumps(CHAT))
    (folder / "AGENTS.md").write_text("# Rules\n\nRun make test.\n")
    (folder / "CLAUDE.md").write_text("# Rules\n\nRun make test.\n")
    return folder


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_command_answers_without_them(run: Run, home: dict[str, str], project: Path, call: tuple[str, ...]) -> None:
    ref = run("cache", "put", stdin=LOG, cwd=project).out.decode().strip()
    words = [ref if word == "REF" else word for word in call]
    env = {"SHELL": "/bin/sh", "SOURCE_DATE_EPOCH": "0"}
    plain = run(*words, cwd=project, env=env)
    done = subprocess.run([sys.executable, "-c", MAIN, *words], env={**home, **env}, cwd=project, stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, done.stdout) == (plain.status, plain.out), done.stderr.decode()
    assert b"internal error" not in done.stderr


def test_only_modules_for_forks_import_them() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTS], env=env, capture_output=True, check=True)
    assert [name for name in json.loads(done.stdout) if not name.startswith(FORKING)] == []
