"""The SHA-256 of content is that of hashlib, whatever its size and its pieces."""

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.engines.content_hash import SMALL, ContentHash


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
