"""Where content is stored, and where it is sought."""

import os
from pathlib import Path

import pytest

from ctxkit.app.services import stores
from ctxkit.core.store.label import Label
from ctxkit.edge import settings


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr("tempfile.tempdir", None)
    return lambda **environ: settings.load({f"CTXKIT_{key}": value for key, value in environ.items()}, str(tmp_path))


def put(store, data=b"stored"):
    writer = store.open_writer()
    writer.write(data)
    return writer.commit(Label())


def test_content_is_stored_in_the_directory_of_the_settings(load, tmp_path: Path) -> None:
    place = tmp_path / "mine"
    ref = put(stores.open_store(load(CACHE_DIR=str(place))))
    assert any(ref in name for _, _, names in os.walk(place) for name in names)
    assert not any(names for _, _, names in os.walk(tmp_path / "XDG_CACHE_HOME"))


def test_content_of_the_default_directory_is_found_with_another_one(load, tmp_path: Path) -> None:
    ref = put(stores.open_store(load()))
    store = stores.open_store(load(CACHE_DIR=str(tmp_path / "other")))
    assert store.open(ref).read(0, 6) == b"stored"


def test_a_directory_in_the_way_is_replaced_by_a_private_one(load, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    store = stores.open_store(load(CACHE_DIR=str(tmp_path / "file" / "x")))
    os.rmdir(tmp_path / "XDG_CACHE_HOME")
    (tmp_path / "XDG_CACHE_HOME").write_text("")
    ref = put(store)
    assert store.open(ref).path.startswith(str(tmp_path / "TMPDIR"))
    assert f"content is stored in {tmp_path}/TMPDIR/" in capfd.readouterr().err


def test_the_data_directory_is_absolute(load, tmp_path: Path) -> None:
    assert stores.data_dir(load(DATA_DIR=str(tmp_path / "d"))) == str(tmp_path / "d")
    assert stores.data_dir(load()).startswith(str(tmp_path / "XDG_DATA_HOME"))
