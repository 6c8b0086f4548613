"""Define the interface of a content store and the choice of blobs that a collection removes."""

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Protocol

from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label
from ctxkit.core.store.ref import MIN_LENGTH
from ctxkit.core.text.lines import IndexedLines, Read

YOUNG_SECONDS = 600.0
"""Minimum age in seconds before a collection removes content: its ref may just have been printed."""


class Blob(NamedTuple):
    """A stored blob: size in bytes, times of storing and last reading (seconds since 1970), label and store."""

    ref: str
    size: int
    created: float
    read: float
    label: Label = Label()
    place: str = ""


class StoredContent(NamedTuple):
    """Access to stored content: its bytes from any offset, and its lines.

    ``path`` is that of its file, "" if it is in none on this machine.
    """

    ref: str
    path: str
    read: Read
    lines: IndexedLines


class BlobWriter(Protocol):
    """Writes content piece by piece; nothing is stored before ``commit``."""

    @property
    def size(self) -> int:
        """Return the number of bytes that ``replay`` can yield."""

    def write(self, chunk: bytes) -> None:
        """Write the next bytes. Raise OSError on failure."""

    def commit(self, label: Label) -> str:
        """Store the written bytes and return their ref. Raise OSError on failure."""

    def replay(self) -> Iterator[bytes]:
        """Yield the ``size`` written bytes again, also after ``commit``."""

    def abandon(self) -> None:
        """Discard the written bytes."""


class CollectionResult(NamedTuple):
    """Number and size in bytes of the blobs that a collection removed, and how many it kept because they are young."""

    blobs: int
    size: int
    young: int = 0


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

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect if the last collection was more than an hour ago; keep the ref ``spare``. Never raise."""

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, problem) for each blob whose bytes do not match its ref."""


def store_content(store: Store, content: Iterable[bytes], label: Label) -> str:
    """Store content and return its ref; leave nothing behind on failure."""
    writer = store.open_writer()
    try:
        for chunk in content:
            writer.write(chunk)
        return writer.commit(label)
    except BaseException:
        writer.abandon()
        raise


def sort_oldest_first(blobs: Iterable[Blob]) -> list[Blob]:
    """Return blobs in the order in which a collection removes them."""
    return sorted(blobs, key=lambda blob: (blob.read, blob.ref))


class Removal(NamedTuple):
    """The blobs that a collection removes, and those that it keeps only because they are young."""

    removed: list[Blob]
    young: list[Blob]


def choose_removals(
    blobs: Iterable[Blob],
    now: float,
    max_age: float,
    max_size: int,
    spared_refs: Set[str] = frozenset(),
    young: float = 0,
) -> Removal:
    """Choose the blobs that a collection removes: those too old, then the oldest read above ``max_size`` bytes.

    Keep ``spared_refs`` at any age, and content stored or read less than ``young`` seconds ago; their size still
    counts.
    """
    ordered = sort_oldest_first(blobs)
    total = sum(blob.size for blob in ordered)
    removal = Removal([], [])
    for blob in ordered:
        if now - blob.read <= max_age and total <= max_size:
            break
        if blob.ref in spared_refs:
            continue
        if is_young(blob, now, young):
            removal.young.append(blob)
            continue
        removal.removed.append(blob)
        total -= blob.size
    return removal


def is_young(blob: Blob, now: float, seconds: float) -> bool:
    """Return whether content was stored or read less than ``seconds`` ago.

    Use the distance of future times: a clock may have been set back.
    """
    return min(abs(now - blob.created), abs(now - blob.read)) < seconds


def resolve_ref(prefix: str, refs: Sequence[str]) -> str:
    """Return the only ref found for a prefix.

    Raise NotStoredError if there is none, UsageError if there are several.
    """
    if not refs:
        raise not_stored_error(prefix)
    if len(refs) > 1:
        listed = ", ".join(ref[: max(len(prefix) + 4, MIN_LENGTH)] for ref in sorted(refs)[:4])
        raise UsageError(f"{prefix} matches {len(refs)} refs: {listed}", hint="give more digits")
    return refs[0]


def not_stored_error(prefix: str) -> NotStoredError:
    """Return the error for a prefix that matches no stored content."""
    return NotStoredError(f"nothing is stored under {prefix}", hint="ctxkit cache list shows all content")
