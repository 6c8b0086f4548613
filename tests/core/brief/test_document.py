import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import (
    HEAD_BYTES,
    TAIL_BYTES,
    InputDocument,
    iter_windows,
    parse_nothing,
    read_spread_lines,
)
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document as as_table


def document(data: bytes, name: str = "") -> InputDocument:
    found = lines.lines_from_bytes(data)
    return InputDocument(found, found.read, len, 100, name)


def test_head_and_tail_are_text_whatever_the_bytes() -> None:
    found = document(b"\xff" + b"a" * HEAD_BYTES + b"b" * TAIL_BYTES)
    assert found.head == "\ufffd" + "a" * (HEAD_BYTES - 1)
    assert found.tail == "b" * TAIL_BYTES
    assert document(b"short").head == document(b"short").tail == "short"
    assert document(b"").head == document(b"").tail == ""


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.RS", "rs"),
        ("a/b.tar.gz", "gz"),
        ("a.d/b", ""),
        ("Makefile", ""),
        ("", ""),
        ("x.", ""),
        (".bashrc", "bashrc"),
    ],
)
def test_the_suffix_is_that_of_the_last_part_of_the_name(name: str, suffix: str) -> None:
    assert document(b"", name).suffix == suffix


def test_without_grammars_nothing_is_parsed() -> None:
    assert parse_nothing(b"def f(): pass", "python") is None
    assert document(b"x").parse(b"x", "python") is None


def test_a_small_document_is_read_completely() -> None:
    assert read_spread_lines(as_table("a\r\nb\n\nc")) == ["a", "b", "", "c"]


def test_a_large_document_is_read_at_its_head_its_middle_and_its_end() -> None:
    text = "".join(f"line {number}\n" for number in range(100_000))
    windows = list(iter_windows(as_table(text)))
    assert windows[0][0] == "line 0"
    assert windows[-1][-1] == "line 99999"
    assert len(windows) == 9


@given(st.text("ab\n", max_size=300), st.integers(1, 2_000))
def test_only_complete_lines_are_read(text: str, times: int) -> None:
    whole = text * times
    lines = set(whole.split("\n"))
    assert all(line in lines for line in read_spread_lines(as_table(whole)))
