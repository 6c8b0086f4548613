"""Large content: the most memory that a command holds."""

import os
from collections.abc import Iterator

from bench import corpus
from bench.corpus import repeat
from bench.figure import Figure, mb
from bench.place import Place
from bench.process import run
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
    log, size = large(place, "log"), mb(place.size(LARGE))
    gate = [*place.ctxkit, "gate", *WINDOW]
    yield _peak(place, f"gate, {size} log", gate, log, GATE)
    yield _peak(place, f"gate, {size} test run", gate, large(place, "pytest"))
    yield _peak(place, f"gate, {size} log, digits in nearly every word", gate, large(place, "digits"))
    half = mb(place.size(LARGE // 2))
    yield _peak(place, f"gate, {half} JSON on one line", gate, large(place, "json"))
    parsed = mb(place.size(LARGE * 12 // 100))
    yield _peak(place, f"gate, {parsed} JSON on one line, not too much to parse", gate, large(place, "mapped"))
    line = repeat(place.path("line.txt"), large(place, "base64"), place.size(LARGE // 2))
    yield _peak(place, f"gate, {half} base64 on one line", gate, line)
    yield _peak(place, f"run, a command that prints {size}", [*place.ctxkit, "run", *WINDOW, "--", "cat", log])
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
    yield _peak(place, f"cache put, {what}", [*place.ctxkit, "cache", "put"], path)
    place.forget()
    ref = run([*place.ctxkit, "cache", "put"], file=path, keep=True).out.decode().strip()
    grep = [*place.ctxkit, "cache", "get", ref, "--grep", "UpstreamTimeout"]
    yield _peak(place, f"cache get --grep, {what}", grep, keep=True)


def _documents(place: Place, size: int) -> Iterator[Figure]:
    """Yield the peaks of JSON documents and of one line, each of which is deleted before the next one."""
    for kind, what in DOCUMENTS.items():
        suffix = "js" if kind == "minified" else "json"
        path = corpus.make(place.path(f"document-{kind}.{suffix}"), kind, size)
        gate = [*place.ctxkit, "gate", *WINDOW, "--name", f"x.{suffix}"]
        yield _peak(place, f"gate, {mb(size)} {what}", gate, path, STREAMED)
        os.remove(path)


def _peak(
    place: Place, what: str, argv: list[str], file: str = "", most: int | None = None, *, keep: bool = False
) -> Figure:
    if not keep:
        place.forget()
    result = peak(argv, file=file)
    if most is None:
        return Figure(SUITE, what, f"{mb(result)} peak")
    return Figure(SUITE, what, f"{mb(result)} peak", None, f"<= {mb(most)}", result <= most)
