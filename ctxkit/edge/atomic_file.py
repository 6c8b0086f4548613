"""Write files atomically, and replace files safely below a directory, even if links are planted meanwhile."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.system.own_files import is_temporary, process_of, temporary_name
from ctxkit.system.processes import is_leftover

if TYPE_CHECKING:
    from ctxkit.core.drawing import Chart

_MOST_LINKS = 40
"""Maximum number of links in a path, as on Linux."""
_RELATIVE = {os.open, os.stat, os.readlink, os.rename, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class OutsideRoot(Exception):  # noqa: N818 (not an error: the path is outside)
    """The path is outside the root, or is not a regular file."""


class RootedPath(NamedTuple):
    """A file's open directory and its name in it; ``directory`` is None if ``name`` is a complete path."""

    directory: int | None
    name: str


def write(path: str, data: bytes, confirm: Callable[[], None] | None = None) -> None:
    """Write a file atomically; keep the permissions of an existing file. Raise InputOutputError on failure.

    ``confirm`` is called right before the replacement, and may raise to keep the old file.
    """
    path = os.path.realpath(path)
    remove_leftovers_beside(path)
    try:
        with open_rooted_path(*os.path.split(path)) as place:
            replace_file(place, data, confirm, new_mode=0o600)
    except OutsideRoot as reason:
        raise InputOutputError(f"{path}: {reason}") from None
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


def remove_leftovers_beside(path: str) -> None:
    """Remove the temporary files of killed processes from the directory of a file."""
    remove_leftovers(os.path.dirname(os.path.realpath(path)))


def read(path: str) -> str:
    """Return the text of a file, "" if it does not exist. Raise InputOutputError."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


@contextmanager
def open_rooted_path(root: str, path: str) -> Iterator[RootedPath]:
    """Yield the real location of a path below a root, with links inside it resolved; the file may not exist.

    Raise OutsideRoot for a path outside, OSError for a directory that cannot be opened.
    """
    if not _RELATIVE:
        yield RootedPath(None, _check_path(root, path))
        return
    directories = [os.open(root, _DIRECTORY | getattr(os, "O_CLOEXEC", 0))]
    try:
        yield _descend(os.path.realpath(root), path, directories)
    finally:
        for directory in directories:
            os.close(directory)


def _descend(real: str, path: str, directories: list[int]) -> RootedPath:
    """Return the location of a path; append the opened directories to ``directories``, the root first."""
    remaining = _split_path(path)
    links = 0
    while remaining:
        name = remaining.pop(0)
        if name == "..":
            if len(directories) == 1:
                raise OutsideRoot("leads out of the workspace")
            os.close(directories.pop())
            continue
        mode = _read_mode(name, directories[-1])
        if stat.S_ISLNK(mode):
            links += 1
            if links > _MOST_LINKS:
                raise OutsideRoot("is a loop of links")
            remaining = _resolve_link(os.readlink(name, dir_fd=directories[-1]), real, directories) + remaining
        elif remaining:
            directories.append(os.open(name, _DIRECTORY | _FLAGS, dir_fd=directories[-1]))
        elif mode and not stat.S_ISREG(mode):
            break
        else:
            return RootedPath(directories[-1], name)
    raise OutsideRoot("is not a regular file")


def _resolve_link(target: str, real: str, directories: list[int]) -> list[str]:
    """Return the components of a link's target; for an absolute one inside, start again at the root."""
    if not os.path.isabs(target):
        return _split_path(target)
    if not os.path.join(target, "").startswith(os.path.join(real, "")):
        raise OutsideRoot("leads out of the workspace")
    while len(directories) > 1:
        os.close(directories.pop())
    return _split_path(target[len(real) :])


def _split_path(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _read_mode(name: str, directory: int) -> int:
    """Return the mode of a name in a directory, 0 if it does not exist."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def _check_path(root: str, path: str) -> str:
    """Return the real path of a file below a root, checked only by its name."""
    full = os.path.realpath(os.path.join(root, path))
    if not full.startswith(os.path.join(os.path.realpath(root), "")):
        raise OutsideRoot("leads out of the workspace")
    if os.path.lexists(full) and not os.path.isfile(full):
        raise OutsideRoot("is not a regular file")
    return full


def read_content(place: RootedPath, max_bytes: int) -> bytes:
    """Return the first bytes of a regular file; raise OSError, or OutsideRoot for anything else."""
    with os.fdopen(open_regular_file(place), "rb") as file:
        return file.read(max_bytes)


def open_regular_file(place: RootedPath) -> int:
    """Open a regular file for reading; raise OSError, or OutsideRoot for anything else."""
    handle = os.open(place.name, os.O_RDONLY | _FLAGS | _NONBLOCK, dir_fd=place.directory)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OutsideRoot("is not a regular file")
    return handle


def replace_file(
    place: RootedPath, data: bytes, confirm: Callable[[], None] | None = None, new_mode: int = 0o666
) -> None:
    """Replace a file atomically, with its permissions; a new file gets ``new_mode`` less the umask.

    ``confirm`` is called right before the replacement, and may raise to keep the old file.
    """
    temporary = os.path.join(os.path.dirname(place.name), temporary_name(os.getpid(), os.urandom(8).hex()))
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, new_mode, dir_fd=place.directory)
    try:
        with os.fdopen(handle, "wb") as file:
            _copy_owner(handle, place)
            file.write(data)
            file.flush()
            os.fsync(handle)
        if confirm:
            confirm()
        if place.directory is None:
            os.replace(temporary, place.name)
        else:
            os.rename(temporary, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place.directory)
        raise


def _copy_owner(handle: int, place: RootedPath) -> None:
    """Give a new file the owner and the permissions of the file that it replaces."""
    try:
        old = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not hasattr(os, "fchmod"):
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def remove_leftovers(directory: int | str) -> int:
    """Remove the temporary files of killed processes in a directory; return how many."""
    removed = 0
    with suppress(OSError), os.scandir(directory) as entries:
        for name in [entry.name for entry in entries if is_temporary(entry.name)]:
            where = directory if isinstance(directory, int) else None
            path = name if where is not None else os.path.join(str(directory), name)
            with suppress(OSError):
                state = os.stat(path, dir_fd=where, follow_symlinks=False)
                if stat.S_ISREG(state.st_mode) and is_leftover(process_of(name), state.st_mtime):
                    os.unlink(path, dir_fd=where)
                    removed += 1
    return removed


def collect_beside(place: RootedPath) -> int:
    """Remove the temporary files of killed processes in the directory of a file; return how many."""
    return remove_leftovers((os.path.dirname(place.name) or ".") if place.directory is None else place.directory)


_CHARTS = (".svg", ".html")


def find_chart_renderer(path: str) -> "Callable[[Chart], str]":
    """Return the function that renders a chart for a file; raise UsageError for an unknown ending."""
    from ctxkit.core.drawing import render_html, render_svg

    ending = os.path.splitext(path)[1].lower()
    if ending not in _CHARTS:
        raise UsageError(f"--plot: {path} ends in neither .svg nor .html", hint="as in --plot tokens.svg")
    return render_svg if ending == ".svg" else render_html


def write_chart(path: str, text: str) -> None:
    """Write a rendered chart atomically."""
    write(path, text.encode("utf-8", "replace"))
