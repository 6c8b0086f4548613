"""Make directories for the setups of hosts, and remove them again once they are empty."""

import os
from collections.abc import Iterator
from contextlib import suppress
from glob import escape, iglob

from ctxkit.core.errors import InputOutputError
from ctxkit.edge import atomic_file
from ctxkit.edge.host_files import read_host_file

RECORD = "directories.json"
"""Name of the file that lists the directories."""
SETUP_RECORD = "setup.json"
"""Name of the file in the directory of a host that is set up."""


class CreatedDirectories:
    """The directories that setups made, also above ``directory``, which has a directory for each host.

    A directory that existed before is not among them. Setups of earlier versions recorded none.
    """

    def __init__(self, directory: str) -> None:
        self._directory, self._record = directory, os.path.join(directory, RECORD)

    def make(self, path: str) -> None:
        """Make a directory and its parents; raise InputOutputError."""
        try:
            created = [*_make_directories(path), *_make_directories(self._directory)]
        except OSError as error:
            raise InputOutputError(f"{error.filename}: {error.strerror}") from error
        if created:
            self._save({*self._load(), *created})

    def remove_empty(self) -> None:
        """Remove those that are empty; forget the others once no host is set up."""
        paths = self._load()
        if any(iglob(os.path.join(escape(self._directory), "*", SETUP_RECORD))):
            if paths:
                self._save(_remove_empty(paths))
            return
        with suppress(OSError):
            os.unlink(self._record)
        _remove_empty({*paths, self._directory})

    def _load(self) -> set[str]:
        """Return the recorded directories, none if the record cannot be read."""
        import orjson

        try:
            value = orjson.loads(read_host_file(self._record).data or b"[]")
        except ValueError:
            return set()
        return {path for path in value if isinstance(path, str)} if isinstance(value, list) else set()

    def _save(self, paths: set[str]) -> None:
        import orjson

        atomic_file.write(self._record, orjson.dumps(sorted(paths)))


def _make_directories(path: str) -> Iterator[str]:
    """Make a directory and its parents, and yield those that did not exist; raise OSError."""
    if os.path.isdir(path):
        return
    yield from _make_directories(os.path.dirname(path))
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    else:
        yield path


def _remove_empty(paths: set[str]) -> set[str]:
    """Remove the directories that are empty, each before its parent; return those that stay."""
    rest = set()
    for path in sorted(paths, key=len, reverse=True):
        try:
            os.rmdir(path)
        except FileNotFoundError:
            continue
        except OSError:
            rest.add(path)
    return rest
