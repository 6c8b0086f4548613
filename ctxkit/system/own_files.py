"""Read, append to, replace and remove ctxkit's own files, in folders where no link is followed."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from time import time, time_ns
from typing import TYPE_CHECKING

from ctxkit.core.lazy_pattern import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import TypeVar

    Result = TypeVar("Result")

BY_DESCRIPTOR = (
    hasattr(os, "O_DIRECTORY")
    and hasattr(os, "O_NOFOLLOW")
    and {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.utime, os.chmod} <= os.supports_dir_fd
    and os.listdir in os.supports_fd
)
"""Whether names are looked up in an open folder; elsewhere a path is checked just before it is used."""
_BINARY = getattr(os, "O_BINARY", 0)
TAKING = "taking"
"""Folder in a store for unfinished files, each named PID-12 hex digits."""
LOCK_WAIT = 0.5
"""Seconds to wait for a lock on a folder, which is held for less than a millisecond."""
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a named pipe must not block."""
_SHARED, _ALONE = 0o022, 0o077
"""Forbidden permissions of a folder inside a store, and of a store in a public directory."""


class LinkError(PermissionError):
    """A symbolic link is in place of a file or folder of ctxkit's own."""

    def __init__(self, kind: str, path: str) -> None:
        super().__init__(errno.EPERM, f"A link in place of a {kind} of ctxkit's own is not followed", path)


class StoreFolder:
    """Access to the files of one folder; symbolic links are not followed."""

    def __init__(self, path: str, descriptor: int = -1) -> None:
        self.path = path
        self._descriptor = descriptor

    def __enter__(self) -> StoreFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the folder, which is unusable afterwards."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def open_subfolder(self, name: str, *, make: bool = False, restrict: bool = False) -> StoreFolder:
        """Open a folder inside this one; create it if ``make``.

        If other users can change it, take that permission from them if ``restrict``, else raise OSError. Raise
        LinkError or OSError if there is no such folder.
        """
        if make:
            self._make_subfolder(name)
        path = os.path.join(self.path, name)
        return self._run_with_path(name, lambda: _open_checked(path, _SHARED, *self._locate(name), restrict))

    def _make_subfolder(self, name: str) -> None:
        target, at = self._locate(name)
        with suppress(FileExistsError):
            self._run_with_path(name, lambda: os.mkdir(target, 0o700, dir_fd=at))
            os.chmod(target, 0o700, dir_fd=at)  # the umask may have removed permissions

    def restrict(self) -> None:
        """Take all permissions of other users away from the folder. Raise OSError."""
        os.chmod(self._descriptor if self._descriptor >= 0 else self.path, 0o700)

    def list_names(self) -> list[str]:
        """Return the names in the folder, sorted."""
        return sorted(os.listdir(self._descriptor if self._descriptor >= 0 else self.path))

    def open(self, name: str, flags: int = 0) -> int:
        """Open a regular file, for reading unless ``flags`` say otherwise; return its descriptor.

        Raise LinkError or OSError.
        """
        target, at = self._locate(name)
        if not _NO_LINK and os.path.islink(target):
            raise LinkError("file", target)
        flags |= _NO_LINK | _NO_WAIT | _BINARY
        file = self._run_with_path(name, lambda: os.open(target, flags, 0o600, dir_fd=at))
        if stat.S_ISREG(os.fstat(file).st_mode) and (_NO_LINK or self.stat(name)):
            return file
        os.close(file)
        raise OSError(errno.EINVAL, "Not a regular file", os.path.join(self.path, name))

    def create(self, name: str) -> int:
        """Create a file with mode 0600; return its descriptor. Raise OSError."""
        target, at = self._locate(name)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY
        file = self._run_with_path(name, lambda: os.open(target, flags, 0o600, dir_fd=at))
        if hasattr(os, "fchmod"):
            os.fchmod(file, 0o600)
        return file

    def stat(self, name: str) -> os.stat_result | None:
        """Return the status of a regular file, or None if there is none with that name."""
        target, at = self._locate(name)
        try:
            state = os.stat(target, follow_symlinks=False, dir_fd=at)
        except OSError:
            return None
        return state if stat.S_ISREG(state.st_mode) else None

    def touch(self, name: str, times: tuple[int, int]) -> None:
        """Set the times of the last access and the last change, in nanoseconds since 1970. Raise OSError."""
        target, at = self._locate(name)
        if os.utime in os.supports_follow_symlinks:
            os.utime(target, ns=times, follow_symlinks=False, dir_fd=at)
        elif self.stat(name):
            os.utime(target, ns=times)

    def remove(self, name: str) -> bool:
        """Remove a regular file; return False if there is none with that name. Raise OSError."""
        if self.stat(name) is None:
            return False
        target, at = self._locate(name)
        with suppress(FileNotFoundError):
            self._run_with_path(name, lambda: os.unlink(target, dir_fd=at))
            return True
        return False

    def remove_folder(self, name: str) -> bool:
        """Remove an empty folder; return whether that succeeded."""
        target, at = self._locate(name)
        with suppress(OSError):
            os.rmdir(target, dir_fd=at)
            return True
        return False

    def move(self, name: str, to: StoreFolder, new: str) -> None:
        """Move a file to another folder, and replace the file ``new`` there. Raise OSError."""
        (source, at), (target, to_at) = self._locate(name), to._locate(new)
        if BY_DESCRIPTOR:
            to._run_with_path(new, lambda: os.rename(source, target, src_dir_fd=at, dst_dir_fd=to_at))
        else:
            os.replace(source, target)

    @contextmanager
    def lock(self, *, exclusive: bool) -> Iterator[bool]:
        """Lock the folder, exclusively or shared; yield whether that succeeded.

        Yield True on a disk or system without such locks.
        """
        from ctxkit.system.file_locks import lock_file, unlock_file

        yield self._descriptor < 0 or lock_file(self._descriptor, LOCK_WAIT, exclusive=exclusive)
        if self._descriptor >= 0:
            unlock_file(self._descriptor)

    def _locate(self, name: str) -> tuple[str, int | None]:
        """Return the path and directory descriptor that a system call needs for a file in the folder.

        Raise OSError for a name that leads out of the folder.
        """
        if "/" in name or name in ("", ".", ".."):
            raise OSError(errno.EINVAL, "Not a name", os.path.join(self.path, name))
        if self._descriptor >= 0:
            return name, self._descriptor
        return os.path.join(self.path, name), None

    def _run_with_path(self, name: str, call: Callable[[], Result]) -> Result:
        """Run a system call; add the complete path to its error."""
        path = os.path.join(self.path, name)
        try:
            return call()
        except LinkError:
            raise
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise LinkError("file", path) from None
            raise OSError(error.errno, error.strerror, path) from None


def open_own_folder(path: str, levels: int, *, make: bool = False) -> StoreFolder:
    """Open a folder whose path ends in ``levels`` names of ctxkit's own; create it if ``make``.

    The directory above those may be a link made by the user. Raise LinkError or OSError.
    """
    names: list[str] = []
    for _ in range(levels):
        path, name = os.path.split(path)
        names.insert(0, name)
    return open_folder(path, *names, make=make, restrict=True)


def read_file(folder: StoreFolder, name: str, most: int = -1) -> bytes:
    """Return at most ``most`` bytes of a file, all by default. Raise LinkError or OSError."""
    with open(folder.open(name), "rb") as file:
        return file.read(most)


def append_to_file(folder: StoreFolder, name: str, data: bytes, *, creates: bool = True) -> None:
    """Append to a file in one write, so that lines of concurrent processes stay whole. Raise LinkError or OSError."""
    file = folder.open(name, os.O_WRONLY | os.O_APPEND | (os.O_CREAT if creates else 0))
    try:
        os.write(file, data)
    finally:
        os.close(file)


def touch_file(folder: StoreFolder, name: str) -> None:
    """Create an empty file, or set the times of an existing one to now. Raise LinkError or OSError."""
    os.close(folder.open(name, os.O_WRONLY | os.O_CREAT))
    folder.touch(name, (time_ns(), time_ns()))


def replace_file(folder: StoreFolder, name: str, data: bytes, mode: int = 0o600) -> None:
    """Write a file atomically: other processes see the old file or the new one. Raise OSError.

    A link of that name is replaced, and what it leads to stays as it is.
    """
    _remove_leftovers(folder)
    temporary = temporary_name(os.getpid(), os.urandom(8).hex())
    file = folder.create(temporary)
    try:
        with open(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(file)
            if hasattr(os, "fchmod"):
                os.fchmod(file, mode)
        folder.move(temporary, folder, name)
    except BaseException:
        with suppress(OSError):
            folder.remove(temporary)
        raise


def _remove_leftovers(folder: StoreFolder) -> None:
    """Remove the temporary files of killed processes."""
    from ctxkit.system.processes import is_leftover
    for name in filter(is_temporary, folder.list_names()):
        state = folder.stat(name)
        if state is not None and is_leftover(process_of(name), state.st_mtime):
            with suppress(OSError):
                folder.remove(name)


def remove_older(folder: StoreFolder, seconds: float, endings: tuple[str, ...] = ("",)) -> None:
    """Remove the files with one of the endings that were last modified more than ``seconds`` ago."""
    for name in folder.list_names():
        state = folder.stat(name) if name.endswith(endings) else None
        if state is not None and time() - state.st_mtime > seconds:
            with suppress(OSError):
                folder.remove(name)


def remove_tree(folder: StoreFolder, name: str) -> bool:
    """Remove a folder with its files; return False if it stays, because it or something in it is a link.

    Raise OSError if it does not exist or cannot be opened.
    """
    with folder.open_subfolder(name, restrict=True) as inner:
        for entry in inner.list_names():
            with suppress(OSError):
                _ = inner.remove(entry) or remove_tree(inner, entry)
    return folder.remove_folder(name)


_NAME = compile_lazily(r"\.ctxkit-(?:(\d{1,10})-[0-9a-f]{16}|[a-z0-9_]{8})")
"""Process id and 64 random bits; the second form was used up to version 0.1."""


def temporary_name(process: int, random: str) -> str:
    """Return the name of a temporary file: the id of its process, and 16 random hex digits."""
    return f".ctxkit-{process}-{random}"


def is_temporary(name: str) -> bool:
    """Return whether a file name is that of a temporary file."""
    return name.startswith(".ctxkit-") and _NAME.fullmatch(name) is not None


def process_of(name: str) -> int:
    """Return the id of the process that writes a temporary file, 0 if its name has none."""
    match = _NAME.fullmatch(name)
    return int(match[1] or 0) if match else 0


def open_folder(
    root: str, *inside: str, make: bool = False, private: bool = False, restrict: bool = False
) -> StoreFolder:
    """Open a folder below ``root``; create it if ``make``.

    The root may be a link made by the user, unless it is ``private``. A private root must not be readable by others.
    ``restrict`` is that of ``open_subfolder``. Raise OSError if the folder does not exist or is unsafe.
    """
    if make and not os.path.isdir(root):
        make_private_dir(root)
    folder = _open_checked(root, _ALONE, root, None) if private else _open_unchecked(root)
    for name in inside:
        with folder:
            folder = folder.open_subfolder(name, make=make, restrict=restrict)
    return folder


def make_private_dir(path: str) -> None:
    """Create a directory with mode 0700, and its missing parents. Raise OSError."""
    above = os.path.dirname(path)
    if above and not os.path.lexists(above):
        os.makedirs(above, exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
        os.chmod(path, 0o700)  # the umask may have removed permissions


def _open_unchecked(root: str) -> StoreFolder:
    if not BY_DESCRIPTOR:
        if not os.path.isdir(root):
            code = errno.ENOTDIR if os.path.lexists(root) else errno.ENOENT
            raise OSError(code, os.strerror(code), root)
        return StoreFolder(root)
    return StoreFolder(root, os.open(root, _FOLDER))


def _open_checked(path: str, forbidden: int, target: str, at: int | None, restrict: bool = False) -> StoreFolder:
    """Open a folder that is not a link, belongs to this user and lacks the ``forbidden`` permissions."""
    state = os.stat(target, follow_symlinks=False, dir_fd=at)
    if stat.S_ISLNK(state.st_mode):
        raise LinkError("folder", path)
    if not BY_DESCRIPTOR:
        if not stat.S_ISDIR(state.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return StoreFolder(path)
    descriptor = os.open(target, _FOLDER | _NO_LINK, dir_fd=at)
    state = os.fstat(descriptor)
    if restrict and state.st_uid == os.geteuid() and state.st_mode & forbidden:
        os.fchmod(descriptor, stat.S_IMODE(state.st_mode) & ~forbidden)
        state = os.fstat(descriptor)
    reason = _find_objection(state, forbidden)
    if reason:
        os.close(descriptor)
        raise PermissionError(errno.EPERM, reason, path)
    return StoreFolder(path, descriptor)


def _find_objection(state: os.stat_result, forbidden: int) -> str:
    """Return why a folder must not be used; "" if it may be."""
    if state.st_uid != os.geteuid():
        return "The folder belongs to another user, and is not used"
    if state.st_mode & forbidden:
        return f"Other users can change or read the folder (mode {state.st_mode & 0o777:04o}), and it is not used"
    return ""
