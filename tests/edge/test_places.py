import os
import sys

import platformdirs
import pytest

from ctxkit.edge import places

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
def test_the_settings_file_is_where_platformdirs_says(environ, monkeypatch):
    for name in ("XDG_CONFIG_HOME",):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    expected = platformdirs.user_config_dir("ctxkit", appauthor=False)
    assert places.settings_file() == os.path.join(expected, "config.toml")


def test_content_and_index_are_kept_where_platformdirs_says(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert places.cache_dir() == platformdirs.user_cache_dir("ctxkit", appauthor=False)
    assert places.data_dir() == platformdirs.user_data_dir("ctxkit", appauthor=False)
    assert places.cache_dir() != places.data_dir()


def test_asking_makes_no_directory(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    places.settings_file(), places.cache_dir(), places.data_dir()
    assert list(tmp_path.iterdir()) == []
