"""HTTP archives (HAR): requests by host, method and status, with the failed, slowest and largest requests."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember, JsonPositions, skip_blanks
from ctxkit.core.text.quantity import format_size, pluralize

NAME = "har"
TYPES: Sequence[str] = ()
CLUES = Clues(('"entries"',))
LARGEST = 24 << 20
"""Maximum size in bytes of an archive that is parsed."""
BEGINS = compile_lazily(r'\ufeff?\s*\{\s*"log"\s*:\s*\{\s*"(?:version|creator|entries|pages|browser|comment)"')
LONG_LINES = 2_000
"""Average line length in bytes above which places are given in bytes instead of lines."""


@dataclass(slots=True)
class HarRequest:
    """Hold one request: its index in the archive, its URL and method, and its response."""

    number: int
    place: JsonMember
    method: str
    url: str
    status: int
    milliseconds: float
    size: int
    mime_type: str
    error: str

    @property
    def host(self) -> str:
        """Return the host name in the URL."""
        return self.url.partition("://")[2].partition("/")[0] or "(no host)"

    @property
    def has_failed(self) -> bool:
        """Return whether the request has no response or an error response."""
        return self.status >= 400 or self.status <= 0 or bool(self.error)

    def format_line(self) -> str:
        """Return the request on one line."""
        status_text = str(self.status) if self.status > 0 else "no answer"
        error = f" ({self.error[:80]})" if self.error else ""
        url = self.url if len(self.url) <= 120 else f"{self.url[:120]}[+{len(self.url) - 120} chars]"
        time_text = f", {self.milliseconds:,.0f} ms" if self.milliseconds >= 0 else ""
        outcome = f"{status_text}{error}{time_text}, {format_size(self.size)}"
        return f".log.entries[{self.number}]: {self.method} {url} -> {outcome}"


def sniff(document: InputDocument) -> float:
    """Return the confidence that the JSON is an HTTP archive, from its first keys."""
    if not BEGINS.match(document.head[:4_000]) or '"entries"' not in document.head:
        return 0.0
    return 0.97 if document.suffix == "har" or '"request"' in document.head else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and notable requests, or None if no request can be read."""
    if document.lines.size > LARGEST:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = JsonPositions(text)
    requests = list(_read_requests(places))
    if not requests:
        return None
    by_bytes = document.lines.size > LONG_LINES * max(document.lines.total, 1)
    return list(_make_outlines(_RequestReport(places, requests, by_bytes), document))


def _read_requests(places: JsonPositions) -> Iterator[HarRequest]:
    root = JsonMember(
        None, skip_blanks(places.text, 0), skip_blanks(places.text, 1 if places.text.startswith("\ufeff") else 0), 0
    )
    entries = places.find(root, ("log", "entries"))
    for number, place in enumerate(places.below(entries) if entries else ()):
        value = places.value(place)
        if isinstance(value, dict) and isinstance(value.get("request"), dict):
            yield _parse_request(number, place, value)


def _parse_request(number: int, place: JsonMember, value: dict[str, JsonValue]) -> HarRequest:
    request = value["request"]
    response = _get_object(value, "response")
    content = _get_object(response, "content")
    size = max(int(_parse_number(content.get("size"))), int(_parse_number(response.get("bodySize"))), 0)
    return HarRequest(
        number,
        place,
        method=str(request.get("method", "?"))[:20],
        url=str(request.get("url", "")),
        status=int(_parse_number(response.get("status"))),
        milliseconds=_parse_number(value.get("time"), -1),
        size=size,
        mime_type=str(content.get("mimeType", "")).partition(";")[0][:60],
        error=str(response.get("_error") or "")[:200],
    )


def _get_object(value: dict[str, JsonValue], key: str) -> dict[str, JsonValue]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _parse_number(value: JsonValue, default: float = 0) -> float:
    usual = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    return value if usual and value == value else default


class _RequestReport:
    """Make the entries about a list of requests, each with its place in the document."""

    def __init__(self, places: JsonPositions, requests: Sequence[HarRequest], by_bytes: bool) -> None:
        self.places = places
        self.requests = requests
        self.by_bytes = by_bytes

    def make_entry(self, request: HarRequest, rank: int) -> Entry:
        """Return an entry about one request."""
        return self.make_range_entry(request, request, request.format_line(), rank)

    def make_range_entry(self, first: HarRequest, last: HarRequest, text: str, rank: int) -> Entry:
        """Return an entry that covers all requests from ``first`` to ``last``."""
        start, end = first.place.start, last.place.end
        if self.by_bytes:
            return Entry(text, self.places.byte(start) + 1, self.places.byte(end), rank, in_bytes=True)
        return Entry(text, self.places.line(start), self.places.line(end - 1), rank)

    def summarize(self) -> Iterator[Entry]:
        """Yield the totals, and counts by method, status and type."""
        size = sum(request.size for request in self.requests)
        milliseconds = sum(max(request.milliseconds, 0) for request in self.requests)
        failed_count = sum(request.has_failed for request in self.requests)
        totals = f"{pluralize(len(self.requests), 'request')}, {failed_count:,} failed; {format_size(size)} answered"
        yield Entry(f"{totals}; {milliseconds / 1000:,.1f} s in sum")
        for noun, key in (("methods", _get_method), ("statuses", _get_status), ("types", _get_mime_type)):
            counts = Counter(key(request) for request in self.requests).most_common(12)
            yield Entry(f"{noun}: " + ", ".join(f"{name} ×{count:,}" for name, count in counts), rank=1)

    def list_hosts(self, most: int) -> Iterator[Entry]:
        """Yield an entry for each host, beginning with the host that has the most requests."""
        hosts: dict[str, list[HarRequest]] = defaultdict(list)
        for request in self.requests:
            hosts[request.host].append(request)
        ranked = sorted(hosts.items(), key=lambda item: -len(item[1]))
        for host, host_requests in ranked[:most]:
            failed_count = sum(request.has_failed for request in host_requests)
            size = sum(request.size for request in host_requests)
            text = f"{host}: {pluralize(len(host_requests), 'request')}, {format_size(size)}"
            yield Entry(
                text
                + (f", {failed_count:,} failed" if failed_count else "")
                + f"; first .log.entries[{host_requests[0].number}]",
                rank=20,
            )
        if len(ranked) > most:
            yield Entry(f"{len(ranked) - most:,} more hosts", rank=20)

    def list_failed(self, most: int) -> Iterator[Entry]:
        """Yield the failed requests, up to ``most``, and the number of the others."""
        failed = [request for request in self.requests if request.has_failed]
        yield from (self.make_entry(request, 10) for request in failed[:most])
        if len(failed) > most:
            numbers = ", ".join(str(request.number) for request in failed[most : most + 40])
            yield Entry(f"{len(failed) - most:,} more failed: entries {numbers}", rank=10)

    def list_largest(self, key: Callable[[HarRequest], float], most: int) -> Iterator[Entry]:
        """Yield the ``most`` requests with the largest values of ``key``."""
        ranked = sorted(self.requests, key=lambda request: -key(request))[:most]
        yield from (self.make_entry(request, 15) for request in ranked if key(request) > 0)

    def list_runs(self, most: int) -> Iterator[Entry]:
        """Yield the line ranges of all requests, in at most ``most`` runs."""
        size = -(-len(self.requests) // max(most, 1))
        for at in range(0, len(self.requests), size):
            run = self.requests[at : at + size]
            if len(run) == 1:
                yield self.make_entry(run[0], 30)
            else:
                text = f".log.entries[{run[0].number}] to [{run[-1].number}]"
                yield self.make_range_entry(run[0], run[-1], text, 30)


def _get_method(request: HarRequest) -> str:
    return request.method


def _get_status(request: HarRequest) -> str:
    return str(request.status) if request.status > 0 else "none"


def _get_mime_type(request: HarRequest) -> str:
    return request.mime_type or "none"


def _get_milliseconds(request: HarRequest) -> float:
    return request.milliseconds


def _get_size(request: HarRequest) -> float:
    return request.size


def _make_outlines(report: _RequestReport, document: InputDocument) -> Iterator[Outline]:
    most = min(max(document.target // 30, 2), len(report.requests) + 40)
    while True:
        few = max(most // 6, 1)
        yield Outline(
            NAME,
            (
                Section("", tuple(report.summarize())),
                Section("Failed", tuple(report.list_failed(max(most // 3, 2))), noun="requests"),
                Section("Slowest", tuple(report.list_largest(_get_milliseconds, few)), noun="requests"),
                Section("Largest answers", tuple(report.list_largest(_get_size, few)), noun="requests"),
                Section("Hosts", tuple(report.list_hosts(few * 2)), noun="hosts"),
                Section("Where", tuple(report.list_runs(max(most // 3, 2))), noun="requests"),
            ),
            path=f".log.entries[{report.requests[0].number}]",
        )
        if most <= 2:
            return
        most = most * 4 // 5
