"""What the installers make of a clone, of the wheel and of the source distribution, in a plain directory."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ctxkit import __version__

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.packages
BUILD = re.compile(rf"ctxkit {__version__} \(commit [0-9a-f]+, [\d-]+(?:, changed)?\)\n")
EXTRAS = ("langs", "hf", "llama", "redis", "serve", "mcp", "proxy", "redact", "zstd")
MAX_KILOBYTES = 112 << 10
"""Most that an environment with ctxkit alone may take, with the pip and the setuptools that Python puts there."""
INSTALLERS_OWN = ("--exclude=pip*", "--exclude=setuptools*", "--exclude=pkg_resources", "--exclude=_distutils_hack")
SERVER = "redis://127.0.0.1:1/0"
"""A server that does not answer."""
READ_OWNERS = "from ctxkit.app.doctor import check_owners, find_owners; print(*check_owners(find_owners()), sep='|')"


def call(*argv: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(
        argv, env={**os.environ, **(env or {})}, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def work_tree() -> None:
    """Skip without git."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a work tree of git has a build to name")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a wheel and a source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of programs with pip, pipx, uv and pre-commit."""
    folder = tmp_path_factory.mktemp("installers")
    call(sys.executable, "-m", "venv", folder)
    call(folder / "bin" / "pip", "install", "--quiet", "pipx", "uv", "pre-commit")
    return folder / "bin"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment into which pip installed the clone."""
    folder = tmp_path_factory.mktemp("environment")
    call(sys.executable, "-m", "venv", folder)
    call(folder / "bin" / "pip", "install", "--quiet", ".", cwd=ROOT)
    return folder


def find_index(installers: Path) -> dict[str, str]:
    """Return the index of pip's settings as uv reads it, if there is one."""
    done = subprocess.run([installers / "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    return {"UV_DEFAULT_INDEX": done.stdout.strip()} if done.stdout.strip() else {}


def check_program(program: Path, pages: Path) -> None:
    """Check what is installed: the build, the pages, and a map."""
    assert BUILD.fullmatch(call(program, "--version"))
    assert (pages / "share/man/man1/ctxkit-gate.1").exists()
    script = (pages / "share/bash-completion/completions/ctxkit").read_text()
    assert call(program, "completion", "bash").strip() == script.strip()
    lines = "".join(f"line {number}\n" for number in range(5_000))
    done = subprocess.run([program, "gate", "--window", "2000"], input=lines, capture_output=True, text=True, timeout=60)
    assert "a map, not the content" in done.stdout


def check_hint(program: Path, start: str, home: dict[str, str], env: dict[str, str]) -> None:
    """Check that the hint for a missing extra begins with some words, and that a shell which follows it adds the extra."""
    argv = [program, "cache", "put", "--store", SERVER]
    before = subprocess.run(argv, env=home, input="x", capture_output=True, text=True)
    assert "the library redis is not installed" in before.stderr
    hint = before.stderr.partition("  hint: ")[2].strip()
    assert hint == f"{start} 'redis>=5.2'"
    call("sh", "-c", hint, env={**home, **env})
    after = subprocess.run(argv, env=home, input="x", capture_output=True, text=True)
    assert "the library redis is not installed" not in after.stderr
    assert "127.0.0.1:1" in after.stderr


@pytest.mark.parametrize("folder", ["schema", "data/units"])
def test_the_wheel_has_the_files_that_commands_print(dist: Path, folder: str) -> None:
    (wheel,) = dist.glob("*.whl")
    files = {f"ctxkit/{folder}/{path.name}" for path in (ROOT / "ctxkit" / folder).iterdir() if path.is_file()}
    assert files
    assert files <= set(zipfile.ZipFile(wheel).namelist())


def measure(folder: Path, *options: str) -> int:
    """Return the kilobytes that a directory takes."""
    return int(call("du", "-sk", *options, folder).split()[0])


def test_pip_installs_a_clone_in_112_megabytes(environment: Path, home: dict[str, str]) -> None:
    assert measure(environment) <= MAX_KILOBYTES
    assert measure(environment, *INSTALLERS_OWN) <= MAX_KILOBYTES - (20 << 10)
    check_program(environment / "bin" / "ctxkit", environment)
    assert call(environment / "bin" / "python", "-c", READ_OWNERS, cwd=environment) == f"program|distribution|ctxkit-cli {__version__}|ok|\n"


def test_the_hint_of_pip_adds_an_extra(environment: Path, home: dict[str, str]) -> None:
    (python,) = {line.strip() for line in (environment / "bin" / "ctxkit").read_text().splitlines()[:1]}
    check_hint(environment / "bin" / "ctxkit", f"{python.removeprefix('#!')} -m pip install", home, {})


def test_a_grammar_that_is_not_installed_is_named(environment: Path, home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "Cart.swift").write_text("class Cart {\n  func add(item: Item) {\n    go(item)\n  }\n}\n" * 3)
    text = call(environment / "bin" / "ctxkit", "brief", tmp_path / "Cart.swift", env=home)
    assert "(heuristic: matched by pattern; tree-sitter-swift is not installed)" in text


def test_pip_takes_the_source_distribution(dist: Path, environment: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    call(environment / "bin" / "pip", "install", "--quiet", "--no-deps", "--force-reinstall", archive)
    check_program(environment / "bin" / "ctxkit", environment)


def test_doctor_reports_the_old_distribution_beside_the_new_one_and_its_hint_mends_it(dist: Path, environment: Path, tmp_path: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    project = (tree / "pyproject.toml").read_text()
    (tree / "pyproject.toml").write_text(project.replace('name = "ctxkit-cli"', 'name = "ctxkit"'))
    python = environment / "bin" / "python"
    call(python, "-m", "pip", "install", "--quiet", "--no-deps", tree)
    _, _, value, state, hint = call(python, "-c", READ_OWNERS, cwd=environment).rstrip("\n").split("|")
    assert (state, value) == ("bad", f"ctxkit {__version__} and ctxkit-cli {__version__} own the same files: to remove one deletes those of the other")
    command, _, rest = hint.partition("; ")
    assert rest == "then install ctxkit-cli again from its source"
    call("sh", "-c", f"{command} --yes")
    assert not (environment / "bin" / "ctxkit").exists()
    (wheel,) = dist.glob("*.whl")
    call(python, "-m", "pip", "install", "--quiet", wheel)
    assert call(python, "-c", READ_OWNERS, cwd=environment).split("|")[3] == "ok"
    check_program(environment / "bin" / "ctxkit", environment)


def test_pipx_installs_a_clone_wherever_its_environments_lie(installers: Path, home: dict[str, str], tmp_path: Path) -> None:
    places = {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}
    env = {name: str(tmp_path / folder) for name, folder in places.items()}
    call(installers / "pipx", "install", "--python", sys.executable, ".", env=env, cwd=ROOT)
    check_program(tmp_path / "bin" / "ctxkit", tmp_path / "home" / "venvs" / "ctxkit-cli")
    assert (tmp_path / "man" / "man1" / "ctxkit.1").exists()
    start = f"PIPX_HOME={tmp_path}/home pipx inject ctxkit-cli"
    check_hint(tmp_path / "bin" / "ctxkit", start, home, {"PATH": f"{installers}:{os.environ['PATH']}"})


def test_uv_installs_a_clone_wherever_its_environments_lie(installers: Path, home: dict[str, str], tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin", "UV_CACHE_DIR": "cache"}
    env = {name: str(tmp_path / folder) for name, folder in places.items()} | find_index(installers)
    call(installers / "uv", "tool", "install", "--python", sys.executable, ".", env=env, cwd=ROOT)
    check_program(tmp_path / "bin" / "ctxkit", tmp_path / "tools" / "ctxkit-cli")
    path = {"PATH": f"{installers}:{os.environ['PATH']}", "UV_CACHE_DIR": env["UV_CACHE_DIR"], **find_index(installers)}
    python = (tmp_path / "bin" / "ctxkit").read_text().splitlines()[0].removeprefix("#!")
    check_hint(tmp_path / "bin" / "ctxkit", f"uv pip install --python {python}", home, path)


def test_pre_commit_installs_the_hook_from_the_repository(installers: Path, tmp_path: Path) -> None:
    commit = call("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("# Rules\n\n- Use tabs.\n")
    config = f"repos:\n  - repo: {ROOT}\n    rev: {commit}\n    hooks:\n      - id: ctxkit-dedupe\n"
    (tmp_path / "work" / ".pre-commit-config.yaml").write_text(config)
    call("git", "init", "--quiet", cwd=tmp_path / "work")
    call("git", "add", ".", cwd=tmp_path / "work")
    env = {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
    assert "Passed" in call(installers / "pre-commit", "run", "--all-files", env=env, cwd=tmp_path / "work")
    (folder,) = (tmp_path / "pre-commit").glob("repo*/py_env*")
    assert measure(folder) <= MAX_KILOBYTES


def test_an_extra_names_all_others(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"ctxkit_cli-{__version__}.dist-info/METADATA").decode()
    assert "\nName: ctxkit-cli\n" in metadata
    names = {extra: set(re.findall(rf"Requires-Dist: ([\w-]+).*extra == '{extra}'", metadata)) for extra in ("all", *EXTRAS)}
    assert all(names.values())
    assert names["all"] == set().union(*(names[extra] for extra in EXTRAS))
