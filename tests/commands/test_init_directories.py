"""ctxkit init --remove leaves the directories that were there before, empty or not, and no others."""

import os
from pathlib import Path

import pytest

from ctxkit.core.hosts.profiles import MODULES, load_host
from tests.conftest import Run

PROJECT_HOSTS = [name for name in MODULES if "project" in load_host(name).settings]


def list_tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def init(run: Run, *args: str, **options: object) -> None:
    ran = run("init", *args, "--yes", **options)
    assert ran.status == 0, ran.err


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", MODULES)
def test_a_removal_leaves_the_home_as_it_was(run: Run, home: dict[str, str], name: str) -> None:
    user = Path(home["HOME"]).parent
    for place in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        os.rmdir(home[place])
    before = list_tree(user)
    init(run, name, *(["--mcp"] if load_host(name).mcp else []))
    made = set(list_tree(user)) - set(before)
    assert any("/" in path for path in made)
    init(run, name, "--remove")
    assert list_tree(user) == before
    folders = [user / path for path in made if (user / path).is_dir()]
    assert not folders


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", MODULES)
def test_an_empty_directory_of_the_user_stays(run: Run, home: dict[str, str], name: str) -> None:
    user = Path(home["HOME"]).parent
    init(run, name)
    folders = [path for path in user.rglob("*") if path.is_dir() and "hosts" not in path.parts]
    init(run, name, "--remove")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    before = list_tree(user)
    init(run, name)
    init(run, name, "--remove")
    assert list_tree(user) == before


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", PROJECT_HOSTS)
def test_a_removal_leaves_the_project_as_it_was(run: Run, tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    init(run, name, "--project", cwd=project)
    assert list_tree(project)
    init(run, name, "--project", "--remove", cwd=project)
    assert list_tree(project) == []


def test_two_hosts_in_the_same_directory_leave_none(run: Run, home: dict[str, str]) -> None:
    user = Path(home["HOME"]).parent
    before = list_tree(user)
    for flags in ([], ["--remove"]):
        for name in ("opencode", "mini-swe-agent", "pi"):
            init(run, name, *flags)
    assert list_tree(user) == before


def test_what_the_host_has_written_since_stays(run: Run, home: dict[str, str]) -> None:
    init(run, "claude-code")
    theirs = Path(home["HOME"]) / ".claude" / "history.jsonl"
    theirs.write_text("{}\n")
    init(run, "claude-code", "--remove")
    assert [path.name for path in theirs.parent.iterdir()] == ["history.jsonl"]


def test_a_setup_of_the_first_version_is_removed(run: Run, home: dict[str, str]) -> None:
    """It recorded no directories: those of the host stay."""
    init(run, "claude-code")
    hosts = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts"
    (hosts / "directories.json").unlink()
    init(run, "claude-code", "--remove")
    assert not hosts.exists()
    assert list((Path(home["HOME"]) / ".claude").iterdir()) == []
