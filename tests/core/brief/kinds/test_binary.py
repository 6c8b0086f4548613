import re
import sqlite3
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import binary as kind
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from tests.example_counts import count_examples

ELF = (
    b"\x7fELF\x02\x01\x01" + bytes(60) + b"libexample.so.2\x00" + bytes(range(256)) * 4 + b"cannot open %s\x00\x01\x02"
)


def count(text):
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def document(data, target=800):
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], count, target, content_type="binary")


def said(data, target=800):
    doc = document(data, target)
    frame = BriefingFrame("x", doc.lines.total, doc.lines.size, 10_000, True, Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p"))
    made = brief_document(doc, frame)
    assert not made.doubt
    return made.text


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 640, 480) + bytes(50),
            "PNG image",
        ),
        (b"\xff\xd8\xff\xe0" + bytes(range(256)) * 3, "JPEG image"),
        (b"\x1f\x8b\x08\x00" + bytes(range(256)) * 3, "gzip data"),
        (ELF, "ELF program or library"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x41" + bytes(50), "Java class"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x02" + bytes(50), "Mach-O universal binary"),
        (b"SQLite format 3\x00" + bytes(200), "SQLite database"),
        (b"\x00asm\x01\x00\x00\x00" + bytes(9), "WebAssembly module"),
        (b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n", "PDF document"),
        (bytes(range(256)) * 8, "bytes of an unknown kind"),
    ],
)
def test_kinds_are_told_by_how_they_begin(data, name: str) -> None:
    assert kind.sniff(document(data)) > 0.9
    assert f"- {name}" in said(data)


def test_a_database_names_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as held:
        held.executescript(
            "CREATE TABLE users (id INTEGER); CREATE TABLE 'orders' (id); CREATE INDEX by_id ON users(id);"
        )
    held.close()
    text = said(path.read_bytes())
    assert "- index: by_id" in text
    assert "- table: orders, users" in text


def test_words_have_the_bytes_they_stand_in() -> None:
    text = said(ELF)
    found = re.findall(r"bytes (\d+)-(\d+): (.*)", text)
    assert "libexample.so.2" in [word for _, _, word in found]
    for start, end, word in found:
        if "[+" not in word:
            assert ELF[int(start) - 1 : int(end)].strip() == word.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"plain text\n",
        b"\xff\xfeh\x00i\x00\n\x00",
        b"\xfe\xff\x00h\x00i",
        b"\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m\n" * 100,
        b"progress 1%\rprogress 2%\rprogress 3%\r" * 100 + b"\n",
        "日本語のテキスト。\n".encode() * 50,
        b"mostly fine \xff\n" + b"text that is all right\n" * 50,
        b"page one\n\x0cpage two\n" * 20,
        b"one NUL\x00 in the text\n" + b"and more of it\n" * 10,
        "Größe für Übermut, façade\n".encode("latin-1") * 40,
        b"a\x08ab\x08b overstruck\n" * 30,
    ],
)
def test_text_with_odd_bytes_is_not_binary(data) -> None:
    assert kind.sniff(document(data)) == 0.0


@settings(max_examples=count_examples(150), deadline=None)
@given(st.binary(max_size=2_000), st.integers(60, 600))
def test_no_bytes_break_it_and_none_are_shown_raw(data: bytes, target: int) -> None:
    kind.sniff(document(data))
    made = said(data, target)
    assert count(made) <= target
    assert made.replace("\n", "").isprintable()
