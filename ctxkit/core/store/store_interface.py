"""Define the interface of a content store and of its writer."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from ctxkit.core.store.blobs import Blob, StoredContent
from ctxkit.core.store.collection import CollectionResult
from ctxkit.core.store.label import Label


class BlobWriter(Protocol):
    """Writes content piece by piece; nothing is stored before ``commit``."""

    @property
    def size(self) -> int:
        """Return the number of bytes that ``replay`` can yield."""

    def write(self, chunk: bytes) -> None:
        """Write the next bytes. Raise OSError on failure."""

    def name_unfinished(self, label: Label) -> str:
        """Label the written bytes until ``commit``, so that they can be stored if this process is killed.

        Return an id by which they can be read, meanwhile and later; "" if they cannot. Raise OSError on failure.
        """

    def commit(self, label: Label) -> str:
        """Store the written bytes and return their ref. Raise OSError on failure."""

    def replay(self) -> Iterator[bytes]:
        """Yield the ``size`` written bytes again, also after ``commit``."""

    def abandon(self) -> None:
        """Discard the written bytes."""


class Store(Protocol):
    """Stores content by the SHA-256 of its bytes."""

    @property
    def place(self) -> str:
        """Return where content is stored, as text for users."""

    def open_writer(self) -> BlobWriter:
        """Return a writer of new content. Raise OSError on failure."""

    def find(self, prefix: str) -> str:
        """Return the ref that begins with a prefix.

        Raise NotStoredError if there is none, UsageError if there are several, or OSError.
        """

    def has_ref(self, ref: str) -> bool:
        """Return whether content with this complete ref is stored. Raise OSError on failure."""

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to content and record the time of reading, unless ``quietly``.

        Raise NotStoredError or OSError.
        """

    def path(self, ref: str) -> str:
        """Return the path of the plain file with the content of a ref."""

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob, in any order."""

    def remove(self, ref: str) -> None:
        """Remove a blob; do nothing if it does not exist."""

    def remove_all(self) -> list[Blob]:
        """Remove every blob and the leftovers of dead processes; return the blobs."""

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Remove blobs not read for ``max_age`` seconds, then the oldest read above ``max_size`` bytes.

        Keep the ref ``spare`` and everything that an active session refers to. Keep content that was stored or read
        within ``YOUNG_SECONDS`` unless the disk is full.
        """

    def tidy(self, read_limits: Callable[[], tuple[float, int]], spare: str = "") -> None:
        """Collect if the last collection was more than an hour ago; keep the ref ``spare``. Never raise.

        ``read_limits`` returns the age in seconds and the size in bytes of ``collect``.
        """

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, problem) for each blob whose bytes do not match its ref."""
