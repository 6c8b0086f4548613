"""The directory with the scripts of a host, and the files that configure hosts, remembered as they were."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from difflib import unified_diff
from glob import escape, iglob
from hashlib import sha256
from stat import S_ISREG
from typing import Any, NamedTuple

from ctxkit.core.errors import InputOutputError, LockedError, MalformedInputError, MissingInputError
from ctxkit.edge import atomic_file
from ctxkit.system import own_files
from ctxkit.system.own_files import StoreFolder, open_folder

HOSTS = "hosts"
"""Folder in the data directory that has a folder for each host."""
PAGES = "pages"
"""Folder in that of the hosts with the pages of sessions, in a folder for each host."""
_SETUP_RECORD = "setup.json"
"""Name of the record in the directory of a host that is set up."""


class HostDirectory:
    """The directory of a host; a link in its place is not followed. Methods raise InputOutputError."""

    def __init__(self, data_dir: str, name: str) -> None:
        self.path = os.path.join(data_dir, HOSTS, name)
        self._data_dir, self._name = data_dir, name

    def contains(self, path: str) -> bool:
        """Return whether a path is that of a file in the directory."""
        return os.path.dirname(path) == self.path

    def write_script(self, path: str, script: str) -> None:
        """Write a program of the directory."""
        with self._open() as folder:
            own_files.replace_file(folder, os.path.basename(path), script.encode(), 0o755)

    def load_record(self) -> dict[str, Any]:
        """Return the digests around the change by settings file; {} for a record that cannot be read."""
        import orjson

        try:
            with open_folder(self._data_dir, HOSTS, self._name, restrict=True) as folder:
                value = orjson.loads(own_files.read_file(folder, _SETUP_RECORD))
        except (OSError, ValueError):
            return {}
        is_valid = isinstance(value, dict) and all(isinstance(row, list) and len(row) == 2 for row in value.values())
        return value if is_valid else {}

    def save_record(self, record: Mapping[str, Any]) -> None:
        """Replace the record."""
        import orjson

        with self._open() as folder:
            own_files.replace_file(folder, _SETUP_RECORD, orjson.dumps(record))

    def remove(self) -> None:
        """Remove the directory with all that is in it, as far as no link is in the way."""
        with suppress(OSError), open_folder(self._data_dir, HOSTS, restrict=True) as hosts:
            own_files.remove_tree(hosts, self._name)

    def remove_pages(self) -> bool:
        """Remove the pages of the sessions of the host; return whether there were any.

        Those that version 0.1.0 kept name no host, and go with the last host that is set up.
        """
        removed = False
        with suppress(OSError), open_folder(self._data_dir, HOSTS, restrict=True) as hosts:
            with suppress(OSError), hosts.open_subfolder(PAGES, restrict=True) as pages:
                removed = own_files.remove_tree(pages, self._name)
            if not any(iglob(os.path.join(escape(hosts.path), "*", _SETUP_RECORD))):
                removed |= own_files.remove_tree(hosts, PAGES)
        return removed

    @contextmanager
    def _open(self) -> Iterator[StoreFolder]:
        try:
            with open_folder(self._data_dir, HOSTS, self._name, make=True, restrict=True) as folder:
                yield folder
        except OSError as error:
            raise InputOutputError(f"{error.filename or self.path}: {error.strerror}") from error


RECORD = "directories.json"
"""Name of the file in the folder of the hosts that lists the directories."""


class CreatedDirectories:
    """The directories that setups made, also above the folder of the hosts, which has a directory for each.

    A directory that existed before is not among them. Setups of earlier versions recorded none.
    """

    def __init__(self, data_dir: str) -> None:
        self._data_dir = os.path.abspath(data_dir)
        self._directory = os.path.join(self._data_dir, HOSTS)

    def make(self, path: str) -> None:
        """Make a directory and its parents; raise InputOutputError."""
        try:
            created = [*self._make_all(path), *self._make_all(self._directory)]
            if created:
                self._save({*self._load(), *created})
        except OSError as error:
            raise InputOutputError(f"{error.filename}: {error.strerror}") from error

    def _make_all(self, path: str) -> Iterator[str]:
        """Make a directory and its parents, and yield those that did not exist; raise OSError."""
        if os.path.isdir(path):
            return
        yield from self._make_all(os.path.dirname(path))
        if self._is_own(path):
            open_folder(self._data_dir, *os.path.relpath(path, self._data_dir).split(os.sep), make=True).close()
        else:
            _make_directory(path)
        yield path

    def _is_own(self, path: str) -> bool:
        """Return whether a directory is the folder of the hosts, or in it."""
        return self._directory in (path, os.path.dirname(path))

    def remove_empty(self) -> None:
        """Remove those that are empty; forget the others once no host is set up."""
        paths = self._load()
        if any(iglob(os.path.join(escape(self._directory), "*", _SETUP_RECORD))):
            if paths:
                with suppress(OSError):
                    self._save(self._remove_empty(paths))
            return
        with suppress(OSError), self._open() as hosts:
            hosts.remove(RECORD)
        self._remove_empty({*paths, self._directory})

    def _remove_empty(self, paths: set[str]) -> set[str]:
        """Remove the directories that are empty, each before its parent; return those that stay."""
        return {path for path in sorted(paths, key=len, reverse=True) if not self._remove_directory(path)}

    def _remove_directory(self, path: str) -> bool:
        """Remove an empty directory; return whether it does not exist any more."""
        above, name = os.path.split(path)
        try:
            if self._is_own(path):
                with open_folder(self._data_dir, *([HOSTS] if above == self._directory else [])) as folder:
                    return folder.remove_folder(name) or not os.path.lexists(path)
            os.rmdir(path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _load(self) -> set[str]:
        """Return the recorded directories, none if the record cannot be read."""
        import orjson

        try:
            with self._open() as hosts:
                value = orjson.loads(own_files.read_file(hosts, RECORD))
        except (OSError, ValueError):
            return set()
        return {path for path in value if isinstance(path, str)} if isinstance(value, list) else set()

    def _save(self, paths: set[str]) -> None:
        """Replace the record. Raise OSError."""
        import orjson

        with self._open(make=True) as hosts:
            own_files.replace_file(hosts, RECORD, orjson.dumps(sorted(paths)))

    def _open(self, *, make: bool = False) -> StoreFolder:
        return open_folder(self._data_dir, HOSTS, make=make, restrict=True)


def _make_directory(path: str) -> None:
    """Make a directory of the user; another process may have made it. Raise OSError."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


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
