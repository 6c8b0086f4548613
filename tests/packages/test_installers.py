"""What the installers make of the wheel and the source distribution in a plain directory."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ctxkit import __version__

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.packages
BUILD = re.compile(rf"ctxkit {__version__} \(commit [0-9a-f]+, [\d-]+(?:, changed)?\)\n")
EXTRAS = ("langs", "hf", "llama", "redis", "serve")


def call(*argv: str | Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(argv, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a wheel and a source distribution."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a work tree of git has a build to name")
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of programs with pip, pipx and uv."""
    folder = tmp_path_factory.mktemp("installers")
    call(sys.executable, "-m", "venv", folder)
    call(folder / "bin" / "pip", "install", "--quiet", "pipx", "uv")
    return folder / "bin"


def check_program(program: Path, pages: Path) -> None:
    """Check what is installed: the build, the pages, and a map."""
    assert BUILD.fullmatch(call(program, "--version"))
    assert (pages / "share/man/man1/ctxkit-gate.1").exists()
    script = (pages / "share/bash-completion/completions/ctxkit").read_text()
    assert call(program, "completion", "bash").strip() == script.strip()
    lines = "".join(f"line {number}\n" for number in range(5_000))
    done = subprocess.run([program, "gate", "--window", "2000"], input=lines, capture_output=True, text=True, timeout=60)
    assert "a map, not the content" in done.stdout


def test_pip_takes_the_wheel_from_a_directory(dist: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "venv", tmp_path)
    call(tmp_path / "bin" / "pip", "install", "--quiet", "--find-links", dist, f"ctxkit=={__version__}")
    check_program(tmp_path / "bin" / "ctxkit", tmp_path)


def test_pip_takes_the_source_distribution(dist: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "venv", tmp_path)
    (archive,) = dist.glob("*.tar.gz")
    call(tmp_path / "bin" / "pip", "install", "--quiet", archive)
    check_program(tmp_path / "bin" / "ctxkit", tmp_path)


def test_pipx_takes_the_wheel(dist: Path, installers: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    places = {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}
    env = {name: str(tmp_path / folder) for name, folder in places.items()}
    call(installers / "pipx", "install", "--python", sys.executable, wheel, env=env)
    check_program(tmp_path / "bin" / "ctxkit", tmp_path / "home" / "venvs" / "ctxkit")
    assert (tmp_path / "man" / "man1" / "ctxkit.1").exists()


def test_uv_tool_takes_the_wheel_from_a_directory(dist: Path, installers: Path, tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin", "UV_CACHE_DIR": "cache"}
    env = {name: str(tmp_path / folder) for name, folder in places.items()}
    index = subprocess.run([installers / "pip", "config", "get", "global.index-url"], capture_output=True, text=True).stdout.strip()
    env |= {"UV_DEFAULT_INDEX": index} if index else {}
    call(installers / "uv", "tool", "install", "--python", sys.executable, "--find-links", dist, f"ctxkit=={__version__}", env=env)
    check_program(tmp_path / "bin" / "ctxkit", tmp_path / "tools" / "ctxkit")


def test_an_extra_names_all_others(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"ctxkit-{__version__}.dist-info/METADATA").decode()
    names = {extra: set(re.findall(rf"Requires-Dist: ([\w-]+).*extra == '{extra}'", metadata)) for extra in ("all", *EXTRAS)}
    assert all(names.values())
    assert names["all"] == set().union(*(names[extra] for extra in EXTRAS))


