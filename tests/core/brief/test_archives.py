import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.archives import REST_NOTE, list_members


def reader(data):
    return lambda at, length: data[at : at + length]


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a/one.txt", "x" * 2_048)
        archive.writestr("two\x1b[31m.txt", "y")
        archive.mkdir("empty")
    return buffer.getvalue()


def tarred():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, size in (("a.txt", 10), ("b/c.bin", 5_000)):
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, io.BytesIO(b"z" * size))
    return buffer.getvalue()


def test_members_of_a_zip_have_their_sizes_and_printable_names() -> None:
    data = zipped()
    assert list_members("zip", reader(data), len(data)) == [
        "a/one.txt (2.0 KB)",
        "two\N{REPLACEMENT CHARACTER}[31m.txt (1 byte)",
    ]


def test_a_broken_archive_has_no_list() -> None:
    data = zipped()
    assert list_members("zip", reader(data[:100]), 100) is None
    assert list_members("tar", reader(b"x" * 600), 600) is None


def packed(how, data):
    return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[how](data)


@pytest.mark.parametrize("how", ["gz", "bz2", "xz"])
def test_members_of_a_packed_tar_are_those_of_the_tar(how: str) -> None:
    data = packed(how, tarred())
    assert list_members(how, reader(data), len(data)) == ["a.txt (10 bytes)", "b/c.bin (4.9 KB)"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gz", *(pytest.param(how, marks=pytest.mark.slow) for how in ("bz2", "xz"))])
def test_what_is_packed_is_unpacked_within_a_budget(how: str) -> None:
    header = tarfile.TarInfo("zeros")
    header.size = 200 << 20
    data = packed(how, header.tobuf() + bytes(100 << 20))
    assert len(data) < 1 << 20
    tracemalloc.start()
    started = process_time()
    assert list_members(how, reader(data), len(data)) == ["zeros (200 MB)", REST_NOTE]
    assert list_members(how, reader(data[:-20]), len(data) - 20) == ["zeros (200 MB)", REST_NOTE]
    assert process_time() - started < 2
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gz", "bz2", "xz"])
def test_a_packed_text_is_no_archive_however_large(how: str) -> None:
    data = packed(how, b"x" * (40 << 20))
    assert list_members(how, reader(data), len(data)) is None


@pytest.mark.slow
def test_many_members_that_are_packed_well_end_with_the_budget() -> None:
    header = tarfile.TarInfo("a" * 80).tobuf()
    data = packed("bz2", header * 100_000)
    listed = list_members("bz2", reader(data), len(data))
    assert listed is not None
    assert 10_000 < len(listed) <= 20_001
    assert listed[-1] == REST_NOTE


def test_an_xz_that_asks_for_gigabytes_of_memory_is_not_read() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 100 << 20}]
    data = lzma.compress(tarred(), filters=filters)
    assert list_members("xz", reader(data), len(data)) is None


@pytest.mark.slow
def test_a_zip_with_a_large_directory_is_listed_as_far_as_the_limit() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(20_002):
            archive.writestr(f"{number}", "")
    data = buffer.getvalue()
    listed = list_members("zip", reader(data), len(data))
    assert listed is not None
    assert (len(listed), listed[0], listed[-1]) == (20_001, "0 (0 bytes)", REST_NOTE)


def test_a_zip_behind_other_bytes_is_listed_as_python_does() -> None:
    data = b"#!/bin/sh\n" + zipped()
    assert list_members("zip", reader(data), len(data)) == list_members("zip", reader(zipped()), len(zipped()))


def test_a_zip_of_the_large_kind_is_listed() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("large", "w", force_zip64=True) as file:
        file.write(b"abc")
    data = buffer.getvalue()
    assert list_members("zip", reader(data), len(data)) == ["large (3 bytes)"]


@given(st.binary(max_size=700), st.integers(0, 1500))
def test_no_damage_raises(noise: bytes, at: int) -> None:
    for what, data in (("zip", zipped()), ("tar", tarred()), ("gz", packed("gz", tarred())), ("xz", packed("xz", tarred()))):
        broken = data[:at] + noise + data[at + len(noise) :]
        assert isinstance(list_members(what, reader(broken), len(broken)), list | None)
