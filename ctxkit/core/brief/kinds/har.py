"""HTTP archives (HAR): requests by host, method and status; those that failed, the slowest, the largest."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.measure import plural, size_of
from ctxkit.core.positions import Member, Places, blank

NAME = "har"
TYPES: Sequence[str] = ()
LARGEST = 24 << 20
"""Bytes up to which an archive is read."""
BEGINS = re.compile(r'\ufeff?\s*\{\s*"log"\s*:\s*\{\s*"(?:version|creator|entries|pages|browser|comment)"')
LONG_LINES = 2_000
"""Bytes of a line, on average, from which on bytes say more than lines."""


@dataclass(slots=True)
class Request:
    """Hold one request: its number in the archive, what was asked, how it was answered."""

    number: int
    place: Member
    method: str
    url: str
    status: int
    took: float
    size: int
    kind: str
    error: str

    @property
    def host(self) -> str:
        """Return the host that was asked."""
        return self.url.partition("://")[2].partition("/")[0] or "(no host)"

    @property
    def failed(self) -> bool:
        """Tell whether no answer came, or one that is an error."""
        return self.status >= 400 or self.status <= 0 or bool(self.error)

    def line(self) -> str:
        """Return the request on one line."""
        answer = str(self.status) if self.status > 0 else "no answer"
        error = f" ({self.error[:80]})" if self.error else ""
        url = self.url if len(self.url) <= 120 else f"{self.url[:120]}[+{len(self.url) - 120} chars]"
        took = f", {self.took:,.0f} ms" if self.took >= 0 else ""
        return f".log.entries[{self.number}]: {self.method} {url} -> {answer}{error}{took}, {size_of(self.size)}"


def sniff(document: Document) -> float:
    """Claim JSON that begins as an archive does."""
    if not BEGINS.match(document.head[:4_000]) or '"entries"' not in document.head:
        return 0.0
    return 0.97 if document.suffix == "har" or '"request"' in document.head else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return counts and the requests worth a look; None where there is no request to be read."""
    if document.lines.size > LARGEST:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = Places(text)
    found = list(_requests(places))
    if not found:
        return None
    by_bytes = document.lines.size > LONG_LINES * max(document.lines.total, 1)
    return list(_outlines(_Report(places, found, by_bytes), document))


def _requests(places: Places) -> Iterator[Request]:
    root = Member(None, blank(places.text, 0), blank(places.text, 1 if places.text.startswith("\ufeff") else 0), 0)
    entries = places.find(root, ("log", "entries"))
    for number, place in enumerate(places.below(entries) if entries else ()):
        value = places.value(place)
        if isinstance(value, dict) and isinstance(value.get("request"), dict):
            yield _request(number, place, value)


def _request(number: int, place: Member, value: dict[str, Any]) -> Request:
    asked = value["request"]
    answer = _object(value, "response")
    content = _object(answer, "content")
    size = max(int(_number(content.get("size"))), int(_number(answer.get("bodySize"))), 0)
    return Request(
        number,
        place,
        method=str(asked.get("method", "?"))[:20],
        url=str(asked.get("url", "")),
        status=int(_number(answer.get("status"))),
        took=_number(value.get("time"), -1),
        size=size,
        kind=str(content.get("mimeType", "")).partition(";")[0][:60],
        error=str(answer.get("_error") or "")[:200],
    )


def _object(value: dict[str, Any], key: str) -> dict[str, Any]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _number(value: Any, missing: float = 0) -> float:
    usual = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    return value if usual and value == value else missing


class _Report:
    """Say what the requests come to, each with where it stands."""

    def __init__(self, places: Places, found: Sequence[Request], by_bytes: bool) -> None:
        self.places = places
        self.found = found
        self.by_bytes = by_bytes

    def entry(self, one: Request, rank: int) -> Entry:
        """Return an entry about one request."""
        return self.reach(one, one, one.line(), rank)

    def reach(self, first: Request, last: Request, text: str, rank: int) -> Entry:
        """Return an entry about all requests from one to another."""
        start, end = first.place.start, last.place.end
        if self.by_bytes:
            return Entry(text, self.places.byte(start) + 1, self.places.byte(end), rank, octets=True)
        return Entry(text, self.places.line(start), self.places.line(end - 1), rank)

    def summary(self) -> Iterator[Entry]:
        """Yield counts: in all, by method, status and type."""
        size = sum(one.size for one in self.found)
        took = sum(max(one.took, 0) for one in self.found)
        bad = sum(one.failed for one in self.found)
        said = f"{plural(len(self.found), 'request')}, {bad:,} failed; {size_of(size)} answered"
        yield Entry(f"{said}; {took / 1000:,.1f} s in sum")
        for noun, key in (("methods", _method), ("statuses", _status), ("types", _kind)):
            counts = Counter(key(one) for one in self.found).most_common(12)
            yield Entry(f"{noun}: " + ", ".join(f"{name} ×{count:,}" for name, count in counts), rank=1)

    def hosts(self, most: int) -> Iterator[Entry]:
        """Yield each host with its requests, the busiest first."""
        hosts: dict[str, list[Request]] = defaultdict(list)
        for one in self.found:
            hosts[one.host].append(one)
        ranked = sorted(hosts.items(), key=lambda item: -len(item[1]))
        for host, ones in ranked[:most]:
            bad = sum(one.failed for one in ones)
            said = f"{host}: {plural(len(ones), 'request')}, {size_of(sum(one.size for one in ones))}"
            yield Entry(
                said + (f", {bad:,} failed" if bad else "") + f"; first .log.entries[{ones[0].number}]", rank=20
            )
        if len(ranked) > most:
            yield Entry(f"{len(ranked) - most:,} more hosts", rank=20)

    def bad(self, most: int) -> Iterator[Entry]:
        """Yield requests that failed, and how many more."""
        failed = [one for one in self.found if one.failed]
        yield from (self.entry(one, 10) for one in failed[:most])
        if len(failed) > most:
            numbers = ", ".join(str(one.number) for one in failed[most : most + 40])
            yield Entry(f"{len(failed) - most:,} more failed: entries {numbers}", rank=10)

    def top(self, key: Callable[[Request], float], most: int) -> Iterator[Entry]:
        """Yield the requests of which something is largest."""
        ranked = sorted(self.found, key=lambda one: -key(one))[:most]
        yield from (self.entry(one, 15) for one in ranked if key(one) > 0)

    def runs(self, most: int) -> Iterator[Entry]:
        """Yield where the requests stand, in runs of as many as it takes."""
        size = -(-len(self.found) // max(most, 1))
        for at in range(0, len(self.found), size):
            run = self.found[at : at + size]
            if len(run) == 1:
                yield self.entry(run[0], 30)
            else:
                text = f".log.entries[{run[0].number}] to [{run[-1].number}]"
                yield self.reach(run[0], run[-1], text, 30)


def _method(one: Request) -> str:
    return one.method


def _status(one: Request) -> str:
    return str(one.status) if one.status > 0 else "none"


def _kind(one: Request) -> str:
    return one.kind or "none"


def _took(one: Request) -> float:
    return one.took


def _size(one: Request) -> float:
    return one.size


def _outlines(report: _Report, document: Document) -> Iterator[Outline]:
    most = min(max(document.target // 30, 2), len(report.found) + 40)
    while True:
        few = max(most // 6, 1)
        yield Outline(
            NAME,
            (
                Section("", tuple(report.summary())),
                Section("Failed", tuple(report.bad(max(most // 3, 2))), noun="requests"),
                Section("Slowest", tuple(report.top(_took, few)), noun="requests"),
                Section("Largest answers", tuple(report.top(_size, few)), noun="requests"),
                Section("Hosts", tuple(report.hosts(few * 2)), noun="hosts"),
                Section("Where", tuple(report.runs(max(most // 3, 2))), noun="requests"),
            ),
            path=f".log.entries[{report.found[0].number}]",
        )
        if most <= 2:
            return
        most = most * 4 // 5
