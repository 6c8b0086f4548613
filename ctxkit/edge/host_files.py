"""Read and replace the files that configure agent hosts, and remember how they were."""

import os
from contextlib import suppress
from difflib import unified_diff
from hashlib import sha256
from stat import S_ISREG
from typing import NamedTuple

from ctxkit.core.errors import InputOutputError, LockedError, MalformedInputError, MissingInputError
from ctxkit.edge import atomic_file

LARGEST = 8 << 20
"""Maximum bytes of a settings file."""
BACKUP = ".before-ctxkit"
"""Ending of the name of the one backup."""


class HostFile(NamedTuple):
    """A settings file of a host, with its bytes; None if it does not exist."""

    path: str
    data: bytes | None

    @property
    def text(self) -> str:
        """Return the text of the file; raise MalformedInputError if it is not UTF-8."""
        try:
            return (self.data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedInputError(f"{self.path} is not UTF-8: byte {error.start + 1}") from None


def read_host_file(path: str) -> HostFile:
    """Return a settings file; raise MissingInputError if it cannot be read, MalformedInputError if it is too large."""
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                raise MissingInputError(f"{path} is not a file")
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return HostFile(path, None)
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}") from error
    if len(data) > LARGEST:
        raise MalformedInputError(f"{path}: has more than 8 MB")
    return HostFile(path, data)


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe without a writer does not block."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def replace_host_file(file: HostFile, text: str, *, backup: bool = True) -> None:
    """Write a settings file; keep its old bytes in a backup, unless an earlier backup exists.

    Raise LockedError if the file has changed since it was read, InputOutputError if it cannot be written.
    """
    try:
        os.makedirs(os.path.dirname(os.path.realpath(file.path)), mode=0o700, exist_ok=True)
        if backup and file.data is not None:
            _write_backup(file)
    except OSError as error:
        raise InputOutputError(f"{error.filename}: {error.strerror}") from error
    atomic_file.write(file.path, text.encode(), lambda: _check_unchanged(file))


def remove_host_file(file: HostFile) -> None:
    """Remove a settings file; raise LockedError if it has changed since it was read, InputOutputError if it stays."""
    _check_unchanged(file)
    try:
        os.unlink(os.path.realpath(file.path))
    except OSError as error:
        raise InputOutputError(f"{file.path}: {error.strerror}") from error


def read_backup(file: HostFile) -> HostFile:
    """Return the backup of a settings file."""
    return read_host_file(file.path + BACKUP)


def remove_backup(file: HostFile) -> None:
    """Remove the backup of a settings file, if that is possible."""
    with suppress(OSError):
        os.unlink(file.path + BACKUP)


def write_host_script(path: str, script: str) -> None:
    """Write a program beside the settings of a host; raise InputOutputError."""
    atomic_file.write(path, script.encode())
    make_executable(path)


def remove_host_script(path: str) -> None:
    """Remove a program beside the settings of a host, if that is possible."""
    with suppress(OSError):
        os.unlink(path)


def make_executable(path: str) -> None:
    """Let all users read and run a file; raise InputOutputError."""
    try:
        os.chmod(path, 0o755)
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


def make_digest(file: HostFile) -> str:
    """Return the SHA-256 of the bytes of a file, "" if it does not exist."""
    return "" if file.data is None else sha256(file.data).hexdigest()


def make_diff(file: HostFile, text: str | None) -> str:
    """Return the change of a file as a unified diff; without a text the file goes."""
    old, new = file.text.splitlines(keepends=True), (text or "").splitlines(keepends=True)
    source = file.path if file.data is not None else "/dev/null"
    lines = unified_diff(old, new, source, "/dev/null" if text is None else file.path)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _write_backup(file: HostFile) -> None:
    path = file.path + BACKUP
    mode = os.stat(file.path).st_mode & 0o777
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
        out.write(file.data or b"")


def _check_unchanged(file: HostFile) -> None:
    if read_host_file(file.path).data != file.data:
        raise LockedError(f"{file.path}: another program has changed it", hint="run the command again")
