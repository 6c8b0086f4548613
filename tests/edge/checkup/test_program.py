"""The program names its version, its interpreter and the pages that are missing."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctxkit import __version__
from ctxkit.edge.checkup import program
from ctxkit.edge.checkup.program import check_owners, check_path, find_owners
from ctxkit.system.installation import DISTRIBUTION


def test_missing_pages_are_named_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    first, second, third, pages = program.check_program()
    assert (first.value, second.value.endswith(sys.executable), third.name) == (__version__, True, "platform")
    assert pages.state == "absent"
    assert all(name in pages.value for name, _ in program.PAGES)
    assert str(tmp_path) in pages.hint


def test_installed_pages_are_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    for _, path in program.PAGES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert [check.state for check in program.check_program()] == ["ok"] * 4


def add_distribution(folder: Path, name: str, version: str, record: str = "ctxkit/__init__.py,,\n") -> None:
    """Add the metadata of a distribution that owns the package ctxkit."""
    place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (place / "RECORD").write_text(record)


def write_program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_this_environment_has_one_owner() -> None:
    assert find_owners() == {DISTRIBUTION: __version__}
    assert check_owners(find_owners()) == ("program", "distribution", f"{DISTRIBUTION} {__version__}", "ok", "")


def test_another_distribution_of_the_same_files_is_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ctxkit").mkdir()
    add_distribution(tmp_path, "ctxkit", "2.2.5")
    add_distribution(tmp_path, "other", "1.0", "other/__init__.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_owners(str(tmp_path / "ctxkit")) == {DISTRIBUTION: __version__, "ctxkit": "2.2.5"}
    assert find_owners() == {DISTRIBUTION: __version__}, "its files are in another place"


def test_an_editable_installation_of_the_old_name_is_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_distribution(tmp_path, "ctxkit", "0.1.0", "_editable_impl_ctxkit.pth,,\n../../../bin/ctxkit,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_owners() == {DISTRIBUTION: __version__, "ctxkit": "0.1.0"}


def test_two_owners_are_a_problem_and_both_are_removed() -> None:
    check = check_owners({"ctxkit": "0.1.0", DISTRIBUTION: "0.1.0"})
    assert (check.state, check.value) == ("bad", "ctxkit 0.1.0 and ctxkit-cli 0.1.0 own the same files: to remove one deletes those of the other")
    assert check.hint == f"{sys.executable} -m pip uninstall ctxkit ctxkit-cli; then install ctxkit-cli again from its source"


def test_a_stranger_as_the_only_owner_is_a_problem() -> None:
    check = check_owners({"ctxkit": "2.2.5"})
    assert (check.state, check.value) == ("bad", "ctxkit 2.2.5 owns the package, not ctxkit-cli")
    assert "uninstall ctxkit;" in check.hint


def test_a_source_tree_has_no_owner_and_no_problem() -> None:
    assert check_owners({}).state == "ok"


def test_the_first_program_on_path_is_this_one_through_a_link(tmp_path: Path) -> None:
    own = write_program(tmp_path / "venv" / "bin" / "ctxkit", "exit 9")
    (tmp_path / "ctxkit").symlink_to(own)
    assert check_path(str(tmp_path / "ctxkit"), own).state == "ok"
    assert check_path(own, own).value == f"{own} is the first ctxkit"


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (f"echo 'ctxkit {__version__} (commit 3f9a2c81, 2026-11-23)'", "ok", "it has the version of"),
        ("echo ctxkit, version 2.2.5", "bad", "is the first ctxkit: ctxkit, version 2.2.5, not"),
        ("exit 3", "bad", "is the first ctxkit: another program, not"),
        ("kill -9 $$", "bad", "is the first ctxkit: another program, not"),
    ],
)
def test_another_program_on_path_is_a_problem_unless_it_has_this_version(tmp_path: Path, text: str, state: str, words: str) -> None:
    first, own = write_program(tmp_path / "first" / "ctxkit", text), str(tmp_path / "own" / "ctxkit")
    check = check_path(first, own)
    assert (check.state, words in check.value) == (state, True)
    assert state == "ok" or check.hint == f"put {tmp_path}/own before {tmp_path}/first in PATH"


def test_a_program_that_does_not_end_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "SECONDS", 0.1)
    assert check_path(write_program(tmp_path / "ctxkit", "exec sleep 60"), "/own/ctxkit").state == "bad"


def test_a_program_of_the_current_directory_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "ctxkit", f"touch started; echo 'ctxkit {__version__} (commit 1)'")
    monkeypatch.chdir(tmp_path)
    assert check_path("./ctxkit", "/own/ctxkit").state == "bad"
    assert not (tmp_path / "started").exists()


def test_no_program_on_path_is_no_problem() -> None:
    check = check_path(None, "/own/bin/ctxkit")
    assert (check.state, check.hint.split(":")[0]) == ("absent", "add /own/bin to PATH")


def examine(home: Mapping[str, str], code: str = "", **variables: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Run doctor with the smallest vocabulary; return its status and its checks of this topic."""
    lines = (
        code,
        "from ctxkit.engines.checkup import libraries",
        'libraries.VOCABULARIES = {"bytes/3": libraries.VOCABULARIES["bytes/3"]}',
        "from ctxkit.main import main",
        'main(["doctor", "--json"])',
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, env={**home, **variables}, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)["checks"] if check["topic"] == "program"}


def test_doctor_reports_both_with_status_1(home: dict[str, str], tmp_path: Path) -> None:
    status, checks = examine(home, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert (status, checks["distribution"]["state"], checks["PATH"]["state"]) == (0, "ok", "ok")
    write_program(tmp_path / "bin" / "ctxkit", "echo ctxkit 2.2.5")
    add_distribution(tmp_path / "site", "ctxkit", "0.1.0", "_editable_impl_ctxkit.pth,,\n")
    code = f"import sys; sys.path.append({str(tmp_path / 'site')!r})"
    status, checks = examine(home, code, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert (status, checks["distribution"]["state"], checks["PATH"]["state"]) == (1, "bad", "bad")


def test_every_extra_is_looked_at_and_what_is_missing_comes_with_a_command() -> None:
    checks = {check.name: check for check in program.check_extras()}
    assert list(checks) == ["langs", "hf", "redis", "redact", "serve", "mcp", "llama"]
    for check in checks.values():
        assert check.state == "ok" or re.search(r"install '\S+>=[\d.]+'", check.hint)
        assert "ctxkit-cli" not in check.hint


def test_a_missing_package_alone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "is_installed", lambda package: package != "redis")
    checks = {check.name: check for check in program.check_extras()}
    assert [name for name, check in checks.items() if check.state == "absent"] == ["redis"]
    assert checks["redis"].value == f"{program.PURPOSES['redis']}: lacks redis"
    assert checks["redis"].hint.endswith(" install 'redis>=5.2'")
