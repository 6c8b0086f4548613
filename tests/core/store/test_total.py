import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store import total
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.total import count_stored_tokens, open_as_utf8
from ctxkit.core.text import lines
from ctxkit.core.tokens.vocabularies import find_vocabulary


def held(data: bytes) -> StoredContent:
    found = lines.lines_from_bytes(data)
    return StoredContent("ref", "path", found.read, found)


def letters(text: str) -> int:
    return len(text)


@given(st.text(max_size=60))
def test_utf8_is_read_as_it_is(text: str) -> None:
    data = text.replace("\0", "").encode()
    read, found = open_as_utf8(held(data))
    assert read(0, len(data)) == data
    assert found.total == lines.lines_from_bytes(data).total


def test_text_of_another_encoding_is_read_as_text() -> None:
    read, found = open_as_utf8(held("Компиляция завершена\n".encode("koi8_r") * 3))
    assert found.at(2) == "Компиляция завершена"
    assert read(0, 40).decode() == "Компиляция завершена\n"


@given(st.text(alphabet="aé漢\n\r🙂", max_size=30), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_with_a_mark_is_read_as_text(text: str, codec: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[codec]
    read, found = open_as_utf8(held(mark + text.encode(codec)))
    assert read(0, 1000).decode() == text
    assert found.size == len(text.encode())
    assert found.texts() == lines.lines_from_bytes(text.encode()).texts()


def test_more_utf16_than_is_transcoded_is_read_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(total, "TRANSCODED_BYTES", 10)
    data = ("x" * 20).encode("utf-16")
    assert open_as_utf8(held(data))[0](0, 99) == data


def test_small_content_is_counted_and_the_count_is_exact() -> None:
    data = "some text, é\n".encode() * 9
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("o200k"), letters)
    assert (found.tokens, found.method, found.complete) == (13 * 9, "exact", True)


def test_large_content_is_estimated_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(total, "COUNTED_BYTES", 1000)
    monkeypatch.setattr(total, "SAMPLE", 64)
    data = b"ten chars\n" * 1000
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("o200k"), letters)
    assert (found.method, found.complete) == ("estimate", False)
    assert found.tokens == 10_000


def test_an_estimate_of_an_inexact_vocabulary_has_a_high_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(total, "COUNTED_BYTES", 1000)
    monkeypatch.setattr(total, "SAMPLE", 64)
    data = b"ten chars\n" * 1000
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("estimate"), letters)
    assert 2_000 < found.low < found.tokens < found.high < 6_000
    assert (found.method, found.complete) == ("estimate", False)


def test_nothing_is_nothing() -> None:
    assert count_stored_tokens(lines.lines_from_bytes(b"").read, 0, find_vocabulary("o200k"), letters).tokens == 0
