import pytest

from ctxkit.core.brief.document import HEAD_BYTES, TAIL_BYTES, InputDocument, parse_nothing
from ctxkit.core.text import lines


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
