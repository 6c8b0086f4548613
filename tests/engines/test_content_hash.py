"""The SHA-256 of content is that of hashlib, whatever its size and its pieces."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.engines.content_hash import SMALL, ContentHash, name_project


def hash_pieces(*pieces: bytes) -> str:
    digest = ContentHash()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


@given(pieces=st.lists(st.binary(max_size=SMALL // 2), max_size=6))
def test_it_is_the_sha256_of_all_pieces(pieces: list[bytes]) -> None:
    assert hash_pieces(*pieces) == hashlib.sha256(b"".join(pieces)).hexdigest()


@pytest.mark.parametrize("size", [0, 1, SMALL - 1, SMALL, SMALL + 1, 3 * SMALL])
def test_sizes_around_the_limit_make_no_difference(size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    expected = hashlib.sha256(data[:size]).hexdigest()
    assert hash_pieces(data[:size]) == hash_pieces(b"", data[: size // 3], data[size // 3 : size], b"") == expected


def test_the_digest_may_be_read_between_pieces() -> None:
    digest = ContentHash()
    digest.update(b"a")
    assert digest.hexdigest() == hashlib.sha256(b"a").hexdigest()
    digest.update(b"b")
    assert digest.hexdigest() == hashlib.sha256(b"ab").hexdigest()


def test_a_python_without_its_own_function_uses_openssl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_sha2", None)
    monkeypatch.setitem(sys.modules, "_sha256", None)
    assert hash_pieces(b"abc") == hashlib.sha256(b"abc").hexdigest()


@pytest.mark.parametrize(("size", "expected"), [(SMALL, "False"), (SMALL + 1, "True")])
def test_only_large_content_loads_openssl(size: int, expected: str) -> None:
    code = (
        "import sys; from ctxkit.engines.content_hash import ContentHash; digest = ContentHash();"
        f"digest.update(bytes({size})); digest.hexdigest(); print('hashlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


@pytest.mark.parametrize("form", ["directory", "file"])
def test_a_project_is_the_nearest_directory_with_git(tmp_path: Path, form: str) -> None:
    deep = tmp_path / "project" / "src" / "deep"
    deep.mkdir(parents=True)
    mark = tmp_path / "project" / ".git"
    mark.mkdir() if form == "directory" else mark.write_text("gitdir: elsewhere")
    names = {name_project(str(path)) for path in (deep, deep.parent, tmp_path / "project")}
    assert len(names) == 1
    assert name_project(str(tmp_path)) not in names


def test_without_git_it_is_the_directory_itself_whatever_path_leads_there(tmp_path: Path) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    one, two, link = (name_project(str(tmp_path / path)) for path in ("one", "one/two", "link"))
    assert one == link != two
    assert len(one) == 16


def test_a_name_tells_nothing_of_the_path(tmp_path: Path) -> None:
    assert tmp_path.name not in name_project(str(tmp_path))
