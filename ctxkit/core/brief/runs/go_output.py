"""Output of ``go test`` that is no log of tests: the events of ``-json``, and the benchmarks of ``-bench``."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import exp, log
from statistics import median

from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.brief.runs.failures import NumberedLine
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

TEXT = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
KEY = compile_lazily(rf'"(Action|Package|ImportPath|Test|Output)":{TEXT}')
EVENT = compile_lazily(
    r'\{(?:"Time":"[^"]*",)?(?:"ImportPath":"([^"]*)",)?"Action":"([\w-]+)"(?:,"Package":"([^"]*)")?'
    rf'(?:,"Test":{TEXT})?(?:,"Output":{TEXT})?'
)
"""Pattern of an event, with its keys in the order of test2json."""
_IDLE_ACTIONS = frozenset({"run", "start", "pause", "cont"})
"""Actions that say nothing about the result of a test."""
_MAX_OTHER_LINES = 40
"""Maximum number of other lines kept; before Go 1.24, compiler errors are among them."""
_KEPT_LINES = 40
"""Maximum number of output lines kept for each test."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class GoEvent(NamedTuple):
    """Hold one event: its line, its action, its test, and its output, still escaped."""

    number: int
    action: str
    package: str
    test: str
    output: str


@dataclass(slots=True)
class GoTestOutput:
    """Collect the output of one test or package: its first and last line, its lines, and the line of its failure."""

    start: int = 0
    end: int = 0
    lines: list[NumberedLine] = field(default_factory=list)
    failed: int = 0


def _read_events(lines: IndexedLines, strays: list[Marker]) -> Iterator[GoEvent]:
    """Yield the events of a log, except those that only start or pause; append other lines to ``strays``."""
    number = 0
    match = EVENT.match
    for block in lines.blocks():
        for row in block.split("\n"):
            number += 1
            event_match = match(row)
            if event_match is not None:
                built, action, package, test, output = event_match.groups("")
                if action not in _IDLE_ACTIONS:
                    yield GoEvent(number, action, package or built, test, output)
            elif '"Action":"' in row:
                yield _make_event(number, dict(KEY.findall(row)))
            elif row.strip() and len(strays) < _MAX_OTHER_LINES:
                strays.append(Marker(number, "note", strip_decorations(row)))


def _make_event(number: int, fields: dict[str, str]) -> GoEvent:
    """Return the event of a line with its keys in another order."""
    package = fields.get("Package") or fields.get("ImportPath", "")
    return GoEvent(number, fields.get("Action", ""), package, fields.get("Test", ""), fields.get("Output", ""))


def collect_failures(lines: IndexedLines) -> tuple[dict[tuple[str, str], GoTestOutput], list[GoEvent], list[Marker]]:
    """Return the output of failed tests and packages, the events that end a package, and the other lines.

    Output of passed tests is dropped at once, so that memory contains only running and failed tests.
    """
    running: dict[tuple[str, str], GoTestOutput] = {}
    failed: dict[tuple[str, str], GoTestOutput] = {}
    ended: list[GoEvent] = []
    strays: list[Marker] = []
    for event in _read_events(lines, strays):
        key = event.package, event.test
        action = event.action
        if action in ("output", "build-output"):
            _add_output(running.setdefault(key, GoTestOutput(event.number)), event)
            continue
        if action in ("pass", "skip"):
            running.pop(key, None)
        elif action in ("fail", "build-fail"):
            output = running.pop(key, GoTestOutput(event.number, event.number))
            output.failed = event.number
            if key not in failed or action == "build-fail" or output.lines:
                failed[key] = output
        if action in ("pass", "fail", "skip") and not event.test:
            ended.append(event)
    return failed, ended, strays


def _add_output(output: GoTestOutput, event: GoEvent) -> None:
    output.end = event.number
    text = event.output.removesuffix("\\n")
    begun = text.lstrip()
    if begun and not begun.startswith(("=== ", "--- ")):
        output.lines.append((event.number, text))
        if len(output.lines) > _KEPT_LINES:
            del output.lines[_KEPT_LINES // 2]


def unescape(text: str) -> str:
    """Return the text of a JSON string."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)


_ROW = compile_lazily(r"(Benchmark\S{0,200}+)\s+\d++((?:\s+[\d.]{1,30}+ [\w/%-]{1,30}+)++)\s*")
_VALUE = compile_lazily(r"(?<!\S)([\d.]{1,30}+) ([\w/%-]{1,30}+)")
_SIZE = compile_lazily(r"([^/]{0,200}+/\D{0,200}+)(\d[\d_]{0,20}+)(?:-\d{1,9})?")
"""Pattern of a benchmark that runs at several sizes, ``BenchmarkSort/n=1024-16``: what precedes the size, and the size.
"""
_MAX_BENCHMARKS = 20_000
"""Number of benchmarks up to which something is said of them."""
_LEAST_SIZES = 5
"""Number of sizes from which there is a trend."""
_LEAST_RATIO, _LEAST_STEPS = log(1.5), 3.0
"""How far a value is from what its neighbours let expect, as the logarithm of a ratio, and how many times further than
any value that is no neighbour of it."""
_LEAST_ECHO, _MOST_ECHO = 0.2, 0.8
"""By how much, as shares, the values beside an outlier are off on the other side: half in theory, since it is one of
their neighbours. Those beside a bend are off on the same side or not at all, those beside a step by as much."""
_MAX_LISTED = 12


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
        match = _ROW.fullmatch(text) if text.startswith("Benchmark") else None
        if match is None:
            continue
        benchmark = by_name.get(match[1])
        if benchmark is None:
            if len(by_name) == _MAX_BENCHMARKS:
                return []
            benchmark = by_name[match[1]] = Benchmark(match[1], number)
        benchmark.last = number
        for value, unit in _VALUE.findall(match[2]):
            benchmark.values.setdefault(unit, []).append(float(value))
    return list(by_name.values())


def find_deviations(benchmarks: Iterable[Benchmark]) -> list[Deviation]:
    """Return where a benchmark leaves the trend of its sizes, the furthest first."""
    series: dict[str, list[tuple[int, Benchmark]]] = {}
    for benchmark in benchmarks:
        if match := _SIZE.fullmatch(benchmark.name):
            series.setdefault(match[1], []).append((int(match[2]), benchmark))
    rows = (row for points in series.values() for row in _find_in_series(sorted(points, key=lambda point: point[0])))
    return sorted(rows, key=lambda row: -abs(row.distance))


def _find_in_series(points: Sequence[tuple[int, Benchmark]]) -> Iterator[Deviation]:
    if len(points) < _LEAST_SIZES or points[0][0] < 1 or any(a[0] == b[0] for a, b in pairwise(points)):
        return
    for unit in points[0][1].values:
        values = [benchmark.find_median(unit) for _, benchmark in points]
        if min(values) <= 0:
            continue
        places = [(log(size), log(value)) for (size, _), value in zip(points, values, strict=True)]
        distances = [_measure_distance(places[at - 1 : at + 2]) for at in range(1, len(places) - 1)]
        at = max(range(len(distances)), key=lambda at: abs(distances[at]))
        if _is_far(distances, at):
            yield Deviation(points[at + 1][1], unit, distances[at], points[at][1], points[at + 2][1])


def _is_far(distances: Sequence[float], at: int) -> bool:
    """Return whether a distance is far above those that are not beside it, which it shifts to the other side."""
    others = [abs(distance) for place, distance in enumerate(distances) if abs(place - at) > 1]
    if abs(distances[at]) <= max(_LEAST_RATIO, _LEAST_STEPS * max(others, default=0.0)):
        return False
    beside = [distances[place] for place in (at - 1, at + 1) if 0 <= place < len(distances)]
    return all(_LEAST_ECHO <= -distance / distances[at] <= _MOST_ECHO for distance in beside)


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
    entries = (Entry(row.describe(), row.benchmark.first, row.benchmark.last, 1) for row in deviations[:_MAX_LISTED])
    yield Section(f"Off the trend of their sizes ({len(deviations):,})", tuple(entries), noun="benchmarks")
    medians = (Entry(f"{row.name}: {row.describe()}", row.first, row.last, 6) for row in benchmarks)
    title = f"{pluralize(len(benchmarks), 'benchmark')}, the median of their runs"
    yield Section(title, tuple(medians), noun="benchmarks")
