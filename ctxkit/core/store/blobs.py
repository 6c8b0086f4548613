"""What a store of content can do, whichever engine is behind it."""

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple, Protocol

from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.store.label import Label
from ctxkit.core.store.ref import MIN_LENGTH
from ctxkit.core.text.lines import IndexedLines, Read

YOUNG_SECONDS = 600.0
"""Seconds during which a collection leaves content that was stored or read: its ref was just given out."""


class Blob(NamedTuple):
    """Describe stored content: bytes, when it was stored and last read (seconds since 1970), and which store has it."""

    ref: str
    size: int
    created: float
    read: float
    label: Label = Label()
    place: str = ""


class StoredContent(NamedTuple):
    """Give access to stored content: its bytes from any offset, and its lines."""

    ref: str
    path: str
    read: Read
    lines: IndexedLines


class BlobWriter(Protocol):
    """Take content in piece by piece; until it is committed, nothing is stored."""

    @property
    def size(self) -> int:
        """Return the number of bytes that are safe."""

    def write(self, chunk: bytes) -> None:
        """Take the next bytes. Raises OSError."""

    def commit(self, label: Label) -> str:
        """Store what was taken and return its ref. Raises OSError."""

    def replay(self) -> Iterator[bytes]:
        """Yield back the ``size`` bytes that were taken, also after they were stored."""

    def abandon(self) -> None:
        """Forget what was taken."""


class CollectionResult(NamedTuple):
    """Say what a collection removed, and how many blobs it left only because they are young."""

    blobs: int
    size: int
    young: int = 0


class Store(Protocol):
    """Keep content by the SHA-256 of its bytes."""

    @property
    def place(self) -> str:
        """Return where content is kept, for people."""

    def open_writer(self) -> BlobWriter:
        """Begin to take content in. Raises OSError."""

    def find(self, prefix: str) -> str:
        """Return the ref that a prefix means; raises NotHeld, Misuse if it means several, or OSError."""

    def has_ref(self, ref: str) -> bool:
        """Tell whether the content of a whole ref is stored. Raises OSError."""

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to content and note that it was read, unless ``quietly``; raises NotHeld or OSError."""

    def path(self, ref: str) -> str:
        """Return the path of the plain file that holds a ref."""

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob, in no particular order."""

    def remove(self, ref: str) -> None:
        """Remove one blob; removing what is gone is no trouble."""

    def remove_all(self) -> list[Blob]:
        """Remove every blob, and what dead processes left; return the blobs."""

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Remove blobs not read for ``max_age`` seconds, then the oldest read above ``max_size`` bytes.

        The ref ``spare`` stays whatever its size, and so does what an active session refers to. What was stored
        or read within ``YOUNG_SECONDS`` seconds stays unless the disk is full.
        """

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect if nobody has for an hour, sparing the ref that was just given out; never raises."""

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, what is wrong) for each blob whose bytes are not what its ref says."""


def store_content(store: Store, content: Iterable[bytes], label: Label) -> str:
    """Store content and return its ref; nothing of it is left behind when that fails."""
    writer = store.open_writer()
    try:
        for chunk in content:
            writer.write(chunk)
        return writer.commit(label)
    except BaseException:
        writer.abandon()
        raise


def sort_oldest_first(blobs: Iterable[Blob]) -> list[Blob]:
    """Return blobs in the order in which a collection takes them."""
    return sorted(blobs, key=lambda blob: (blob.read, blob.ref))


class Removal(NamedTuple):
    """List the blobs that a collection removes, and those that it leaves only because they are young."""

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
    """Choose the blobs that a collection removes: too old, then the oldest read above the size.

    The refs ``spared_refs`` stay whatever their age, and so does what was stored or read less than ``young`` seconds
    ago; their size counts all the same.
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
    """Tell whether content was stored or read less than ``seconds`` ago.

    A time to come counts by its distance: a clock may have been set back.
    """
    return min(abs(now - blob.created), abs(now - blob.read)) < seconds


def resolve_ref(prefix: str, refs: Sequence[str]) -> str:
    """Return the one ref that was found for a prefix; raises NotHeld or Misuse."""
    if not refs:
        raise not_stored_error(prefix)
    if len(refs) > 1:
        listed = ", ".join(ref[: max(len(prefix) + 4, MIN_LENGTH)] for ref in sorted(refs)[:4])
        raise UsageError(f"{prefix} matches {len(refs)} refs: {listed}", hint="give more digits")
    return refs[0]


def not_stored_error(prefix: str) -> NotStoredError:
    """Return the error for a prefix that no stored content has."""
    return NotStoredError(f"nothing is stored under {prefix}", hint="ctxkit cache list shows all content")
