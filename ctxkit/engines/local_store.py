"""Store content on the local disk: plain files for the bytes, SQLite for their labels."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from math import inf
from time import time, time_ns
from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError, NotStoredError
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import Blob
from ctxkit.engines.blob_files import BLOBS, BlobFiles
from ctxkit.system.own_files import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ctxkit.core.store.store_interface import BlobWriter, CollectionResult, StoredContent
    from ctxkit.core.text.lines import LineIndex
    from ctxkit.engines.blob_writer import UnfinishedFiles
    from ctxkit.engines.catalog import Catalog
    from ctxkit.system.own_files import StoreFolder

TIDY_EVERY = 3600
"""Minimum seconds between two automatic collections."""
_ID_LENGTH = 12
"""Hex digits of the id of an unfinished file, which no ref has."""
ABANDONED = 86_400
"""Seconds after which a dead process's temporary file is removed."""
_STAMP_FILE = "tidied"
"""File in the root whose modification time is the time of the last collection."""
_NOTICES = "notices"
"""Folder in the root and in the data directory with the records of warnings (edge/notices.py)."""
_SEARCH_INDEX = "search.db"
"""File in the root with the words of stored content (engines/index.py)."""


class LocalStore:
    """Content under ``cache`` and its index under ``data``; satisfies store_interface.Store.

    A ``private`` store is in a public directory, and is used only if no other user can access it. ``name_project``
    returns the name of the project that stores content; reading does not need it.
    """

    def __init__(
        self,
        cache: str,
        data: str,
        warn: Callable[[str], None],
        name_project: Callable[[], str] = str,
        *,
        private: bool = False,
    ) -> None:
        self.blob_files = BlobFiles(cache, private=private)
        self._name_project = name_project
        self._data = data
        self._warn = warn

    @cached_property
    def catalog(self) -> Catalog:
        """Return the index; it is loaded late because reading content does not need SQLite."""
        from ctxkit.engines.catalog import Catalog

        return Catalog(self._data, self._warn)

    @cached_property
    def _unfinished_files(self) -> UnfinishedFiles:
        from ctxkit.engines.blob_writer import UnfinishedFiles

        return UnfinishedFiles(self.blob_files, self._register)

    @property
    def place(self) -> str:
        """Return the directory of the files."""
        return self.blob_files.root

    def open_writer(self) -> BlobWriter:
        """Return a writer of new content."""
        from ctxkit.engines.blob_writer import FileBlobWriter

        return FileBlobWriter(self.blob_files, self._register, self._name_project)

    def _register(self, ref: str, marks: LineIndex, label: Label) -> None:
        """Write the label; only warn on failure, because the content is stored without it."""
        try:
            project = label.project or self._name_project()
            self.catalog.add(ref, marks.size, marks.total, label._replace(project=project))
        except Exception as error:  # the content is stored in any case
            self._warn(f"stored, but the index could not be written: {error}")

    def find(self, prefix: str) -> str:
        """Return the ref that begins with a prefix, or the id of an unfinished file; one that is finished has a ref."""
        try:
            return self.blob_files.find(prefix)
        except NotStoredError:
            ref = self._find_by_id(prefix) if len(prefix) == _ID_LENGTH else ""
            if not ref:
                raise
            return ref

    def _find_by_id(self, id_: str) -> str:
        """Return the id if an unfinished file has it, or the ref of the content that had it; "" for neither."""
        self._unfinished_files.store_cut_off()
        if self._unfinished_files.read(id_) is not None:
            return id_
        labels = self.catalog.labels()
        return next((ref for ref, label in labels.items() if label.call == id_ and self.has_ref(ref)), "")

    def has_ref(self, ref: str) -> bool:
        """Return whether the content of a ref is stored."""
        if len(ref) == _ID_LENGTH:
            return self._unfinished_files.read(ref) is not None
        return self.blob_files.read_state(ref) is not None

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to content."""
        if len(ref) == _ID_LENGTH and (data := self._unfinished_files.read(ref)) is not None:
            from ctxkit.core.store.store_interface import StoredContent
            from ctxkit.core.text.lines import lines_from_bytes

            lines = lines_from_bytes(data)
            return StoredContent(ref, "", lines.read, lines)
        return self.blob_files.open(ref, quietly=quietly)

    def path(self, ref: str) -> str:
        """Return the path of the file of a ref."""
        return self.blob_files.path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob on disk with its label; warn if the labels cannot be read."""
        self._unfinished_files.store_cut_off()
        try:
            self.blob_files.open_subfolder(BLOBS).close()
            labels = self.catalog.labels()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._warn(f"{error.strerror}: {error.filename}")
            return
        except CtxkitError as known_error:
            self._warn(f"names of stored content cannot be read: {known_error}")
            labels = {}
        yield from self._list_blobs(labels)

    def _list_blobs(self, labels: Mapping[str, Label]) -> Iterator[Blob]:
        return (self._make_blob(ref, state, labels.get(ref, Label())) for ref, state in self.blob_files.list_refs())

    def _make_blob(self, ref: str, state: os.stat_result, label: Label) -> Blob:
        return Blob(ref, state.st_size, state.st_mtime, state.st_atime, label, self.place)

    def remove(self, ref: str) -> None:
        """Remove a blob and its label."""
        self.blob_files.remove(ref)
        self.catalog.remove([ref])
        self._remove_words()

    def remove_all(self) -> list[Blob]:
        """Remove every blob with its label, the words, the notices and what dead processes left; return the blobs."""
        blobs = list(self.blobs())
        for blob in blobs:
            self.blob_files.remove(blob.ref)
        if blobs:
            self.catalog.remove([blob.ref for blob in blobs])
        self._remove_words()
        self._remove_notices()
        self._clear_abandoned(0)
        return blobs

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Remove blobs over the age or size limit, and the leftovers of dead processes.

        Keep all refs of a session that was active within ``ACTIVE_SECONDS``, of a snapshot, and of an existing file
        that holds references.
        """
        from ctxkit.core.store.store_interface import YOUNG_SECONDS, CollectionLimits, CollectionResult, choose_removals

        if not os.path.isdir(self.place):
            return CollectionResult(0, 0)
        last_collection = self._mark_tidied()
        self._unfinished_files.store_cut_off()
        self._clear_abandoned(ABANDONED)
        is_full = self.blob_files.is_full()
        self._remove_unused_tables(0 if is_full else max_age)
        if is_full:
            self._remove_words()
        began, active = time(), self._find_active()
        blobs = [blob for blob in self._list_blobs(self.catalog.labels()) if blob.ref != spare]
        spared = self._find_spared(blobs, *active)
        young = 0 if self.blob_files.is_full() else YOUNG_SECONDS
        last_use = max((blob.read for blob in blobs if blob.read <= began), default=0.0)
        if self._doubts_clock(max(last_use, last_collection), began):
            max_age = inf
        removal = choose_removals(blobs, began, CollectionLimits(max_age, max_size, young), spared)
        removed = [blob for blob in removal.removed if self._remove_if_unused(blob)]
        if removed:
            self.catalog.remove([blob.ref for blob in removed], began)
            self._remove_words()
        return CollectionResult(len(removed), sum(blob.size for blob in removed), len(removal.young))

    def _remove_words(self) -> None:
        """Remove the search index, which has words of removed content; the next search makes it again."""
        with suppress(OSError), self.blob_files.open_subfolder() as root:
            for suffix in ("", "-wal", "-shm", "-journal"):
                root.remove(f"{_SEARCH_INDEX}{suffix}")

    def _remove_notices(self) -> None:
        """Forget which warnings were given once."""
        from ctxkit.system.own_files import remove_tree

        for directory in (self.place, self._data):
            with suppress(OSError), open_folder(directory) as folder:
                remove_tree(folder, _NOTICES)

    def _remove_unused_tables(self, max_age: float) -> None:
        from ctxkit.engines.vocabulary_tables import remove_unused_tables

        remove_unused_tables(self.place, max_age)

    def _remove_if_unused(self, blob: Blob) -> bool:
        """Remove a blob unless a process has stored or read it since it was listed; return whether it was removed."""
        return self.blob_files.remove(blob.ref, lambda state: self._make_blob(blob.ref, state, blob.label) != blob)

    def _find_active(self) -> tuple[set[str], set[str]]:
        """Return the names of the active sessions, and the refs in them."""
        from ctxkit.core.session.ledger import ACTIVE_SECONDS
        from ctxkit.engines.ledger import SQLiteLedger

        return SQLiteLedger(self._data, self._warn).find_references(time() - ACTIVE_SECONDS)

    def _find_spared(self, blobs: list[Blob], names: set[str], refs: set[str]) -> set[str]:
        """Return the refs that stay: those of active sessions, and what snapshots and files hold."""
        from ctxkit.core.store.label import make_held_ref
        from ctxkit.engines.catalog import References

        held_refs = References(self._data, self._warn).list_held()
        spared = {blob.ref for blob in blobs if blob.label.session in names}
        return spared.union(refs, (blob.ref for blob in blobs if make_held_ref(blob.ref) in held_refs))

    def tidy(self, read_limits: Callable[[], tuple[float, int]], spare: str = "") -> None:
        """Collect if the last collection was more than an hour ago; ignore errors."""
        try:
            with self.blob_files.open_subfolder() as root:
                stamp = root.stat(_STAMP_FILE)
            if stamp is None or not 0 <= time() - stamp.st_mtime < TIDY_EVERY:
                self.collect(*read_limits(), spare)
        except (OSError, CtxkitError):
            return

    def _mark_tidied(self) -> float:
        """Record the time of a collection; return that of the one before, 0 if it is unknown."""
        before = 0.0
        with suppress(OSError), self.blob_files.open_subfolder() as root:
            if (stamp := root.stat(_STAMP_FILE)) is None:
                os.close(root.create(_STAMP_FILE))
            else:
                before = stamp.st_mtime
            root.touch(_STAMP_FILE, (time_ns(), time_ns()))
        return before if before <= time() else 0.0

    def _doubts_clock(self, last_use: float, now: float) -> bool:
        """Return whether the clock may be wrong, so that nothing is removed for its age; warn if so."""
        try:
            with self.blob_files.open_subfolder() as root:
                doubts = is_doubtful(root, last_use, now)
        except OSError:
            return False
        if doubts:
            self._warn("the clock is far ahead of all that was stored; nothing is removed for its age in the next week")
        return doubts

    def _clear_abandoned(self, age: float) -> None:
        """Remove the unfinished files of processes that died at least ``age`` seconds ago."""
        from ctxkit.engines.blob_writer import is_abandoned

        self._unfinished_files.clear(age)
        with suppress(OSError):
            self.blob_files.remove_leftovers(lambda process, state: is_abandoned(process, state, age), age)

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, problem) for each blob whose bytes do not match its ref."""
        for ref, _ in self.blob_files.list_refs():
            try:
                digest = self.blob_files.hash_content(ref)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError as error:
                yield ref, f"cannot be read: {error.strerror}"
                continue
            if digest != ref:
                yield ref, f"holds bytes whose SHA-256 is {digest[:16]}"


_FAR_SECONDS = 180 * 86_400
"""Seconds between the last use and now from which the clock is doubted."""
_WAIT_SECONDS = 7 * 86_400
"""Seconds that a doubted clock must go on before it is believed."""
MARK = "clock"
"""File in the root of a store whose time is that of the doubted clock when it was first seen."""


def is_doubtful(root: StoreFolder, last_use: float, now: float) -> bool:
    """Return whether ``now`` is far after the ``last_use`` of a store (seconds since 1970, 0 if it is unknown).

    The doubt ends a week later, or when the clock is set back. Both may be of a user who was away for long: then
    content stays for a week more.
    """
    mark = root.stat(MARK)
    if mark is not None:
        if 0 <= now - mark.st_mtime < _WAIT_SECONDS:
            return True
        root.remove(MARK)
        return False
    if not last_use or now - last_use < _FAR_SECONDS:
        return False
    with suppress(OSError):
        os.close(root.create(MARK))
        root.touch(MARK, (int(now * 1e9),) * 2)
    return True
