"""Access the folders of ctxkit's own files safely: no symbolic link in them is followed."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

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
        return self._run_with_path(name, lambda: _open_checked(path, SHARED, *self._locate(name), restrict))

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
        flags |= _NO_LINK | _NO_WAIT | BINARY
        file = self._run_with_path(name, lambda: os.open(target, flags, 0o600, dir_fd=at))
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


def open_folder(
    root: str, *inside: str, make: bool = False, private: bool = False, restrict: bool = False
) -> StoreFolder:
    """Open a folder below ``root``; create it if ``make``.

    The root may be a link made by the user, unless it is ``private``. A private root must not be readable by others.
    ``restrict`` is that of ``open_subfolder``. Raise OSError if the folder does not exist or is unsafe.
    """
    if make and not os.path.isdir(root):
        make_private_dir(root)
    folder = _open_checked(root, ALONE, root, None) if private else _open_unchecked(root)
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
