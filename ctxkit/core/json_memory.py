"""How much memory the values of a JSON text take, before they are read."""

OBJECT, LIST, VALUE = 240, 64, 70
"""Bytes that CPython takes for an object with one member, for a list, and for a short text with its place."""
CERTAIN = 1 << 20
"""Bytes of text whose values fit in any case."""


def memory_of(text: bytes | str) -> int:
    """Return about as many bytes as the values of a JSON text take at most; what stands in quotes counts as well."""
    if isinstance(text, str):
        counts = text.count("{"), text.count("["), text.count(",")
    else:
        counts = text.count(b"{"), text.count(b"["), text.count(b",")
    objects, lists, values = counts
    return len(text) + OBJECT * objects + LIST * lists + VALUE * values


def fits_memory(text: bytes | str, most: int) -> bool:
    """Tell whether the values of a JSON text take no more than ``most`` bytes."""
    return len(text) <= CERTAIN or memory_of(text) <= most
