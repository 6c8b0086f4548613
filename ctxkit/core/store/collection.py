"""Choose the blobs that a collection removes."""

from collections.abc import Iterable, Set

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.blobs import Blob

YOUNG_SECONDS = 600.0
"""Minimum age in seconds before a collection removes content: its ref may just have been printed."""


class CollectionResult(NamedTuple):
    """Number and size in bytes of the blobs that a collection removed, and how many it kept because they are young."""

    blobs: int
    size: int
    young: int = 0


def sort_oldest_first(blobs: Iterable[Blob]) -> list[Blob]:
    """Return blobs in the order in which a collection removes them."""
    return sorted(blobs, key=lambda blob: (blob.read, blob.ref))


class Removal(NamedTuple):
    """The blobs that a collection removes, and those that it keeps only because they are young."""

    removed: list[Blob]
    young: list[Blob]


class CollectionLimits(NamedTuple):
    """The age in seconds and the size in bytes above which content goes, and the age below which it stays."""

    max_age: float
    max_size: int
    young: float = 0


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
        if is_young(blob, now, limits.young):
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
