"""A socket with a server, with another program, without one, and none at all."""

import os
import socket
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

from ctxkit.app import checkup
from ctxkit.app.checkup import (
    _check_library,
    _find_failure,
    check_libraries,
    check_server,
    check_socket,
    check_storage,
    check_vocabularies,
)
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines import database
from ctxkit.engines.tokens import splintr
from ctxkit.engines.vocabulary_tables import make_table
from tests.redis_servers import run_server


def test_every_library_is_there() -> None:
    found = {check.name: check for check in check_libraries()}
    assert {"splintr-rs", "tiktoken", "tree-sitter", "orjson", "grammars", "SQLite"} <= set(found)
    assert {check.state for check in found.values()} == {"ok"}
    assert found["SQLite"].value.endswith("with FTS5 and WAL")


def test_a_library_that_is_not_there_is_bad_and_how_to_get_it_is_said() -> None:
    check = _check_library("unheard-of", "unheard_of")
    assert (check.state, check.hint) == ("bad", f"{sys.executable} -m pip install --force-reinstall 'unheard-of'")


def test_a_module_without_a_package_of_that_name_still_loads() -> None:
    assert _check_library("unheard-of", "json").state == "ok"


@pytest.mark.slow
def test_every_vocabulary_counts_and_compiled_ones_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = check_vocabularies(str(tmp_path))
    held = sum(splintr.has_encoder(vocabulary.ranks) for vocabulary in VOCABULARIES.values())
    assert held <= 1, "no two tables are held at a time"
    assert check.state == "ok"
    assert all(name in check.value for name in VOCABULARIES)
    monkeypatch.setattr("ctxkit.app.checkup.VOCABULARIES", {"bytes/3": VOCABULARIES["bytes/3"]})  # once is enough
    make_table(str(tmp_path), "qwen3-1", lambda: [b"a"])
    assert [(check.name, check.value) for check in check_vocabularies(str(tmp_path))][1:] == [
        ("compiled vocabularies", "qwen3-1: 61 bytes")
    ]


def test_one_that_the_engine_lacks_says_so() -> None:
    lacking = VOCABULARIES["llama3"]._replace(ranks="unheard-of")
    why = _find_failure(lacking)
    assert why is not None
    assert "unheard-of" in why[0]


def check_database(data):
    return list(check_storage(str(data / "none"), str(data)))[1]


def test_where_nothing_is_yet_all_is_well(tmp_path: Path) -> None:
    content, found = check_storage(str(tmp_path / "cache"), str(tmp_path / "data"))
    assert (content.value, content.state) == ("0 blobs, 0 bytes", "ok")
    assert (found.state, found.value.endswith("created when it is needed")) == ("ok", True)
    assert list(tmp_path.iterdir()) == []


def test_a_sound_database_is_called_sound_and_a_torn_one_damaged(tmp_path: Path) -> None:
    path = tmp_path / database.NAME
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE a (b)")
        db.executemany("INSERT INTO a VALUES (?)", [("x" * 500,) for _ in range(200)])
    db.close()
    assert check_database(tmp_path).value.endswith("journal delete, version 0, sound")
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    path.write_bytes(data)
    assert check_database(tmp_path).state == "bad"
    assert not check_database(tmp_path).value.endswith("sound")


def test_a_directory_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / database.NAME).mkdir()
    assert check_database(tmp_path).state == "bad"
    assert check_database(tmp_path).hint


def test_a_link_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / database.NAME).symlink_to(tmp_path / "theirs.db")
    (check,) = [check for check in check_storage(str(tmp_path), str(tmp_path)) if check.name == "database"]
    assert (check.state, "is a link" in check.value) == ("bad", True)


def answer_once(path: str, reply: bytes) -> threading.Thread:
    """Listen at a path, and answer the first request."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        with listener, connection:
            connection.recv(1000)
            connection.sendall(reply)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize(("reply", "state"), [(b"HTTP/1.1 200 OK\r\n\r\n", "ok"), (b"220 mail\r\n", "bad")])
def test_what_answers_is_a_server_or_another_program(tmp_path: Path, reply: bytes, state: str) -> None:
    path = str(tmp_path / "s")
    thread = answer_once(path, reply)
    check = check_socket(path, is_named=True)
    thread.join()
    assert check is not None
    assert check.state == state


def test_a_socket_that_is_named_must_be_there(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    assert check_socket(path, is_named=False) is None
    check = check_socket(path, is_named=True)
    assert check is not None
    assert (check.state, check.value) == ("bad", f"{path}: does not exist")


def test_a_dead_socket_and_a_silent_server_are_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "SECONDS", 0.05)
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        for listens in (False, True):
            if listens:
                listener.listen()
            check = check_socket(path, is_named=False)
            assert check is not None
            assert (check.state, "no server answers" in check.value) == ("bad", True)
    assert os.path.exists(path)


pytest.importorskip("redis")


def test_a_server_that_refuses_or_says_nothing_is_a_problem() -> None:
    refused = check_server("redis://me:secret@127.0.0.1:1")
    assert (refused.state, refused.value.startswith("redis://127.0.0.1:1")) == ("bad", True)
    assert refused.hint.startswith("start the server, or change the setting store")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = check_server(f"redis://127.0.0.1:{mute.getsockname()[1]}")
    assert silent.state == "bad"


@pytest.mark.slow
def test_a_server_that_answers_is_well_and_one_that_wants_a_password_is_not() -> None:
    with run_server() as server:
        assert check_server(server.url).state == "ok"
    with run_server("--requirepass", "secret") as server:
        check = check_server(f"redis://127.0.0.1:{server.port}")
        assert check.state == "bad"
        assert check.hint
