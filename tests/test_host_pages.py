"""Files that are kept for the sessions of agent hosts."""

import os
from pathlib import Path

import pytest

from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.edge import settings
from ctxkit.host_pages import MAX_AGE, find_session_file, keep_page, load_page


def test_a_page_is_private_and_those_of_old_sessions_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path))
    config, old, new = settings.load(), HookEvent(EventKind.TURN, "old"), HookEvent(EventKind.TURN, "new")
    keep_page(old, "a", config)
    path = find_session_file(old, ".md", config)
    assert os.stat(path).st_mode & 0o077 == 0
    os.utime(path, (0, 0))
    keep_page(new, "b", config)
    assert (load_page(old, config), load_page(new, config)) == ("", "b")
    assert MAX_AGE == 30 * 24 * 3600
