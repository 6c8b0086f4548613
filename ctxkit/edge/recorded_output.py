"""Store the output of a command while it runs, so that a part of it remains if ctxkit is killed."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.edge.first_lines import AFTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import BlobWriter, Store

KEPT_BYTES = 1 << 20
"""Bytes that are kept in memory before they are written."""


class RecordedOutput:
    """Writes output into an unfinished entry of the store: after ``AFTER`` seconds, or what exceeds ``KEPT_BYTES``.

    ``open_writer`` then continues the entry. If nobody does, ``close`` removes it: the output passed.
    """

    def __init__(self, store: Callable[[], Store] | None, label: Label | None) -> None:
        self._due = monotonic() + AFTER
        self._store, self._label = store, label
        self._kept: list[bytes] = []
        self._kept_size = 0
        self._writer: BlobWriter | None = None
        self._continued: _ContinuedWriter | None = None
        self.error: OSError | None = None

    @property
    def size(self) -> int:
        """Return the bytes in the entry."""
        return self._writer.size if self._writer is not None else 0

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks, and write them."""
        for chunk in chunks:
            if self._store is not None and self._label is not None and self.error is None:
                self._keep(chunk, self._store, self._label)
            yield chunk

    def _keep(self, chunk: bytes, store: Callable[[], Store], label: Label) -> None:
        if chunk:
            self._kept.append(chunk)
            self._kept_size += len(chunk)
        if not self._kept or (self._writer is None and self._kept_size <= KEPT_BYTES and monotonic() < self._due):
            return
        kept, self._kept = self._kept, []
        try:
            if self._writer is None:
                self._writer = store().open_writer()
                self._writer.name_unfinished(label)
            for piece in kept:
                self._writer.write(piece)
        except OSError as error:
            self.error = error
        except Exception as error:
            self.error = OSError(str(error))

    def open_writer(self, store: Store) -> BlobWriter:
        """Return the writer of the entry, which takes all output from its beginning again, or a new one."""
        if self._writer is None:
            self._store = None  # the new writer stores the rest
            return store.open_writer()
        self._continued = _ContinuedWriter(self._writer, self)
        return self._continued

    def close(self) -> None:
        """Remove an entry that nobody finished."""
        if self._writer is not None and (self._continued is None or not self._continued.is_committed):
            self._writer.abandon()


class _ContinuedWriter:
    """Writes what the entry has already, or gets when the output is read on."""

    def __init__(self, writer: BlobWriter, recorded: RecordedOutput) -> None:
        self._writer, self._recorded = writer, recorded
        self.size = 0
        self.is_committed = False

    def write(self, chunk: bytes) -> None:
        """Take the next bytes of the output; raise OSError if they could not be written."""
        if self.size + len(chunk) > self._recorded.size:
            raise self._recorded.error or OSError("the output could not be stored")
        self.size += len(chunk)

    def commit(self, label: Label) -> str:
        """Store the entry and return its ref. Raise OSError on failure."""
        ref = self._writer.commit(label)
        self.is_committed = True
        return ref

    def name_unfinished(self, label: Label) -> str:  # noqa: ARG002 - the entry has its label
        """Return "": the entry has its name."""
        return ""

    def replay(self) -> Iterator[bytes]:
        """Yield the bytes that were taken."""
        left = self.size
        for piece in self._writer.replay():
            if left > 0:
                yield piece[:left]
            left -= len(piece)

    def abandon(self) -> None:
        """Remove the entry."""
        self._writer.abandon()
