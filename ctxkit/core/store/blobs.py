"""Define stored content: its description, access to it, and the errors of a ref."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import MIN_LENGTH, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.text.lines import IndexedLines, Read


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
