"""The local store: plain files for the bytes, SQLite for their labels."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.label import Label
from ctxkit.core.ledger import ACTIVE
from ctxkit.core.lines import Marks
from ctxkit.core.ref import short
from ctxkit.core.store import Blob, Held, Intake, Swept, to_remove
from ctxkit.core.trouble import Trouble
from ctxkit.engines.shelf import Shelf, create

if TYPE_CHECKING:
    from ctxkit.engines.catalog import Catalog

TIDY_EVERY = 3600
"""Seconds between two collections that start by themselves."""
ABANDONED = 86_400
"""Seconds after which a temporary file of a dead process is removed."""


class LocalStore:
    """Keep content under ``cache`` and its index under ``data``; satisfies core.store.Store."""

    def __init__(self, cache: str, data: str, warn: Callable[[str], None]) -> None:
        self.shelf = Shelf(cache)
        self._data = data
        self._warn = warn

    @cached_property
    def catalog(self) -> "Catalog":
        """Return the index; reading content needs none, and is spared the import of SQLite."""
        from ctxkit.engines.catalog import Catalog

        return Catalog(self._data, self._warn)

    @property
    def place(self) -> str:
        """Return the directory of the files."""
        return self.shelf.root

    def intake(self) -> Intake:
        """Begin to take content in."""
        from ctxkit.engines.intake import FileIntake

        return FileIntake(self.shelf, self._register)

    def _register(self, ref: str, marks: Marks, label: Label) -> None:
        """Write the label; content without one is still whole, so failing only warns."""
        try:
            self.catalog.add(ref, marks.size, marks.total, label)
        except Exception as error:  # whatever ails the index, the content is stored
            self._warn(f"stored, but the index could not be written: {error}")

    def find(self, prefix: str) -> str:
        """Return the ref that a prefix means."""
        return self.shelf.find(prefix)

    def open(self, ref: str, *, quietly: bool = False) -> Held:
        """Return access to content."""
        return self.shelf.open(ref, quietly=quietly)

    def path(self, ref: str) -> str:
        """Return the path of the file that holds a ref."""
        return self.shelf.path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob with its label, as the files say."""
        labels = self.catalog.labels()
        for ref, state in self.shelf.refs():
            yield Blob(ref, state.st_size, state.st_mtime, state.st_atime, labels.get(ref, Label()))

    def remove(self, ref: str) -> None:
        """Remove one blob and its row."""
        self.shelf.remove(ref)
        self.catalog.remove([ref])

    def collect(self, max_age: float, max_size: int, spare: str = "") -> Swept:
        """Remove what is too old or too much, and what dead processes left behind.

        What a session refers to that was active within ``ACTIVE`` seconds stays, whatever its age and size, and so does
        what a snapshot mentions, or a file that is still there holds on to.
        """
        self._mark_tidied()
        self._clear_abandoned()
        names, refs = self._referred()
        blobs = [blob for blob in self.blobs() if blob.ref != spare]
        held = self._held()
        spared = refs.union(blob.ref for blob in blobs if blob.label.session in names or short(blob.ref) in held)
        gone = to_remove(blobs, time(), max_age, max_size, spared)
        for blob in gone:
            self.shelf.remove(blob.ref)
        if gone:
            self.catalog.remove([blob.ref for blob in gone])
        return Swept(len(gone), sum(blob.size for blob in gone))

    def _referred(self) -> tuple[set[str], set[str]]:
        """Return the sessions still active, and the refs that entered them."""
        from ctxkit.engines.ledger import SQLiteLedger

        return SQLiteLedger(self._data, self._warn).referred(time() - ACTIVE)

    def _held(self) -> set[str]:
        """Return the refs that snapshots and files hold, shown short."""
        from ctxkit.engines.references import References

        return References(self._data, self._warn).held()

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect if an hour has passed since the last time; failing is not worth a word."""
        try:
            if time() - os.stat(self._stamp).st_mtime < TIDY_EVERY:
                return
        except OSError:
            pass
        try:
            self.collect(max_age, max_size, spare)
        except (OSError, Trouble):
            return

    @property
    def _stamp(self) -> str:
        return os.path.join(self.shelf.root, "tidied")

    def _mark_tidied(self) -> None:
        try:
            if not os.path.exists(self._stamp):
                os.close(create(self._stamp))
            os.utime(self._stamp)
        except OSError:
            return

    def _clear_abandoned(self) -> None:
        directory = os.path.join(self.shelf.root, "taking")
        for name in os.listdir(directory) if os.path.isdir(directory) else ():
            path = os.path.join(directory, name)
            if time() - os.stat(path).st_mtime > ABANDONED and not _alive(name.partition("-")[0]):
                os.unlink(path)

    def verify(self) -> Iterator[tuple[str, str]]:
        """Hash every blob again."""
        for ref, _ in self.shelf.refs():
            try:
                digest = self.shelf.digest(ref)
            except OSError as error:
                yield ref, f"cannot be read: {error.strerror}"
                continue
            if digest != ref:
                yield ref, f"holds bytes whose SHA-256 is {digest[:12]}"


def _alive(pid: str) -> bool:
    """Tell whether the process that a temporary file is named after is still there."""
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return True
