"""Count requests, and write metrics in the text format of Prometheus (version 0.0.4)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple


class RequestRecord(NamedTuple):
    """A request without its content: its endpoint, the status of HTTP, its duration, and the bytes of both bodies.

    ``status`` is 0 if the client left before the answer began.
    """

    endpoint: str
    status: int
    seconds: float
    received: int
    sent: int


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper limits of the buckets of durations, in seconds."""


class Sample(NamedTuple):
    """A value of a metric with its labels; ``suffix`` is added to the name of the metric."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""


class Metric(NamedTuple):
    """A metric: its name, its type (counter, gauge or histogram), its help text and its samples."""

    name: str
    type: str
    help: str
    samples: Iterable[Sample]


class RequestMetrics:
    """Counts requests by command and status, and their durations by command."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()
        self._durations: dict[str, _Histogram] = {}

    def add(self, record: RequestRecord) -> None:
        """Count a request."""
        self._counts[record.endpoint, record.status] += 1
        self._durations.setdefault(record.endpoint, _Histogram()).add(record.seconds)

    def list_metrics(self) -> list[Metric]:
        """Return the counts and the durations."""
        return [
            Metric("ctxkit_requests_total", "counter", "Requests by command and status of HTTP.", self._list_counts()),
            Metric(
                "ctxkit_request_duration_seconds",
                "histogram",
                "Seconds from the head of a request to the end of its answer.",
                self._list_durations(),
            ),
        ]

    def _list_counts(self) -> Iterator[Sample]:
        for (endpoint, status), count in sorted(self._counts.items()):
            yield Sample(count, {"command": endpoint, "status": str(status)})

    def _list_durations(self) -> Iterator[Sample]:
        for endpoint, histogram in sorted(self._durations.items()):
            yield from histogram.list_samples({"command": endpoint})


class _Histogram:
    """Counts durations in buckets."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(BUCKETS, seconds)] += 1
        self._sum += seconds

    def list_samples(self, labels: Mapping[str, str]) -> Iterator[Sample]:
        """Yield the buckets, each with the counts of those before it, then the sum and the count."""
        count = 0
        for limit, in_bucket in zip((*map(str, BUCKETS), "+Inf"), self._counts, strict=True):
            count += in_bucket
            yield Sample(count, {**labels, "le": limit}, "_bucket")
        yield Sample(self._sum, labels, "_sum")
        yield Sample(count, labels, "_count")


def format_metrics(metrics: Iterable[Metric]) -> str:
    """Return metrics in the text format."""
    return "".join(line for metric in metrics for line in _format_metric(metric))


def _format_metric(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}\n"
    yield f"# TYPE {metric.name} {metric.type}\n"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
        yield f"{metric.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {sample.value!r}\n"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def format_record(record: RequestRecord, time: str) -> str:
    """Return the line of the log for a request that was answered at a time."""
    milliseconds = f"{record.seconds * 1e3:.1f} ms"
    sizes = f"{record.received} bytes in, {record.sent} bytes out"
    return f"{time} {record.endpoint} {record.status} {milliseconds}, {sizes}"
