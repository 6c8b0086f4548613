"""The programs of commands, and those that are missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.programs import (
    find_missing_program,
    is_probe,
    list_echoed_programs,
    list_programs,
    normalize_program,
)


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("File not found", ""),
        ("mvn not found", "mvn"),
        ("sh: 1: vitest: not found", "vitest"),
        ("npm : File C:\\nvm\\npm.ps1 cannot be loaded because running scripts is disabled", "npm"),
    ],
)
def test_a_missing_program_is_named(line: str, program: str) -> None:
    assert find_missing_program([line]) == program


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("C:\\Python\\python.exe", "python"),
        ("python3.12", "python"),
        ("pip3", "pip"),
        ("py", "python"),
        ("gcc-12", "gcc"),
        ("7z", "7z"),
        ("./mvnw", "mvn"),
    ],
)
def test_a_name_has_neither_folder_nor_version(name: str, normal: str) -> None:
    assert normalize_program(name) == normal


def test_a_launcher_runs_other_programs() -> None:
    assert list(list_programs(["uv", "run", "--quiet", "ruff", "check"])) == ["uv", "run", "ruff", "check"]
    assert list(list_programs(["docker", "compose", "up"])) == ["docker", "compose", "up", "docker-compose"]
    assert list(list_programs(["python3", "-m", "pip"])) == ["python", "pip"]
    assert list(list_programs(["grep", "pip"])) == ["grep"]


def test_package_managers_print_what_they_run() -> None:
    output = "$ tsc -b\n> a@1.0.0 lint\n> NODE_ENV=test eslint .\nweb test$ vitest\n  - > nothing\n"
    assert list(list_echoed_programs(output)) == ["tsc", "eslint", "vitest"]


@pytest.mark.parametrize(
    ("command", "is_question"),
    [
        ("command -v mvn && echo yes", True),
        ("python --version", True),
        ("where.exe git; Get-Command node", True),
        ("python run.py --version", False),
        ("which rsync || cp -r a b", False),
    ],
)
def test_a_probe_only_asks_whether_programs_are_there(command: str, is_question: bool) -> None:
    assert is_probe(command) is is_question


@given(st.text(alphabet="a1.-/>$ \n=", max_size=60))
def test_any_output_is_read(text: str) -> None:
    assert all(name for name in list_echoed_programs(text))
