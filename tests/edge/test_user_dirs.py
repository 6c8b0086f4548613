import os
import sys
from binascii import crc32
from pathlib import Path

import platformdirs
import pytest

from ctxkit.edge import user_dirs

ENVIRONMENTS = [
    {},
    {"XDG_CONFIG_HOME": ""},
    {"XDG_CONFIG_HOME": "  "},
    {"XDG_CONFIG_HOME": "/elsewhere/config"},
    {"XDG_CONFIG_HOME": "/with space/config"},
    {"XDG_CONFIG_HOME": "/trailing/"},
    {"XDG_CONFIG_HOME": "relative/config"},
    {"XDG_CONFIG_HOME": "~/config"},
    {"XDG_CONFIG_HOME": " /blank/before"},
    {"HOME": "/another/home"},
    {"HOME": "/another/home/"},
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize("environ", ENVIRONMENTS, ids=str)
def test_the_settings_file_is_where_platformdirs_says(environ, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME",):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    expected = platformdirs.user_config_dir("ctxkit", appauthor=False)
    assert user_dirs.settings_file() == os.path.join(expected, "config.toml")


def test_content_and_index_are_kept_where_platformdirs_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert user_dirs.cache_dir() == platformdirs.user_cache_dir("ctxkit", appauthor=False)
    assert user_dirs.data_dir() == platformdirs.user_data_dir("ctxkit", appauthor=False)
    assert user_dirs.cache_dir() != user_dirs.data_dir()


def test_asking_makes_no_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    user_dirs.settings_file(), user_dirs.cache_dir(), user_dirs.data_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have numbers on POSIX")
def test_a_private_directory_has_the_user_and_the_session_in_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/me")
    mine = f"{tmp_path}/ctxkit-{os.geteuid()}"
    name = f"{mine}-{crc32(b'/home/me'):08x}"
    assert user_dirs.private_dir() == mine
    assert (user_dirs.fallback_dir(), user_dirs.fallback_dir("s")) == (name, f"{name}-s")
    assert user_dirs.fallback_dirs() == []
    for path in (mine, name, f"{name}-s", f"{name}0", f"{tmp_path}/ctxkit-x"):
        os.mkdir(path)
    assert user_dirs.fallback_dirs() == [name, f"{name}-s"]
    monkeypatch.setenv("HOME", "/home/another")
    assert user_dirs.fallback_dirs() == []
    monkeypatch.setenv("HOME", "relative")
    assert user_dirs.fallback_dir() == mine


def test_the_directory_of_temporary_files_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    assert os.path.dirname(user_dirs.private_dir()) == os.path.abspath("/tmp")
    for name in ("TMP", "TEMP", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        assert os.path.dirname(user_dirs.private_dir()) == str(tmp_path / name)
    assert user_dirs.fallback_dirs() == []


def test_a_directory_is_writable_if_it_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert user_dirs.is_writable(str(tmp_path))
    assert user_dirs.is_writable(str(tmp_path / "a" / "b"))
    assert not user_dirs.is_writable(str(tmp_path / "file" / "a"))
