"""The program names its version, its interpreter and the pages that are missing."""

import sys
from pathlib import Path

import pytest

from ctxkit import __version__
from ctxkit.edge.checkup import program


def test_missing_pages_are_named_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    first, second, third, pages = program.checks()
    assert (first.value, second.value.endswith(sys.executable), third.name) == (__version__, True, "platform")
    assert pages.state == "absent"
    assert all(name in pages.value for name, _ in program.PAGES)
    assert str(tmp_path) in pages.hint


def test_installed_pages_are_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    for _, path in program.PAGES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert [check.state for check in program.checks()] == ["ok"] * 4
