import io
import tarfile
import zipfile

from ctxkit.core.brief.archives import Window, members


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


def test_members_of_a_zip_have_their_sizes_and_printable_names():
    data = zipped()
    assert members("zip", reader(data), len(data)) == [
        "a/one.txt (2.0 KB)",
        "two\N{REPLACEMENT CHARACTER}[31m.txt (1 byte)",
    ]


def test_members_of_a_tar_have_their_sizes():
    data = tarred()
    assert members("tar", reader(data), len(data)) == ["a.txt (10 bytes)", "b/c.bin (4.9 KB)"]


def test_a_broken_archive_has_no_list():
    data = zipped()
    assert members("zip", reader(data[:100]), 100) is None
    assert members("tar", reader(b"x" * 600), 600) is None


def test_a_window_reads_and_seeks_as_a_file_does():
    window = Window(reader(b"0123456789"), 10)
    assert (window.seek(-3, 2), window.read(2), window.tell()) == (7, b"78", 9)
    assert (window.seek(2), window.read(), window.read()) == (2, b"23456789", b"")
