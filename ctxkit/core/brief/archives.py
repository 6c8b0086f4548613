"""What is in an archive, read from its bytes without unpacking them."""

from collections.abc import Callable
from io import BufferedReader, RawIOBase
from typing import IO, Any, cast

from ctxkit.core.measure import plural, size_of

MEMBERS = 20_000
"""Members that are listed; an archive of more is broken or hostile."""
UNPACKED = 64 << 20
"""Bytes of a packed archive that are unpacked to list its members."""
Read = Callable[[int, int], bytes]


class Window(RawIOBase):
    """Let the standard library read bytes that are handed over piece by piece."""

    def __init__(self, read: Read, size: int) -> None:
        self._fetch = read
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Return True: that is what it is for."""
        return True

    def seekable(self) -> bool:
        """Return True: any offset can be fetched."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move as files do."""
        self._at = max(offset + (0, self._at, self._size)[whence], 0)
        return self._at

    def tell(self) -> int:
        """Return the offset of the next byte."""
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill ``buffer`` with the next bytes."""
        data = self._fetch(self._at, min(len(buffer), max(self._size - self._at, 0)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def members(what: str, read: Read, size: int) -> list[str] | None:
    """Return a line for each member of an archive: ``zip``, ``tar``, or a tar packed as ``gz``, ``bz2`` or ``xz``.

    None when it cannot be read, or is none. Of what is packed, the first UNPACKED bytes are read.
    """
    file = cast(IO[bytes], BufferedReader(Window(read, size)))
    try:
        return _zipped(file) if what == "zip" else _tarred(file, "" if what == "tar" else what)
    except Exception:  # both libraries raise nearly anything over broken archives
        return None


def _zipped(file: IO[bytes]) -> list[str]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        infos = archive.infolist()[:MEMBERS]
    return [f"{_clean(info.filename)} ({size_of(info.file_size)})" for info in infos if not info.is_dir()]


def _tarred(file: IO[bytes], packed: str) -> list[str]:
    import tarfile

    found: list[str] = []
    mode: Any = f"r|{packed}" if packed else "r:"
    with tarfile.open(fileobj=file, mode=mode) as archive:
        while len(found) < MEMBERS and (info := archive.next()):
            if packed and info.offset_data > UNPACKED:
                return [*found, "and what comes after, which is not read"]
            if not info.isdir():
                found.append(f"{_clean(info.name)} ({size_of(info.size)})")
    return found


def _clean(name: str) -> str:
    name = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return name if len(name) <= 160 else f"{name[:160]} [+{plural(len(name) - 160, 'char')}]"
