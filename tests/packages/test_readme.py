"""The lines of README that install something, in a fresh clone, as a reader types them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import COMMANDS

ROOT = Path(__file__).parents[2]
INSTALLERS = [command.text for command in COMMANDS if command.text.startswith(("pipx ", "uv ", "pip "))]
DEMONSTRATION = next(command.text for command in COMMANDS if command.text.startswith("make demo"))
ACTIVATION = next(command.text for command in COMMANDS if command.text.startswith(". .venv/"))
pytestmark = pytest.mark.packages


def type_in(clone: Path, env: dict[str, str], *lines: str) -> str:
    """Run lines in one shell in the clone, and return what they print."""
    script = "\n".join(("set -e", *lines))
    done = subprocess.run(["bash", "-c", script], cwd=clone, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a fresh clone of the committed files."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a work tree of git can be cloned")
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "ctxkit"], check=True)
    return tmp_path / "ctxkit"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a reader with an empty home, in a virtual environment that has pip, pipx and uv."""
    tools = tmp_path / "tools"
    subprocess.run([sys.executable, "-m", "venv", tools], check=True)
    subprocess.run([tools / "bin" / "pip", "install", "--quiet", "pipx", "uv"], check=True)
    index = subprocess.run([tools / "bin" / "pip", "config", "get", "global.index-url"], capture_output=True, text=True).stdout.strip()
    home = tmp_path / "home"
    home.mkdir()
    path = f"{home}/.local/bin:{tools}/bin:{Path(sys.executable).resolve().parent}:/usr/bin:/bin"
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_")) or name.lower().endswith("_proxy")}
    return {**kept, "HOME": str(home), "PATH": path, "LC_ALL": "C.UTF-8", **({"UV_DEFAULT_INDEX": index} if index else {})}


def test_the_first_map_takes_one_command(clone: Path, env: dict[str, str]) -> None:
    assert "a map, not the content" in type_in(clone, env, DEMONSTRATION)
    assert "a map, not the content" in type_in(clone, env, ACTIVATION, "seq 4000 | ctxkit gate --window 2000")


@pytest.mark.parametrize("line", INSTALLERS)
def test_a_line_installs_the_program(line: str, clone: Path, env: dict[str, str]) -> None:
    printed = type_in(clone, env, line, "command -v ctxkit", "seq 4000 | ctxkit gate --window 2000")
    assert "a map, not the content" in printed
    assert str(Path(env["HOME"]).parent) in printed
