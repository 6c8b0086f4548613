"""What a store of content can do, whichever engine is behind it."""

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple, Protocol

from ctxkit.core.label import Label
from ctxkit.core.lines import Lines, Read


class Blob(NamedTuple):
    """Describe stored content: bytes, and when it was stored and last read (seconds since 1970)."""

    ref: str
    size: int
    created: float
    read: float
    label: Label = Label()


class Held(NamedTuple):
    """Give access to stored content: its bytes from any offset, and its lines."""

    ref: str
    path: str
    read: Read
    lines: Lines


class Intake(Protocol):
    """Take content in piece by piece; until it is committed, nothing is stored."""

    size: int

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; ``size`` counts those that are safe. Raises OSError."""

    def commit(self, label: Label) -> str:
        """Store what was taken and return its ref. Raises OSError."""

    def replay(self) -> Iterator[bytes]:
        """Yield back the ``size`` bytes that were taken."""

    def abandon(self) -> None:
        """Forget what was taken."""


class Swept(NamedTuple):
    """Say what a collection removed."""

    blobs: int
    size: int


class Store(Protocol):
    """Keep content by the SHA-256 of its bytes."""

    @property
    def place(self) -> str:
        """Return where content is kept, for people."""

    def intake(self) -> Intake:
        """Begin to take content in. Raises OSError."""

    def find(self, prefix: str) -> str:
        """Return the ref that a prefix means; raises NotHeld, or Misuse when it means several."""

    def open(self, ref: str, *, quietly: bool = False) -> Held:
        """Return access to content and note that it was read, unless ``quietly``; raises NotHeld."""

    def path(self, ref: str) -> str:
        """Return the path of the plain file that holds a ref."""

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob, in no particular order."""

    def remove(self, ref: str) -> None:
        """Remove one blob; removing what is gone is no trouble."""

    def collect(self, max_age: float, max_size: int, spare: str = "") -> Swept:
        """Remove blobs not read for ``max_age`` seconds, then the oldest read above ``max_size`` bytes.

        The ref ``spare`` stays whatever its size, and so does what an active session refers to.
        """

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect if nobody has for an hour, sparing the ref that was just given out; never raises."""

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, what is wrong) for each blob whose bytes are not what its ref says."""


def keep(store: Store, content: Iterable[bytes], label: Label) -> str:
    """Store content and return its ref; nothing of it is left behind when that fails."""
    intake = store.intake()
    try:
        for chunk in content:
            intake.write(chunk)
        return intake.commit(label)
    except BaseException:
        intake.abandon()
        raise


def oldest_first(blobs: Iterable[Blob]) -> list[Blob]:
    """Return blobs in the order in which a collection takes them."""
    return sorted(blobs, key=lambda blob: (blob.read, blob.ref))


def to_remove(
    blobs: Iterable[Blob], now: float, max_age: float, max_size: int, spared: Set[str] = frozenset()
) -> list[Blob]:
    """Return the blobs that a collection removes: too old, then the oldest read above the size.

    The refs ``spared`` stay whatever their age; their size counts all the same.
    """
    kept = oldest_first(blobs)
    total = sum(blob.size for blob in kept)
    removed = []
    for blob in kept:
        if now - blob.read <= max_age and total <= max_size:
            break
        if blob.ref in spared:
            continue
        removed.append(blob)
        total -= blob.size
    return removed
