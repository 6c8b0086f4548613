"""What maps are worth to their readers: questions with answers that no map was made from, one suite a file."""

from collections.abc import Iterator
from importlib import import_module

from bench.figure import Figure
from bench.place import Place

PARTS = ("fresh", "log", "nav", "drill")
"""The suites of this package, each a module with ``figures``; ``python -m bench brief --suite nav`` runs one."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of all of them."""
    for part in PARTS:
        yield from import_module(f"bench.brief.{part}").figures(place)
