import io
import tarfile

from ctxkit.core.brief.archives import list_members


def reader(data):
    return lambda at, length: data[at : at + length]


def tarred():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, size in (("a.txt", 10), ("b/c.bin", 5_000)):
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, io.BytesIO(b"z" * size))
    return buffer.getvalue()


def test_members_of_a_tar_have_their_sizes() -> None:
    data = tarred()
    assert list_members("tar", reader(data), len(data)) == ["a.txt (10 bytes)", "b/c.bin (4.9 KB)"]


def test_long_names_of_a_tar_are_whole_in_both_dialects() -> None:
    name = "/".join(["directory"] * 14)
    for dialect in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        data = tarred_as(dialect, name)
        assert list_members("tar", reader(data), len(data)) == [f"{name} (3 bytes)", "b (0 bytes)"]


def tarred_as(dialect, name):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=dialect) as archive:
        info = tarfile.TarInfo(name)
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
        archive.addfile(tarfile.TarInfo("b"))
    return buffer.getvalue()


def test_a_header_that_claims_a_gigabyte_of_name_takes_no_memory() -> None:
    for kind in (b"L", b"x"):
        header = tarfile.TarInfo("x")
        header.size, header.type = 1 << 30, kind
        data = header.tobuf() + b"9" * 100_000
        assert list_members("tar", reader(data), len(data)) in (None, [])
