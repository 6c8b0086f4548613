"""Estimate the memory of the values in a JSON text before it is parsed."""

OBJECT_SIZE, LIST_SIZE, VALUE_SIZE = 240, 64, 70
"""Bytes that CPython needs for an object with one member, for a list, and for a short string with its reference."""
ALWAYS_FITS = 1 << 20
"""Bytes of text whose values always fit."""


def estimate_memory(text: bytes | str) -> int:
    """Return an approximate upper bound in bytes of the values of a JSON text; characters inside strings count too."""
    if isinstance(text, str):
        counts = text.count("{"), text.count("["), text.count(",")
    else:
        counts = text.count(b"{"), text.count(b"["), text.count(b",")
    objects, lists, values = counts
    return len(text) + OBJECT_SIZE * objects + LIST_SIZE * lists + VALUE_SIZE * values


def fits_memory(text: bytes | str, most: int) -> bool:
    """Return whether the values of a JSON text need at most ``most`` bytes."""
    return len(text) <= ALWAYS_FITS or estimate_memory(text) <= most
