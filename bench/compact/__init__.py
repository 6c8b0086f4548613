"""What compaction leaves of conversations: sound, small, and with what an agent must still know."""

from collections.abc import Iterator
from importlib import import_module

from bench.figure import Figure
from bench.place import Place

PARTS = ("validity", "retention", "room", "masking", "scale")
"""The suites of this package, each a module with ``figures``."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of all of them, or of the one that a run names."""
    for part in PARTS if place.part not in PARTS else (place.part,):
        yield from import_module(f"bench.compact.{part}").figures(place)
