"""Define stored content: its description, access to it, and the errors of a ref."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import AmbiguousRefError, DamagedContentError, NotStoredError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label, shorten_ref

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.text.lines import IndexedLines, Read

MOST_LISTED = 8
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


def resolve_ref(prefix: str, refs: Sequence[str]) -> str:
    """Return the only ref found for a prefix.

    Raise NotStoredError if there is none, AmbiguousRefError if there are several.
    """
    if not refs:
        raise not_stored_error(prefix)
    if len(refs) > 1:
        rest = f" and {len(refs) - MOST_LISTED} more" if len(refs) > MOST_LISTED else ""
        listed = ", ".join(sorted(refs)[:MOST_LISTED])
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
