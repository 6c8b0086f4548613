"""The services that the settings name are checked, and no others."""

from pathlib import Path

from ctxkit.app.doctor.engine_checks import check_services
from ctxkit.edge.settings import load


def names(tmp_path: Path, **environ: str) -> list[tuple[str, str]]:
    return [(check.name, check.state) for check in check_services(load(environ, str(tmp_path)))]


def test_without_a_setting_and_without_a_socket_nothing_is_checked(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert names(tmp_path) == names(tmp_path, CTXKIT_STORE="off", CTXKIT_SERVER="off") == []


def test_what_is_named_is_checked(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert names(tmp_path, CTXKIT_SERVER=str(tmp_path / "s")) == [("socket", "bad")]
    assert names(tmp_path, CTXKIT_STORE="redis://127.0.0.1:1") == [("shared store", "bad")]
