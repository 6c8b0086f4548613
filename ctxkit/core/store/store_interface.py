"""Define the interface of a content store, and what is done with any store: put, collect, read as text and count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from math import ceil
from typing import TYPE_CHECKING, Protocol

from ctxkit.core.errors import AmbiguousRefError, DamagedContentError, NotStoredError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.text import lines
from ctxkit.core.text.lines import IndexedLines, Read
from ctxkit.core.tokens.token_count import TokenCount, count_tokens
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LISTED = 8
"""Maximum number of refs that the message about a prefix of several lists."""


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


YOUNG_SECONDS = 600.0
"""Minimum age in seconds before a collection removes content: its ref may just have been printed."""


class CollectionResult(NamedTuple):
    """Number and size in bytes of the blobs that a collection removed, and how many it kept because they are young."""

    blobs: int
    size: int
    young: int = 0


class Removal(NamedTuple):
    """The blobs that a collection removes, and those that it keeps only because they are young."""

    removed: list[Blob]
    young: list[Blob]


class CollectionLimits(NamedTuple):
    """The age in seconds and the size in bytes above which content goes, and the age below which it stays."""

    max_age: float
    max_size: int
    young: float = 0


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


def resolve_ref(prefix: str, refs: Sequence[str]) -> str:
    """Return the only ref found for a prefix.

    Raise NotStoredError if there is none, AmbiguousRefError if there are several.
    """
    if not refs:
        raise not_stored_error(prefix)
    if len(refs) > 1:
        rest = f" and {len(refs) - _MOST_LISTED} more" if len(refs) > _MOST_LISTED else ""
        listed = ", ".join(sorted(refs)[:_MOST_LISTED])
        raise AmbiguousRefError(f"{prefix} matches {len(refs)} refs: {listed}{rest}", hint="give more digits")
    return refs[0]


def not_stored_error(prefix: str) -> NotStoredError:
    """Return the error for a prefix that matches no stored content."""
    return NotStoredError(f"nothing is stored under {prefix}", hint="ctxkit cache list shows all content")


def damaged_content_error(ref: str, place: str) -> DamagedContentError:
    """Return the error of stored bytes that are not those of their ref."""
    return DamagedContentError(
        f"what is stored as {shorten_ref(ref)} in {place} is not what was stored, and is set aside",
        hint="run the command again that printed it; ctxkit cache verify checks all content",
    )


def sort_oldest_first(blobs: Iterable[Blob]) -> list[Blob]:
    """Return blobs in the order in which a collection removes them."""
    return sorted(blobs, key=lambda blob: (blob.read, blob.ref))


def choose_removals(
    blobs: Iterable[Blob], now: float, limits: CollectionLimits, spared_refs: Set[str] = frozenset()
) -> Removal:
    """Choose the blobs that a collection removes: those too old, then the oldest read above the size.

    Keep ``spared_refs`` at any age, and content that was stored or read a short time ago; their size still counts.
    """
    ordered = sort_oldest_first(blobs)
    total = sum(blob.size for blob in ordered)
    removal = Removal([], [])
    for blob in ordered:
        if now - blob.read <= limits.max_age and total <= limits.max_size:
            break
        if blob.ref in spared_refs:
            continue
        if _is_young(blob, now, limits.young):
            removal.young.append(blob)
            continue
        removal.removed.append(blob)
        total -= blob.size
    return removal


def _is_young(blob: Blob, now: float, seconds: float) -> bool:
    """Return whether content was stored or read less than ``seconds`` ago.

    Use the distance of future times: a clock may have been set back.
    """
    return min(abs(now - blob.created), abs(now - blob.read)) < seconds


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


COUNTED_BYTES = 4 << 20
"""Maximum bytes that are counted (a tenth of a second); larger content is estimated from samples."""
TRANSCODED_BYTES = 64 << 20
"""Maximum bytes that are transcoded to UTF-8; larger content is read as bytes."""
SAMPLE = 1 << 16
_SAMPLES = 16


def open_as_utf8(stored: StoredContent, encoding: str | None = None) -> tuple[Read, IndexedLines]:
    """Return a reader of stored content as UTF-8, and its lines; transcode text of another encoding.

    ``encoding`` is what ``identify_stored_encoding`` returns for the content, if the caller knows it.
    """
    if encoding is None:
        encoding = identify_stored_encoding(stored)
    if not encoding:
        return stored.read, stored.lines
    data = lines.decode(stored.read(0, stored.lines.size), encoding).encode("utf-8", "replace")
    return lambda offset, length: data[offset : offset + length], lines.lines_from_bytes(data)


def identify_stored_encoding(stored: StoredContent) -> str:
    """Return the encoding from which stored content is transcoded, "" if it is read as it is."""
    size = stored.lines.size
    return lines.identify_encoding(stored.read, size) if size <= TRANSCODED_BYTES else ""


def count_stored_tokens(read: Read, size: int, vocabulary: Vocabulary, count: Tokenizer) -> TokenCount:
    """Return the token count of content: exact if it is small, else extrapolated from samples."""
    if size <= COUNTED_BYTES:
        return count_tokens(_read_chunks(read, size), vocabulary, count)
    step = size // _SAMPLES
    texts = [read(index * step, SAMPLE).decode("utf-8", "replace") for index in range(_SAMPLES)]
    sampled, times = _count_samples(texts, vocabulary, count), size / (SAMPLE * _SAMPLES)
    tokens, high, low = (ceil(part * times) for part in (sampled.tokens, sampled.high, sampled.least))
    return TokenCount(tokens, high, "estimate", complete=False, low=low)


def _count_samples(texts: list[str], vocabulary: Vocabulary, count: Tokenizer) -> TokenCount:
    if not vocabulary.exact:
        return count_tokens((text.encode("utf-8", "replace") for text in texts), vocabulary, count)
    tokens = sum(map(count, texts))
    return TokenCount(tokens, tokens, "estimate")


def _read_chunks(read: Read, size: int) -> Iterator[bytes]:
    return (read(offset, 1 << 20) for offset in range(0, size, 1 << 20))
