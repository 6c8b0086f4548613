"""Which file a project's settings are read from, and what is no such file."""

import os
import sys
import time
from binascii import crc32
from pathlib import Path

import platformdirs
import pytest

from ctxkit.app.doctor import check_settings
from ctxkit.core.errors import SettingsError
from ctxkit.edge import settings, user_dirs
from tests.conftest import Run

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


ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
MB = 1 << 20
HOSTILE = {
    "dots in a key": b"ctxkit." + b"a." * (MB // 2 - 50) + b"a = 1",
    "deep header": b"[" + b"a." * 900 + b"a]\n" + b"".join(b"b%d = 1\n" % number for number in range(90_000)),
    "unknown keys": b"[tool.ctxkit]\n" + b"".join(b"windo%d = 1\n" % number for number in range(60_000)),
    "one long key": b"[tool.ctxkit]\n" + b"x" * (MB - 200) + b" = 1",
    "tokenizers": b"".join(b"[tool.ctxkit.models.m%d]\ntokenizer = './t'\n" % number for number in range(18_000)),
    "lists in lists": b"window = " + b"[" * (MB - 20),
    "tables in tables": b"window = " + b"{a=" * (MB // 3 - 20),
    "digits": b"window = " + b"9" * (MB - 20),
    "hexadecimal": b"window = 0x" + b"f" * (MB - 99),
    "blanks": b" " * MB,
    "line ends": b"\n" * MB,
    "equals": b"=" * MB,
    "too large": b"# " + b"x" * MB,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    made = tmp_path / "project"
    (made / ".git").mkdir(parents=True)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", [".ctxkit.toml", "pyproject.toml"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_megabyte_is_read_in_seconds_or_refused(project: Path, hostile: str, name: str) -> None:
    (project / name).write_bytes(HOSTILE[hostile] + b"\n# ctxkit\n")
    began = time.process_time()
    faults: list[Exception] = []
    settings.load({}, str(project), faults.append)
    assert time.process_time() - began < 3
    assert all(isinstance(fault, SettingsError) and len(str(fault)) < 600 for fault in faults)


def test_a_large_pyproject_that_does_not_name_us_is_passed_over(project: Path) -> None:
    (project / "pyproject.toml").write_bytes(b"# " + b"x" * 2 * MB)
    assert settings.load({}, str(project))["window"] == 0


def test_what_is_no_file_does_not_hold_a_call_up(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".ctxkit.toml")
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    done = run("gate", "--window", "900", stdin="x", cwd=tmp_path, timeout=20)
    assert (done.status, done.out, done.err) == (0, b"x", "")


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with pytest.raises(SettingsError, match="is not a regular file"):
        user_dirs._read_file(str(project / "pipe"))


@ROOT
@pytest.mark.parametrize("name", [".ctxkit.toml", "pyproject.toml"])
def test_a_file_of_another_user_is_not_read_and_that_is_said_once(run: Run, project: Path, name: str) -> None:
    path = project / name
    path.write_text("[tool.ctxkit]\nwindow = = 1\n")
    os.chown(path, 12_345, 12_345)
    first = run("gate", "--window", "900", stdin="x", cwd=project)
    assert (first.status, first.out) == (0, b"x")
    assert first.err == f"ctxkit: warning: {path}: is ignored, because it belongs to another user\n"
    assert run("count", stdin="x", cwd=project).err == ""
    (told,) = (check for check in check_settings(settings.load({}, str(project)), [], {}) if check.name == "not read")
    assert (told.value, told.state) == (f"{path}: belongs to another user", "absent")


@ROOT
def test_a_link_of_another_user_is_not_followed(project: Path) -> None:
    (project / "mine.toml").write_text("window = 1\n")
    link = project / ".ctxkit.toml"
    link.symlink_to("mine.toml")
    os.chown(link, 12_345, 12_345, follow_symlinks=False)
    loaded = settings.load({}, str(project))
    assert (loaded["window"], loaded.project.foreign) == (0, (str(link),))


@ROOT
def test_a_pyproject_of_another_user_that_does_not_name_us_is_nobody_s_business(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\n")
    os.chown(project / "pyproject.toml", 12_345, 12_345)
    assert settings.load({}, str(project)).project.foreign == ()
