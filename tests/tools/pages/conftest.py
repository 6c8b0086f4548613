"""A place where a shell completes what is typed, with few commands on its path."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.models.lookup import MODELS
from ctxkit.registry import CACHE, VERBS
from tools.pages import completion

QWEN = {name for name in MODELS if name.startswith("qwen3")}
POSITIONS = [
    ("ctxkit ga", {"gate"}),
    ("ctxkit ", set(VERBS)),
    ("ctxkit cache g", {"get", "gc"}),
    ("ctxkit cache ", set(CACHE)),
    ("ctxkit gate --mo", {"--model"}),
    ("ctxkit gate --model qwen3", QWEN),
    ("ctxkit gate --used 5 --model qwen3", QWEN),
    ("ctxkit gate --model haiku --hint r", {"read_file", "read_result"}),
    ("ctxkit gate --tokenizer o2", {"o200k"}),
    ("ctxkit gate --window ", set()),
    ("ctxkit gate here", {"here.txt"}),
    ("ctxkit gate --events here", {"here.txt"}),
    ("ctxkit cache get --li", {"--lines"}),
    ("ctxkit cache get --lines 1:2 here", {"here.txt"}),
    ("ctxkit cache list ", set()),
    ("ctxkit run -- seq", {"seq"}),
    ("ctxkit run seq", {"seq"}),
    ("ctxkit run --model haiku -- ls here", {"here.txt"}),
    ("ctxkit run ls here", {"here.txt"}),
    ("ctxkit run -- gate --mo", set()),
]


@pytest.fixture(params=POSITIONS, ids=[line for line, _ in POSITIONS])
def position(request: pytest.FixtureRequest):
    """A line that a user has typed, and the words that a shell should offer."""
    return request.param


@pytest.fixture
def place(tmp_path: Path):
    """A directory with the scripts, a file, and a folder of two commands."""
    (tmp_path / "here.txt").write_text("")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("seq", "ls"):
        (tools / name).symlink_to(shutil.which(name))
    for name, text in completion.scripts().items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def asked(place):
    """Run a shell whose commands are few, and return its answer as a set of words."""

    def asked(*command):
        shell = shutil.which(command[0])
        env = {"HOME": str(place), "PATH": str(place / "tools"), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([shell, *command[1:]], cwd=place, env=env, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        return {line.partition("\t")[0] for line in done.stdout.splitlines() if line}

    return asked
