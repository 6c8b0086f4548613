"""The local store: plain files for the bytes, SQLite for their labels."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.label import Label
from ctxkit.core.ledger import ACTIVE
from ctxkit.core.lines import Marks
from ctxkit.core.ref import short
from ctxkit.core.store import YOUNG, Blob, Held, Intake, Swept, to_remove
from ctxkit.core.trouble import Trouble
from ctxkit.engines.shelf import BLOBS, TAKING, Shelf
from ctxkit.processes import may_have_written

if TYPE_CHECKING:
    from ctxkit.engines.catalog import Catalog

TIDY_EVERY = 3600
"""Seconds between two collections that start by themselves."""
ABANDONED = 86_400
"""Seconds after which a temporary file of a dead process is removed."""
STAMP = "tidied"
"""The file in the root whose time of change is that of the last collection."""
_UNFINISHED = re.compile(r"(\d+)-[0-9a-f]{12}")
"""The name of a file that a process is writing, or was when it died."""


class LocalStore:
    """Keep content under ``cache`` and its index under ``data``; satisfies core.store.Store.

    If the store is ``private``, it lies in a public directory, and is used only if no other user can get at it.
    """

    def __init__(self, cache: str, data: str, warn: Callable[[str], None], *, private: bool = False) -> None:
        self.shelf = Shelf(cache, private=private)
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

    def holds(self, ref: str) -> bool:
        """Tell whether the content of a ref is stored."""
        return self.shelf.state(ref) is not None

    def open(self, ref: str, *, quietly: bool = False) -> Held:
        """Return access to content."""
        return self.shelf.open(ref, quietly=quietly)

    def path(self, ref: str) -> str:
        """Return the path of the file that holds a ref."""
        return self.shelf.path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob with its label, as the files say; labels that cannot be read are a warning."""
        try:
            self.shelf.folder(BLOBS).close()
            labels = self.catalog.labels()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._warn(f"{error.strerror}: {error.filename}")
            return
        except Trouble as trouble:
            self._warn(f"names of stored content cannot be read: {trouble}")
            labels = {}
        yield from self._blobs(labels)

    def _blobs(self, labels: Mapping[str, Label]) -> Iterator[Blob]:
        return (self._blob(ref, state, labels.get(ref, Label())) for ref, state in self.shelf.refs())

    def _blob(self, ref: str, state: os.stat_result, label: Label) -> Blob:
        return Blob(ref, state.st_size, state.st_mtime, state.st_atime, label, self.place)

    def remove(self, ref: str) -> None:
        """Remove one blob and its row."""
        self.shelf.remove(ref)
        self.catalog.remove([ref])

    def remove_all(self) -> list[Blob]:
        """Remove every blob with its row, and what dead processes left."""
        blobs = list(self.blobs())
        for blob in blobs:
            self.shelf.remove(blob.ref)
        if blobs:
            self.catalog.remove([blob.ref for blob in blobs])
        self._clear_abandoned(0)
        return blobs

    def collect(self, max_age: float, max_size: int, spare: str = "") -> Swept:
        """Remove what is too old or too much, and what dead processes left behind.

        What a session refers to that was active within ``ACTIVE`` seconds stays, whatever its age and size, and so does
        what a snapshot mentions, or a file that is still there holds on to.
        """
        if not os.path.isdir(self.place):
            return Swept(0, 0)
        self._mark_tidied()
        self._clear_abandoned(ABANDONED)
        began, (names, refs) = time(), self._referred()
        blobs = [blob for blob in self._blobs(self.catalog.labels()) if blob.ref != spare]
        held = self._held()
        spared = refs.union(blob.ref for blob in blobs if blob.label.session in names or short(blob.ref) in held)
        young = 0 if self.shelf.is_full() else YOUNG
        removal = to_remove(blobs, began, max_age, max_size, spared, young)
        gone = [blob for blob in removal.gone if self._collected(blob)]
        if gone:
            self.catalog.remove([blob.ref for blob in gone], began)
        return Swept(len(gone), sum(blob.size for blob in gone), len(removal.young))

    def _collected(self, blob: Blob) -> bool:
        """Remove a blob unless somebody stored or read it again since it was listed."""
        return self.shelf.remove(blob.ref, lambda state: self._blob(blob.ref, state, blob.label) != blob)

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
            with self.shelf.folder() as root:
                stamp = root.stat(STAMP)
            if stamp is None or time() - stamp.st_mtime >= TIDY_EVERY:
                self.collect(max_age, max_size, spare)
        except (OSError, Trouble):
            return

    def _mark_tidied(self) -> None:
        with suppress(OSError), self.shelf.folder() as root:
            if root.stat(STAMP) is None:
                os.close(root.create(STAMP))
            root.touch(STAMP, (time(), time()))

    def _clear_abandoned(self, age: float) -> None:
        """Remove what processes left that died at least ``age`` seconds ago; only files that are named as theirs."""
        with suppress(OSError), self.shelf.folder(TAKING) as folder:
            for name in folder.names():
                named, state = _UNFINISHED.fullmatch(name), folder.stat(name)
                if named and state and _is_abandoned(named[1], state, age):
                    folder.remove(name)
        with suppress(OSError):
            self.shelf.sweep_marks(lambda process, state: _is_abandoned(process, state, age))

    def verify(self) -> Iterator[tuple[str, str]]:
        """Hash every blob again."""
        for ref, _ in self.shelf.refs():
            try:
                digest = self.shelf.digest(ref)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError as error:
                yield ref, f"cannot be read: {error.strerror}"
                continue
            if digest != ref:
                yield ref, f"holds bytes whose SHA-256 is {digest[:12]}"


def _is_abandoned(process: str, state: os.stat_result, age: float) -> bool:
    """Return whether a temporary file is older than ``age`` seconds and its writer does not run any more."""
    return time() - state.st_mtime >= age and not may_have_written(int(process), state.st_mtime)
