"""What must hold when things go wrong: kills, crowds, a full disk, hostile input.

``python -m bench faults [--quick] [--part NAME]``. A part that needs root, ptrace or a tmpfs says so and is skipped
where there is none.
"""

from collections.abc import Iterator
from importlib import import_module

from bench.figure import Figure
from bench.place import Place

PARTS = ("kills", "syscalls", "crowd", "full_disk", "hostile")
"""The parts of this suite, each a module with ``figures``."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of all parts, or of the one that is named."""
    for part in [place.part] if place.part else PARTS:
        yield from import_module(f"bench.faults.{part}").figures(place)
