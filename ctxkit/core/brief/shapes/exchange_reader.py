"""A reader of HTTP exchanges, as curl -v, wget -d and HTTPie print them: requests with their responses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WIDEST = 1_000
MAX_EXCHANGES, MAX_TROUBLES = 20_000, 200
METHODS = "GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND|REPORT"
REQUEST = re.compile(rf"(?:[>*] )?(?P<method>{METHODS}) (?P<target>\S{{1,800}})(?: HTTP/\d(?:\.\d)?)?\s*$")
STATUS = re.compile(r"(?:[<*] )?HTTP/\d(?:\.\d)? (?P<status>\d{3})(?: (?P<reason>[^\n]{0,80}))?$")
HEADER = re.compile(r"(?:[<>*] |[{}] \[)|(?:[<>]$)|[A-Za-z][\w-]{1,60}: ")
"""Pattern of a header, or of a line that curl -v marks."""
TROUBLE = re.compile(
    r".{0,250}(?:[Cc]onnection refused|timed out|[Cc]ould not resolve|[Cc]ouldn't connect|Connection reset"
    r"|unable to resolve|certificate (?:problem|has expired)|SSL_ERROR|Failed to connect|SSL routines)"
    r"|curl: \(\d+\) |http: .{0,20}ERROR: |.{0,30} ERROR \d{3}: "
)
"""Pattern of a line that tells why there is no answer."""


MARK = re.compile(r"[<>*] |[<>]$|[{}] \[\d+ bytes data\]|  % Total |curl: ")
"""Pattern of a line that curl itself prints with -v."""


@dataclass(slots=True)
class Exchange:
    """Hold a request and its response: their lines, the status, and the reason."""

    method: str
    target: str
    start: int
    end: int = 0
    status: str = ""
    reason: str = ""
    status_line: int = 0


@dataclass(slots=True)
class ExchangeReader:
    """Read the lines of a trace once."""

    exchanges: list[Exchange] = field(default_factory=list)
    troubles: list[tuple[int, str]] = field(default_factory=list)
    headers: int = 0
    lines: int = 0
    count: int = 0

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> "ExchangeReader":
        """Read numbered lines."""
        number = 0
        for number, line in lines:
            self._add_line(number, line[:WIDEST].rstrip())
        if self.exchanges and not self.exchanges[-1].end:
            self.exchanges[-1].end = number
        return self

    def _add_line(self, number: int, line: str) -> None:
        self.lines += line != ""
        request = REQUEST.match(line)
        if request:
            self._begin(number, request["method"], request["target"])
            return
        status = STATUS.match(line)
        if status and self.exchanges and not self.exchanges[-1].status:
            last = self.exchanges[-1]
            last.status, last.reason, last.status_line = status["status"], (status["reason"] or "").strip(), number
        elif TROUBLE.match(line) and len(self.troubles) < MAX_TROUBLES:
            self.troubles.append((number, line))
        self.headers += HEADER.match(line) is not None or status is not None

    def _begin(self, number: int, method: str, target: str) -> None:
        self.count += 1
        self.headers += 1
        if self.exchanges and not self.exchanges[-1].end:
            self.exchanges[-1].end = number - 1
        if len(self.exchanges) < MAX_EXCHANGES:
            self.exchanges.append(Exchange(method, target, number))

    @property
    def answer_count(self) -> int:
        """Return the number of exchanges with a status."""
        return sum(exchange.status != "" for exchange in self.exchanges)


def find_body(rows: Sequence[str], least: int) -> int:
    """Return the line where the body of the only answer that curl -v prints begins, or 0.

    At least ``least`` lines of curl itself precede it.
    """
    marks, has_status = 0, False
    for number, row in enumerate(rows, 1):
        text = row[:WIDEST].rstrip()
        if MARK.match(text):
            marks += 1
            has_status = has_status or (text.startswith("< ") and STATUS.match(text) is not None)
        elif not marks:
            return 0
        elif text:
            is_body = has_status and marks >= least
            more = any(row.startswith("< ") and STATUS.match(row.rstrip()) for row in rows[number:])
            return number if is_body and not more else 0
    return 0
