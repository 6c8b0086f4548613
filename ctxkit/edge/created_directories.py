"""Make directories for the setups of hosts, and remove them again once they are empty."""

import os
from collections.abc import Iterator
from contextlib import suppress
from glob import escape, iglob

from ctxkit.core.errors import InputOutputError
from ctxkit.edge.host_directory import HOSTS, SETUP_RECORD
from ctxkit.system import own_files
from ctxkit.system.safe_directory import StoreFolder, open_folder

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
        if any(iglob(os.path.join(escape(self._directory), "*", SETUP_RECORD))):
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
