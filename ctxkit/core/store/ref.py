"""Parse and shorten refs, the SHA-256 of stored content."""

SHORT_LENGTH = 12
"""Hex digits of a ref in output: 48 bits, no collision expected below millions of blobs."""
FULL_LENGTH = 64
"""Hex digits of a complete ref."""
MIN_LENGTH = 6
"""Hex digits of the shortest prefix that is accepted as a ref."""

_HEX = frozenset("0123456789abcdef")


def shorten_ref(ref: str) -> str:
    """Return the first 12 hex digits of a ref, the form that users see."""
    return ref[:SHORT_LENGTH]


def parse_prefix(text: str) -> str | None:
    """Return ``text`` as a prefix of a ref in lower case, or None if it cannot be a prefix.

    Only hex digits are accepted, so a ref never names a path outside the cache.
    """
    text = text.lower()
    return text if MIN_LENGTH <= len(text) <= FULL_LENGTH and _HEX.issuperset(text) else None
