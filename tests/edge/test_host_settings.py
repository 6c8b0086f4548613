"""Each host's settings over forty texts: what a setup adds, its removal takes out, byte for byte."""

import json
import os
import re
from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.hosts.host import Host, Programs
from ctxkit.core.hosts.jsonc import parse_jsonc
from ctxkit.core.hosts.mcp_server import SettingsEdit, list_edits
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.edge.host_setup import HostSetup
from tests.core.hosts.settings_texts import BROKEN, TEXTS

OWNED = {"cline", "copilot", "mini-swe-agent", "opencode", "pi"}
"""Hosts with a file that belongs to ctxkit as a whole, apart from their list of servers."""


def list_host_edits(host: Host, directory: str) -> list[SettingsEdit]:
    return list_edits(host, "user", directory, Programs("/bin/ctxkit", "/bin/python3"), serves=True)


def list_json_files() -> list[tuple[str, int]]:
    """Return the hosts, and which of their files are JSON that others write too."""
    edits = [(name, number, edit) for name in MODULES for number, edit in enumerate(list_host_edits(load_host(name), "/d"))]
    return [
        (name, number) for name, number, edit in edits if edit.place.path.endswith(".json") and not (name in OWNED and number == 0)
    ]


FILES = list_json_files()
COMMENT = re.compile(r"// .*|/\*[^*]*\*/")
IDS = [f"{name} {number}" for name, number in FILES]


@pytest.fixture(autouse=True)
def _directory_of_the_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


def open_setup(name: str, number: int, folder: Path) -> tuple[HostSetup, SettingsEdit]:
    setup = HostSetup(load_host(name), str(folder / "it's data"))
    return setup, list_host_edits(setup.host, setup.directory)[number]


def test_there_are_forty_texts_for_each_host_that_shares_its_file() -> None:
    assert len(TEXTS) >= 40
    assert {name for name, _ in FILES} == set(MODULES) - OWNED | {"copilot", "opencode"}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "number"), FILES, ids=IDS)
def test_a_removal_gives_each_byte_back(name: str, number: int, tmp_path: Path) -> None:
    setup, edit = open_setup(name, number, tmp_path)
    path = tmp_path / "host" / "settings.json"
    path.parent.mkdir()
    for title, text in TEXTS.items():
        path.write_bytes(text.encode())
        setup.apply_setup(setup.plan_setup(str(path), edit))
        assert path.read_bytes() != text.encode(), title
        assert not setup.plan_setup(str(path), edit).changes_settings, title
        setup.apply_removal(setup.plan_removal(str(path), edit))
        assert path.read_bytes() == text.encode(), title
        assert os.listdir(path.parent) == ["settings.json"], title
        assert not Path(setup.directory).exists(), title


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "number"), FILES, ids=IDS)
def test_a_removal_after_another_change_leaves_comments_and_values(name: str, number: int, tmp_path: Path) -> None:
    _, edit = open_setup(name, number, tmp_path)
    for title, text in TEXTS.items():
        if not text.strip("\ufeff \n"):
            continue
        rest = edit.remove(edit.install(text)) or ""
        assert COMMENT.findall(rest) == COMMENT.findall(text), title
        before, after = (drop_empty(parse_jsonc(value).make_value()) for value in (text, rest))
        assert after == before, title


def drop_empty(value: object) -> object:
    """Return a value without empty objects and arrays, which a removal cannot tell from its own."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := drop_empty(item)) not in ({}, [])}
    return value


@pytest.mark.parametrize(("name", "number"), FILES, ids=IDS)
def test_broken_settings_stay(name: str, number: int, tmp_path: Path) -> None:
    setup, edit = open_setup(name, number, tmp_path)
    path = tmp_path / "settings.json"
    for title, text in BROKEN.items():
        path.write_text(text)
        try:
            setup.plan_setup(str(path), edit)
        except MalformedInputError:
            assert path.read_text() == text
            continue
        pytest.fail(title)


@pytest.mark.parametrize(("name", "number"), FILES, ids=IDS)
def test_links_and_read_only_files_stay_what_they_are(name: str, number: int, tmp_path: Path) -> None:
    setup, edit = open_setup(name, number, tmp_path)
    real, path = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text('{"a": 1}\n')
    real.chmod(0o444)
    path.symlink_to(real)
    setup.apply_setup(setup.plan_setup(str(path), edit))
    assert json.loads(real.read_text())["a"] == 1
    assert real.stat().st_mode & 0o777 == 0o444
    setup.apply_removal(setup.plan_removal(str(path), edit))
    assert path.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ('{"a": 1}\n', 0o444)
