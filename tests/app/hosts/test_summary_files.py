"""Files that are kept for the sessions of agent hosts."""

import os
from pathlib import Path

import pytest

from ctxkit.app.hosts.summary_files import MAX_AGE, keep_page, load_page, remove_session_files
from ctxkit.core.hosts import codex, copilot
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.edge import settings
from ctxkit.edge.settings import Settings

HOST = codex.HOST
OLD, NEW = HookEvent(EventKind.TURN, "old"), HookEvent(EventKind.TURN, "new")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path))
    return settings.load()


def test_a_page_is_private_and_those_of_old_sessions_go(config: Settings, tmp_path: Path) -> None:
    keep_page(OLD, HOST, "a", config)
    path = tmp_path / "hosts" / "pages" / "codex" / "old.md"
    assert path.stat().st_mode & 0o077 == 0
    os.utime(path, (0, 0))
    keep_page(NEW, HOST, "b", config)
    assert (load_page(OLD, HOST, config), load_page(NEW, HOST, config)) == ("", "b")
    assert load_page(NEW, copilot.HOST, config) == ""
    assert MAX_AGE == 30 * 24 * 3600


def test_a_page_that_version_0_1_kept_is_read_until_another_one_replaces_it(config: Settings, tmp_path: Path) -> None:
    earlier = tmp_path / "hosts" / "pages" / "new.md"
    earlier.parent.mkdir(parents=True)
    earlier.parent.parent.chmod(0o775)  # as it made them with a umask of 002
    earlier.write_text("a")
    assert load_page(NEW, HOST, config) == "a"
    keep_page(NEW, HOST, "b", config)
    assert load_page(NEW, HOST, config) == "b"
    assert not earlier.exists()


def test_the_files_of_a_session_go_with_it(config: Settings, tmp_path: Path) -> None:
    for host in (HOST, copilot.HOST):
        for event in (OLD, NEW):
            keep_page(event, host, "a", config)
    (tmp_path / "hosts" / "pages" / "old.json").write_text("{}")
    assert remove_session_files("old", config)
    assert not remove_session_files("old", config)
    assert {path.name for path in tmp_path.rglob("*.*")} == {"new.md"}


def test_a_page_that_cannot_be_kept_is_a_warning(config: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "hosts").symlink_to(tmp_path / "theirs")
    keep_page(NEW, HOST, "a", config)
    assert capsys.readouterr().err.count("\n") == 1
    assert not list((tmp_path / "theirs").iterdir())
