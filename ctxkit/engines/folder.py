"""Access folders inside a store safely: no symbolic link in it is followed."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import TypeVar

    Result = TypeVar("Result")

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None  # type: ignore[assignment]

BY_DESCRIPTOR = (
    hasattr(os, "O_DIRECTORY")
    and hasattr(os, "O_NOFOLLOW")
    and {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.utime, os.chmod} <= os.supports_dir_fd
    and os.listdir in os.supports_fd
)
"""Whether names are looked up in an open folder; elsewhere a path is checked just before it is used."""
BINARY = getattr(os, "O_BINARY", 0)
TAKING = "taking"
"""Folder in a store for unfinished files, each named PID-12 hex digits."""
LOCK_WAIT = 0.5
"""Seconds to wait for a lock on a folder, which is held for less than a millisecond."""
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a named pipe must not block."""
SHARED, ALONE = 0o022, 0o077
"""Forbidden permissions of a folder inside a store, and of a store in a public directory."""


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

    def open_subfolder(self, name: str, *, make: bool = False) -> StoreFolder:
        """Open a folder inside this one; create it if ``make``.

        Raise OSError if it does not exist or other users could have changed it.
        """
        if make:
            self._make_subfolder(name)
        return self._run_with_path(
            name, lambda: _open_checked(os.path.join(self.path, name), SHARED, *self._locate(name))
        )

    def _make_subfolder(self, name: str) -> None:
        target, at = self._locate(name)
        with suppress(FileExistsError):
            self._run_with_path(name, lambda: os.mkdir(target, 0o700, dir_fd=at))
            os.chmod(target, 0o700, dir_fd=at)  # the umask may have removed permissions

    def list_names(self) -> list[str]:
        """Return the names in the folder, sorted."""
        return sorted(os.listdir(self._descriptor if self._descriptor >= 0 else self.path))

    def open(self, name: str, flags: int = 0) -> int:
        """Open a regular file for reading, with additional ``flags``; return its descriptor. Raise OSError."""
        target, at = self._locate(name)
        file = self._run_with_path(
            name, lambda: os.open(target, os.O_RDONLY | _NO_LINK | _NO_WAIT | BINARY | flags, dir_fd=at)
        )
        if stat.S_ISREG(os.fstat(file).st_mode) and (_NO_LINK or self.stat(name)):
            return file
        os.close(file)
        raise OSError(errno.EINVAL, "Not a regular file", os.path.join(self.path, name))

    def create(self, name: str) -> int:
        """Create a file with mode 0600; return its descriptor. Raise OSError."""
        target, at = self._locate(name)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | BINARY
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

    def move(self, name: str, to: StoreFolder, new: str) -> None:
        """Move a file to another folder, and replace the file ``new`` there. Raise OSError."""
        if BY_DESCRIPTOR:
            source, target = self._descriptor, to._descriptor
            to._run_with_path(new, lambda: os.rename(name, new, src_dir_fd=source, dst_dir_fd=target))
        else:
            os.replace(os.path.join(self.path, name), os.path.join(to.path, new))

    @contextmanager
    def lock(self, *, exclusive: bool) -> Iterator[bool]:
        """Lock the folder, exclusively or shared; yield whether that succeeded.

        Yield True on a disk or system without such locks.
        """
        yield fcntl is None or self._descriptor < 0 or _lock_descriptor(self._descriptor, exclusive)
        if fcntl is not None and self._descriptor >= 0:
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _locate(self, name: str) -> tuple[str, int | None]:
        """Return the path and directory descriptor that a system call needs for a file in the folder."""
        if self._descriptor >= 0:
            return name, self._descriptor
        return os.path.join(self.path, name), None

    def _run_with_path(self, name: str, call: Callable[[], Result]) -> Result:
        """Run a system call; add the complete path to its error."""
        try:
            return call()
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.path.join(self.path, name)) from None


def open_folder(root: str, *inside: str, make: bool = False, private: bool = False) -> StoreFolder:
    """Open a folder below ``root``; create it if ``make``.

    The root may be a link made by the user, unless it is ``private``. A private root must not be readable by others.
    Raise OSError if the folder does not exist or is unsafe.
    """
    if make and not os.path.isdir(root):
        make_private_dir(root)
    folder = _open_checked(root, ALONE, root, None) if private else _open_unchecked(root)
    for name in inside:
        with folder:
            folder = folder.open_subfolder(name, make=make)
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


def _open_checked(path: str, forbidden: int, target: str, at: int | None) -> StoreFolder:
    """Open a folder that is not a link, belongs to this user and lacks the ``forbidden`` permissions."""
    state = os.stat(target, follow_symlinks=False, dir_fd=at)
    if stat.S_ISLNK(state.st_mode):
        raise PermissionError(errno.EPERM, "A link in place of a folder of ctxkit's own is not followed", path)
    if not BY_DESCRIPTOR:
        if not stat.S_ISDIR(state.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return StoreFolder(path)
    descriptor = os.open(target, _FOLDER | _NO_LINK, dir_fd=at)
    reason = _find_objection(os.fstat(descriptor), forbidden)
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


def _lock_descriptor(descriptor: int, exclusive: bool) -> bool:
    how = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB
    until = monotonic() + LOCK_WAIT
    while True:
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            if monotonic() >= until:
                return False
            sleep(0.001)
        except OSError:  # a disk without locks
            return True
        else:
            return True
