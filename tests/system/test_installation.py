import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ctxkit.system.installation import (
    COMMANDS,
    DISTRIBUTION,
    Environment,
    install_command,
    is_installed,
    read_requirements,
    repair_command,
    uninstall_command,
)

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def make_environment(folder: Path, *names: str, config: str = "") -> Environment:
    """Return an environment with the files that its installer left in it."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    (folder / "pyvenv.cfg").write_text(f"home = /usr/bin\n{config}")
    return Environment(str(folder), f"{folder}/bin/python")


PIP = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages/pip/__init__.py"


def test_the_distribution_is_that_of_the_project() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert is_installed(DISTRIBUTION)
    assert not is_installed("unheard-of")


def test_requirements_are_those_of_the_project() -> None:
    declared = {("", line) for line in PROJECT["dependencies"]}
    declared |= {(extra, line) for extra in ("langs", "hf", "llama", "redis", "serve") for line in EXTRAS[extra]}
    declared = {(extra, line.partition(";")[0]) for extra, line in declared}
    installed = {(row.extra, row.specifier) for row in read_requirements() if row.extra in ("", "langs", "hf", "llama", "redis", "serve")}
    clauses = lambda rows: {(extra, frozenset(re.split(r"(?=[<>])|,", line)) - {""}) for extra, line in rows}  # noqa: E731
    assert clauses(installed) | {row for row in clauses(declared) if "tree-sitter-perl" in row[1]} == clauses(declared)


def test_pip_installs_into_the_environment_that_runs(tmp_path: Path) -> None:
    environment = make_environment(tmp_path, PIP)
    python = f"{tmp_path}/bin/python"
    assert install_command("redis", environment=environment) == f"{python} -m pip install 'redis>=5.2'"
    assert repair_command("redis", environment=environment) == f"{python} -m pip install --force-reinstall 'redis>=5.2'"
    assert uninstall_command("a", "b", environment=environment) == f"{python} -m pip uninstall a b"


@pytest.mark.parametrize("home", [".local/share/pipx", ".local/pipx", "moved"])
def test_pipx_injects_into_its_environment_wherever_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    environment = make_environment(tmp_path / home / "venvs" / "ctxkit-cli", "pipx_metadata.json", PIP)
    pipx = f"PIPX_HOME={tmp_path}/moved pipx" if home == "moved" else "pipx"
    assert install_command("redis", environment=environment) == f"{pipx} inject ctxkit-cli 'redis>=5.2'"
    assert repair_command("redis", environment=environment) == f"{pipx} runpip ctxkit-cli install --force-reinstall 'redis>=5.2'"
    assert uninstall_command("x", environment=environment) == f"{pipx} runpip ctxkit-cli uninstall x"


@pytest.mark.parametrize("names", [("uv-receipt.toml",), ("uv-receipt.toml", PIP), ()])
def test_uv_needs_no_pip_in_its_environment(tmp_path: Path, names: tuple[str, ...]) -> None:
    environment = make_environment(tmp_path / "with space", *(names or ("x",)), config="uv = 0.9.1\n")
    python = f"'{tmp_path}/with space/bin/python'"
    assert install_command("redis", environment=environment) == f"uv pip install --python {python} 'redis>=5.2'"
    assert repair_command("redis", environment=environment) == f"uv pip install --reinstall --python {python} 'redis>=5.2'"
    assert uninstall_command("x", environment=environment) == f"uv pip uninstall --python {python} x"


def test_without_pip_another_python_installs(tmp_path: Path) -> None:
    environment = make_environment(tmp_path)
    assert install_command("uvicorn", environment=environment) == f"python3 -m pip --python {tmp_path}/bin/python install 'uvicorn>=0.30'"


def test_no_command_names_the_distribution() -> None:
    commands = [command for purposes in COMMANDS.values() for command in purposes]
    assert not [command for command in commands if "ctxkit" in command]
    extras = {row.extra for row in read_requirements()}
    packages = {row.package for row in read_requirements() if row.extra in extras - {"all"}}
    assert not [package for package in packages if package.startswith("ctxkit")]


WITHOUT = """
import sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from ctxkit.main import main
sys.argv = ["ctxkit", *sys.argv[2:]]
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("module", "requirement", "args"),
    [
        ("uvicorn", "uvicorn>=0.30", ("serve", "--socket", "x.sock")),
        ("redis", "redis>=5.2", ("cache", "put", "--store", "redis://127.0.0.1:1/0")),
        ("tokenizers", "tokenizers>=0.21", ("count", "--tokenizer", "unigram.json")),
    ],
)
def test_a_missing_extra_names_its_package_for_this_environment(module: str, requirement: str, args: tuple[str, ...], home: dict[str, str], tmp_path: Path) -> None:
    spec = {"model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0.0]]}, "added_tokens": []}
    (tmp_path / "unigram.json").write_text(json.dumps(spec))
    command = [sys.executable, "-c", f"import json\n{WITHOUT}", json.dumps([module]), *args]
    done = subprocess.run(command, env=home, cwd=tmp_path, input="x", capture_output=True, text=True)
    assert done.returncode == (0 if module == "redis" else 69)  # content is stored on this machine instead
    assert f"{sys.executable} -m pip install '{requirement}'" in done.stderr
    assert "ctxkit[" not in done.stderr
