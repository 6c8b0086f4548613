import gzip
import sqlite3
import struct
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.headers import HEADER_READERS, read_details


def told(kind: str, data: bytes) -> list[str]:
    return list(read_details(kind, lambda at, size: data[at : at + size], len(data)))


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 58, 493) + bytes(20)
WAV = b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 2, 44_100, 176_400, 4, 16) + bytes(176_400 * 3)
PDF = b"%PDF-1.7\n1 0 obj <</Type /Pages /Kids [] /Count 12>>\n2 0 obj <</Title (A Report)>>\n"
PE = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 0, 0x2022)


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("JPEG image", JPEG, ["493 x 58 pixels"]),
        ("GIF image", b"GIF89a" + struct.pack("<HH", 16, 9), ["16 x 9 pixels"]),
        ("WAV audio", WAV, ["2 channels, 44,100 Hz, about 3 s"]),
        ("PDF document", PDF, ["version 1.7", "12 pages", "titled A Report"]),
        ("PE program or library", PE, ["library for x86-64"]),
        ("Mach-O program or library", b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100000C), ["for ARM64"]),
        ("Java class", b"\xca\xfe\xba\xbe\x00\x00\x00\x41", ["for Java 21"]),
        ("gzip data", gzip.compress(b"a" * 5_000, mtime=0), ["5,000 bytes unpacked"]),
        ("bytes of an unknown kind", b"abc", []),
    ],
)
def test_what_the_first_bytes_say(kind: str, data, said) -> None:
    assert told(kind, data) == said


@pytest.mark.skipif(sys.platform != "linux", reason="the interpreter is an ELF file on Linux")
def test_the_interpreter_is_a_program_of_64_bits() -> None:
    with open(sys.executable, "rb") as file:
        data = file.read(4_096)
    (said,) = told("ELF program or library", data)
    assert said.endswith("64 bits")


def test_a_database_names_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as held:
        held.executescript(
            "CREATE TABLE users (id INTEGER); CREATE TABLE 'orders' (id); CREATE INDEX by_id ON users(id);"
        )
    held.close()
    said = told("SQLite database", path.read_bytes())
    assert "index: by_id" in said
    assert "table: orders, users" in said


@given(st.sampled_from(sorted(HEADER_READERS)), st.binary(max_size=200))
def test_broken_bytes_say_less_and_break_nothing(kind, data: bytes) -> None:
    assert all(isinstance(said, str) for said in told(kind, data))


def test_a_packed_tar_is_listed_by_its_members() -> None:
    import io
    import tarfile

    from ctxkit.core.brief.archives import list_members

    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        info = tarfile.TarInfo("a/b.txt")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
    data = held.getvalue()
    assert list_members("gz", lambda at, size: data[at : at + size], len(data)) == ["a/b.txt (3 bytes)"]
    alone = zlib.compress(b"abc")
    assert list_members("gz", lambda at, size: alone[at : at + size], len(alone)) is None
