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
SETUP_RECORD = "setup.json"
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
                value = orjson.loads(own_files.read_file(folder, SETUP_RECORD))
        except (OSError, ValueError):
            return {}
        is_valid = isinstance(value, dict) and all(isinstance(row, list) and len(row) == 2 for row in value.values())
        return value if is_valid else {}

    def save_record(self, record: Mapping[str, Any]) -> None:
        """Replace the record."""
        import orjson

        with self._open() as folder:
            own_files.replace_file(folder, SETUP_RECORD, orjson.dumps(record))

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
            if not any(iglob(os.path.join(escape(hosts.path), "*", SETUP_RECORD))):
                removed |= own_files.remove_tree(hosts, PAGES)
        return removed

    @contextmanager
    def _open(self) -> Iterator[StoreFolder]:
        try:
            with open_folder(self._data_dir, HOSTS, self._name, make=True, restrict=True) as folder:
                yield folder
        except OSError as error:
            raise InputOutputError(f"{error.filename or self.path}: {error.strerror}") from error
