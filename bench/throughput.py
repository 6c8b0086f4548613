"""Large content: how fast it is stored, mapped and read back."""

from collections.abc import Iterator
from functools import partial
from statistics import median

from bench import corpus
from bench.figure import Figure, mb, ms
from bench.place import Place
from bench.process import Cost, interleave, run

SUITE = "throughput"
LARGE = 100_000_000
HUGE = 1_000_000_000
FREE = 4_000_000_000
"""Bytes that must be free on the disk for the huge blob and its copies."""
SPEED = 15.0
"""MB a second at which a log is stored and mapped."""
STORING = 2.0
"""Times ``tee | sha256sum`` that storing may take."""
READING = 1.3
"""Times a read from a small blob that one from a huge blob may take."""
def figures(place: Place) -> Iterator[Figure]:
    """Yield the speed of gate on a log that does not fit, then that of storing and of reading back."""
    yield _gate(place)
    yield _store(place)
    yield from _read_back(place)


def large(place: Place) -> str:
    """Return the path of a large log."""
    return corpus.make(place.path("log.txt"), "log", place.size(LARGE))


def huge(place: Place) -> str:
    """Return the path of a log ten times as large."""
    return corpus.repeat(place.path("huge.txt"), large(place), place.size(HUGE))


def _gate(place: Place) -> Figure:
    path, size = large(place), place.size(LARGE)
    gate = [*place.ctxkit, "gate", "--window", "32768", "--tokenizer", "qwen3"]

    def one() -> Cost:
        place.forget()
        return run(gate, file=path)

    several = interleave([one], place.times(3))[0]
    speed = size / several.best / 1e6
    figure = f"{speed:.1f} MB/s ({several.best:.2f} s, CPU {several.cpu:.2f} s)"
    return Figure(SUITE, f"gate, {mb(size)}: a log", figure, None, f">= {SPEED:.0f} MB/s", speed >= SPEED)


def _store(place: Place) -> Figure:
    path = large(place)

    def put() -> Cost:
        place.forget()
        return run([*place.ctxkit, "cache", "put"], file=path)

    def tee() -> Cost:
        place.forget()
        return run(["/bin/sh", "-c", f"tee {place.path('teed')} | sha256sum"], file=path)

    ours, theirs = interleave([put, tee], place.times(7))
    ratio = ours.wall / theirs.wall
    figure = f"{ms(ours.wall)} / {ms(theirs.wall)} tee | sha256sum (best {ours.best / theirs.best:.2f} x)"
    size = mb(place.size(LARGE))
    return Figure(SUITE, f"cache put, {size}", figure, ratio, f"<= {STORING:g} x", ratio <= STORING)


def _read_back(place: Place) -> Iterator[Figure]:
    size = place.size(HUGE)
    what = f"cache get --lines of {mb(size)}"
    if place.free() < FREE * size // HUGE:
        yield Figure(SUITE, what, "skipped", notes=(f"{mb(place.free())} are free on the disk",))
        return
    place.forget()
    put = [*place.ctxkit, "cache", "put"]
    ref = run(put, file=huge(place), keep=True).out.decode().strip()
    small = run(put, data=corpus.short_text(1000), keep=True).out.decode().strip()
    with open(huge(place), "rb") as file:
        total = sum(piece.count(b"\n") for piece in iter(lambda: file.read(corpus.PIECE), b""))
    ranges = {"its beginning": "1:5", "its middle": f"{total // 2}:{total // 2 + 4}", "its end": "-5:"}
    get = [*place.ctxkit, "cache", "get"]
    runs = [partial(run, [*get, small, "--lines", "1:5"])]
    runs += [partial(run, [*get, ref, "--lines", span]) for span in ranges.values()]
    floor, *timed = interleave(runs, place.times(21))
    for where, several in zip(ranges, timed, strict=True):
        ratio = median(cost.wall / base.wall for cost, base in zip(several.costs, floor.costs, strict=True))
        figure = f"{ms(several.wall)} / {ms(floor.wall)} of 1 KB"
        yield Figure(SUITE, f"{what}: {where}", figure, ratio, f"<= {READING} x", ratio <= READING)
