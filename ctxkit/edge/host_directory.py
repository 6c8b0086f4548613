"""The directory of a host below the data directory: the scripts that its settings name, and the record of the setup."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape, iglob
from typing import Any

from ctxkit.core.errors import InputOutputError
from ctxkit.system import own_files
from ctxkit.system.safe_directory import StoreFolder, open_folder

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
