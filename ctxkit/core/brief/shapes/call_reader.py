"""A reader of call traces, as strace and ltrace print them: calls, results, failures, processes."""

import re
from collections.abc import Iterable, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field

MAX_KEPT = 400
"""Maximum number of lines that are kept of exits, executions, signals, connections and error output."""
MAX_FAILURES = 5_000
"""Maximum number of distinct failures by call, error and path."""
WIDEST = 2_000
"""Maximum number of characters of a line that are read."""
LINE = compile_lazily(
    r"(?:\[pid +(\d+)\] +|(\d+) +(?=\S))?"
    r"(?:(?:\d\d:\d\d:\d\d(?:\.\d+)?|\d{9,11}\.\d+|\d{1,6}\.\d{6}) +(?:\(\+ *[\d.]+\) +)?)?"
    r"(?:([\w.]+(?:@\w+)?(?:->[\w.@]+)?)\(|(<\.\.\. )(\w+) resumed>|(---|\+\+\+) | <unfinished \.\.\.>)"
)
"""Pattern of the beginning of a line: a process, a time, and a call, the rest of a call, a signal or an exit."""
RESULT = compile_lazily(r"\) += +(-?\w[^<]{0,400}|\?[^<]{0,100})(?:<(?:\d+\.\d+|[^<>]{1,200}>.{0,40})>?)?$")
ERROR = compile_lazily(r"-1 (E[A-Z0-9]+)\b")
PATH = compile_lazily(r'"((?:[^"\\]|\\.){1,300})"')
SECONDS = compile_lazily(r"<(\d+\.\d+)>$")
ERROR_OUTPUT = compile_lazily(r'write(?:v)?\(2(?:<[^>]{0,200}>)?, (?!"[^"]{0,2}", )')
"""Pattern of a call that writes more than two characters to standard error."""
CONNECTIONS = frozenset(("connect", "bind", "listen", "accept", "accept4"))


@dataclass(slots=True)
class Failure:
    """Count the calls that failed with an error, and hold the first and last line and the paths with their lines."""

    call: str
    error: str
    count: int = 0
    first: int = 0
    last: int = 0
    lines: list[int] = field(default_factory=list)
    paths: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, path: str) -> None:
        """Count a failing call."""
        self.count += 1
        self.first = self.first or line
        self.last = line
        if len(self.lines) < 3:
            self.lines.append(line)
        if path and (path in self.paths or len(self.paths) < MAX_FAILURES):
            places = self.paths.setdefault(path, [])
            if len(places) < 3:
                places.append(line)


@dataclass(slots=True)
class CallCount:
    """Count the calls of a name, their failures and their seconds."""

    count: int = 0
    failures: int = 0
    seconds: float = 0.0


class CallReader:
    """Read the lines of a call trace once."""

    def __init__(self) -> None:
        self.calls: dict[str, CallCount] = {}
        self.failures: dict[tuple[str, str], Failure] = {}
        self.processes: dict[str, list[int]] = {}
        self.exits: list[int] = []
        self.executions: list[int] = []
        self.signals: list[int] = []
        self.connections: list[int] = []
        self.outputs: list[int] = []
        self.slowest: list[tuple[float, int]] = []
        self.total = 0
        self.other_count = 0
        self.others: list[int] = []
        self._pending: dict[str, str] = {}

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        """Read numbered lines."""
        for number, line in lines:
            match = LINE.match(line[:WIDEST])
            if match:
                self._add_line(match, line[:WIDEST].rstrip(), number)
            elif line.strip():
                self.other_count += 1
                _keep(self.others, number)

    def _add_line(self, match: re.Match[str], line: str, number: int) -> None:
        process = match[1] or match[2] or ""
        places = self.processes.get(process)
        if places is None and len(self.processes) < MAX_FAILURES:
            self.processes[process] = [number, number, 1]
        elif places:
            places[1] = number
            places[2] += 1
        if match[6]:
            _keep(self.signals if match[6] == "---" else self.exits, number)
        elif match[3] and line.endswith("<unfinished ...>"):
            self._pending[process] = line
        elif match[3] or match[5]:
            self._add_call(match[3] or match[5], process, line, number, resumed=bool(match[4]))

    def _add_call(self, call: str, process: str, line: str, number: int, *, resumed: bool) -> None:
        """Count a call that has returned, with the beginning of its line if that stands further up."""
        whole = f"{self._pending.pop(process, '')} {line}" if resumed else line
        self.total += 1
        counted = self.calls.setdefault(call, CallCount()) if len(self.calls) < MAX_FAILURES else CallCount()
        counted.count += 1
        seconds = SECONDS.search(line)
        if seconds:
            counted.seconds += float(seconds[1])
            self._keep_slow(float(seconds[1]), number)
        result = RESULT.search(line[-600:])
        error = ERROR.match(result[1]) if result else None
        if error:
            counted.failures += 1
            path = PATH.search(whole)
            key = (call, error[1])
            if key in self.failures or len(self.failures) < MAX_FAILURES:
                self.failures.setdefault(key, Failure(*key)).add(number, path[1] if path else "")
        elif call in ("execve", "execveat"):
            _keep(self.executions, number)
        if call in CONNECTIONS:
            _keep(self.connections, number)
        if ERROR_OUTPUT.search(whole[:200]):
            _keep(self.outputs, number)

    def _keep_slow(self, seconds: float, number: int) -> None:
        self.slowest.append((seconds, number))
        if len(self.slowest) > MAX_KEPT:
            self.slowest = sorted(self.slowest, reverse=True)[:20]


def _keep(places: list[int], number: int) -> None:
    if len(places) < MAX_KEPT:
        places.append(number)


def count_calls(lines: Sequence[str]) -> int:
    """Return the number of lines that belong to a call trace."""
    return sum(LINE.match(line[:WIDEST]) is not None for line in lines)


def find_call(line: str) -> int:
    """Return the place in a line at which the call begins, after the process and the time."""
    match = LINE.match(line[:WIDEST])
    if match is None:
        return 0
    return max(match.start(3), match.start(4), match.start(6), 0)
