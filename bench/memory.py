"""Large content: the most memory that a command holds."""

import os
from collections.abc import Iterator

from bench import corpus
from bench.figure import Figure, mb
from bench.place import Place
from bench.throughput import FREE, HUGE, LARGE, huge, large
from bench.weigh import peak

SUITE = "memory"
GATE = 200_000_000
"""Bytes that gate may hold of 100 MB."""
BOUNDED = 250_000_000
"""Bytes that gate may hold of 1 GB."""
STREAMED = 400_000_000
"""Bytes that gate may hold of a JSON document, or of one line, of 1 GB; a gate has one worker at a time."""
DOCUMENTS = {
    "json": "JSON on one line",
    "pretty_json": "JSON on many lines",
    "nested_json": "JSON of nested objects",
    "json_string": "JSON of one string",
    "minified": "minified JavaScript on one line",
}
WINDOW = ("--window", "32768", "--tokenizer", "qwen3")


def figures(place: Place) -> Iterator[Figure]:
    """Yield the peaks of the commands that meet large content."""
    gate = [*place.ctxkit, "gate", *WINDOW]
    yield _peak(place, f"gate, {mb(place.size(LARGE))} log", gate, large(place), GATE)
    yield from _huge(place)


def _huge(place: Place) -> Iterator[Figure]:
    size = place.size(HUGE)
    what = mb(size)
    if place.free() < FREE * size // HUGE:
        yield Figure(SUITE, f"content of {what}", "skipped", notes=(f"{mb(place.free())} are free on the disk",))
        return
    yield from _documents(place, size)
    path = huge(place)
    yield _peak(place, f"gate, {what} log", [*place.ctxkit, "gate", *WINDOW], path, BOUNDED)


def _documents(place: Place, size: int) -> Iterator[Figure]:
    """Yield the peaks of JSON documents and of one line, each of which is deleted before the next one."""
    for kind, what in DOCUMENTS.items():
        suffix = "js" if kind == "minified" else "json"
        path = corpus.make(place.path(f"document-{kind}.{suffix}"), kind, size)
        gate = [*place.ctxkit, "gate", *WINDOW, "--name", f"x.{suffix}"]
        yield _peak(place, f"gate, {mb(size)} {what}", gate, path, STREAMED)
        os.remove(path)


def _peak(place: Place, what: str, argv: list[str], file: str, most: int) -> Figure:
    place.forget()
    size = peak(argv, file=file)
    return Figure(SUITE, what, f"{mb(size)} peak", None, f"<= {mb(most)}", size <= most)
