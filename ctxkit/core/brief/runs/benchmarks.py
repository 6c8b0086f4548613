"""Results of ``go test -bench``: the medians of benchmarks, and sizes that leave the trend of the others."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import exp, log
from statistics import median

from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

ROW = compile_lazily(r"(Benchmark\S{0,200}+)\s+\d++((?:\s+[\d.]{1,30}+ [\w/%-]{1,30}+)++)\s*")
VALUE = compile_lazily(r"(?<!\S)([\d.]{1,30}+) ([\w/%-]{1,30}+)")
SIZE = compile_lazily(r"([^/]{0,200}+/\D{0,200}+)(\d[\d_]{0,20}+)(?:-\d{1,9})?")
"""Pattern of a benchmark that runs at several sizes, ``BenchmarkSort/n=1024-16``: what precedes the size, and the size.
"""
MAX_BENCHMARKS = 20_000
"""Number of benchmarks up to which something is said of them."""
LEAST_SIZES = 5
"""Number of sizes from which there is a trend."""
LEAST_RATIO, LEAST_STEPS = log(1.5), 3.0
"""How far a value is from what its neighbours let expect, as the logarithm of a ratio, and how many times further than
any value that is no neighbour of it."""
LEAST_ECHO, MOST_ECHO = 0.2, 0.8
"""By how much, as shares, the values beside an outlier are off on the other side: half in theory, since it is one of
their neighbours. Those beside a bend are off on the same side or not at all, those beside a step by as much."""
MAX_LISTED = 12


@dataclass(slots=True)
class Benchmark:
    """Hold the values of all runs of a benchmark by unit, and its first and last line."""

    name: str
    first: int
    last: int = 0
    values: dict[str, list[float]] = field(default_factory=dict)

    def find_median(self, unit: str) -> float:
        """Return the median of a unit over the runs, 0 if it was not measured."""
        return median(self.values.get(unit, [0.0]))

    def describe(self) -> str:
        """Return the medians with their units: ``126 ns/op, 48 B/op``."""
        return ", ".join(f"{median(values):g} {unit}" for unit, values in self.values.items())


class Deviation(NamedTuple):
    """Hold a benchmark at a size, a unit in which it leaves the trend, and how far, as the logarithm of a ratio."""

    benchmark: Benchmark
    unit: str
    distance: float
    before: Benchmark
    after: Benchmark

    def describe(self) -> str:
        """Return the value, beside those of the sizes below and above it, and how far it is from their line."""
        around = " and ".join(
            f"{other.find_median(self.unit):g} ({other.name.rpartition('/')[2]})" for other in (self.before, self.after)
        )
        far = f"{exp(self.distance):.2g} times the value on their line"
        return f"{self.benchmark.name}: {self.benchmark.find_median(self.unit):g} {self.unit}, between {around}, {far}"


def read_benchmarks(lines: IndexedLines) -> list[Benchmark]:
    """Return the benchmarks in the order of their first results."""
    by_name: dict[str, Benchmark] = {}
    for number, text in lines.enumerate_lines():
        match = ROW.fullmatch(text) if text.startswith("Benchmark") else None
        if match is None:
            continue
        benchmark = by_name.get(match[1])
        if benchmark is None:
            if len(by_name) == MAX_BENCHMARKS:
                return []
            benchmark = by_name[match[1]] = Benchmark(match[1], number)
        benchmark.last = number
        for value, unit in VALUE.findall(match[2]):
            benchmark.values.setdefault(unit, []).append(float(value))
    return list(by_name.values())


def find_deviations(benchmarks: Iterable[Benchmark]) -> list[Deviation]:
    """Return where a benchmark leaves the trend of its sizes, the furthest first."""
    series: dict[str, list[tuple[int, Benchmark]]] = {}
    for benchmark in benchmarks:
        if match := SIZE.fullmatch(benchmark.name):
            series.setdefault(match[1], []).append((int(match[2]), benchmark))
    rows = (row for points in series.values() for row in _find_in_series(sorted(points, key=lambda point: point[0])))
    return sorted(rows, key=lambda row: -abs(row.distance))


def _find_in_series(points: Sequence[tuple[int, Benchmark]]) -> Iterator[Deviation]:
    if len(points) < LEAST_SIZES or points[0][0] < 1 or any(a[0] == b[0] for a, b in pairwise(points)):
        return
    for unit in points[0][1].values:
        values = [benchmark.find_median(unit) for _, benchmark in points]
        if min(values) <= 0:
            continue
        places = [(log(size), log(value)) for (size, _), value in zip(points, values, strict=True)]
        distances = [_measure_distance(places[at - 1 : at + 2]) for at in range(1, len(places) - 1)]
        at = max(range(len(distances)), key=lambda at: abs(distances[at]))
        others = [abs(distance) for place, distance in enumerate(distances) if abs(place - at) > 1]
        is_far = abs(distances[at]) > max(LEAST_RATIO, LEAST_STEPS * max(others, default=0.0))
        beside = [distances[place] for place in (at - 1, at + 1) if 0 <= place < len(distances)]
        if is_far and all(LEAST_ECHO <= -distance / distances[at] <= MOST_ECHO for distance in beside):
            yield Deviation(points[at + 1][1], unit, distances[at], points[at][1], points[at + 2][1])


def _measure_distance(places: Sequence[tuple[float, float]]) -> float:
    """Return how far the middle of three values is above the line through the others, on logarithmic scales."""
    (x0, y0), (x1, y1), (x2, y2) = places
    return y1 - (y0 + (y2 - y0) * (x1 - x0) / (x2 - x0))


def make_benchmark_sections(lines: IndexedLines) -> Iterator[Section]:
    """Yield a section with what leaves its trend, and one with the medians of all benchmarks."""
    benchmarks = read_benchmarks(lines)
    if not benchmarks:
        return
    deviations = find_deviations(benchmarks)
    entries = (Entry(row.describe(), row.benchmark.first, row.benchmark.last, 1) for row in deviations[:MAX_LISTED])
    yield Section(f"Off the trend of their sizes ({len(deviations):,})", tuple(entries), noun="benchmarks")
    medians = (Entry(f"{row.name}: {row.describe()}", row.first, row.last, 6) for row in benchmarks)
    title = f"{pluralize(len(benchmarks), 'benchmark')}, the median of their runs"
    yield Section(title, tuple(medians), noun="benchmarks")
