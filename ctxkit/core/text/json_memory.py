"""How much memory the values of a JSON text take, before they are read."""

OBJECT_SIZE, LIST_SIZE, VALUE_SIZE = 240, 64, 70
"""Bytes that CPython takes for an object with one member, for a list, and for a short text with its place."""
ALWAYS_FITS = 1 << 20
"""Bytes of text whose values fit in any case."""


def estimate_memory(text: bytes | str) -> int:
    """Return about as many bytes as the values of a JSON text take at most; what stands in quotes counts as well."""
    if isinstance(text, str):
        counts = text.count("{"), text.count("["), text.count(",")
    else:
        counts = text.count(b"{"), text.count(b"["), text.count(b",")
    objects, lists, values = counts
    return len(text) + OBJECT_SIZE * objects + LIST_SIZE * lists + VALUE_SIZE * values


def fits_memory(text: bytes | str, most: int) -> bool:
    """Tell whether the values of a JSON text take no more than ``most`` bytes."""
    return len(text) <= ALWAYS_FITS or estimate_memory(text) <= most
