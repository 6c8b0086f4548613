"""Name content: its ref, which is the SHA-256 of its bytes, and its origin; print names safely."""

from __future__ import annotations

from ctxkit.core.named_tuple import NamedTuple

SHORTEST_KEY = 13
"""Minimum characters of a key that the patterns of secrets find by its form alone."""
SHORT_LENGTH = 16
"""Hex digits of a ref in output: 64 bits. Content with 48 equal bits is made in a minute, so 12 digits are too few."""
EARLIER_LENGTH = 12
"""Hex digits of a ref in the output of ctxkit 0.1.0, which transcripts and snapshots still name."""
FULL_LENGTH = 64
"""Hex digits of a complete ref."""
MIN_LENGTH = 6
"""Hex digits of the shortest prefix that is accepted as a ref."""
_HEX = frozenset("0123456789abcdef")


class Label(NamedTuple):
    """The origin of content: a file or command, a tool and its call id, a session; empty if unknown.

    ``project`` has the names of the projects that stored it (engines/content_hash.py), separated by blanks.
    """

    name: str = ""
    tool: str = ""
    call: str = ""
    session: str = ""
    project: str = ""


def mask_title(text: str) -> str:
    """Return a name for lists: one printable line without passwords and keys."""
    # Loading the patterns takes longer than the gate's decision, and most names cannot hold a secret.
    if ":" in text or "=" in text or (len(text) >= SHORTEST_KEY and _may_contain_key(text)):
        from ctxkit.core.redaction.masking import mask_secrets

        text = mask_secrets(text)
    return title_of(text)


def _may_contain_key(text: str) -> bool:
    from re import findall, search

    return any(search("[A-Z0-9]", word) for word in findall(r"[A-Za-z0-9_-]{13,}", text))


def title_of(text: str, width: int = 100) -> str:
    r"""Return a name as one printable line, so that a name cannot imitate a line of a briefing.

    Escape characters that are not printable, as in ``\x1b`` and ``\u202e``; collapse runs of blanks.
    """
    if not text.isprintable():
        from ctxkit.core.text.escapes import escape_name

        text = escape_name(text)
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."


class ClashingRef(str):
    """A ref whose short form already named other content when its content was stored, so that it is printed in full."""

    __slots__ = ()


def shorten_ref(ref: str) -> str:
    """Return the form of a ref that users see: its first 16 hex digits, or all of a ClashingRef."""
    return ref if isinstance(ref, ClashingRef) else ref[:SHORT_LENGTH]


def make_held_ref(ref: str) -> str:
    """Return the digits by which references to content are compared, whatever form of the ref they have."""
    return ref[:EARLIER_LENGTH]


def parse_prefix(text: str) -> str | None:
    """Return ``text`` as a prefix of a ref in lower case, or None if it cannot be a prefix.

    Only hex digits are accepted, so a ref never names a path outside the cache.
    """
    text = text.lower()
    return text if MIN_LENGTH <= len(text) <= FULL_LENGTH and _HEX.issuperset(text) else None
