"""Call traces, as strace and ltrace print them: failures by call and path, processes, calls by count."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field, replace
from ctxkit.core.text.quantity import pluralize

_MAX_KEPT = 400
"""Maximum number of lines that are kept of exits, executions, signals, connections and error output."""
_MAX_FAILURES = 5_000
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
_ERROR_OUTPUT = compile_lazily(r'write(?:v)?\(2(?:<[^>]{0,200}>)?, (?!"[^"]{0,2}", )')
"""Pattern of a call that writes more than two characters to standard error."""
_CONNECTIONS = frozenset(("connect", "bind", "listen", "accept", "accept4"))


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
        if path and (path in self.paths or len(self.paths) < _MAX_FAILURES):
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
        self._extend_process(process, number)
        call = match[3] or match[5]
        if match[6]:
            _keep(self.signals if match[6] == "---" else self.exits, number)
        elif match[3] and line.endswith("<unfinished ...>"):
            self._pending[process] = line
        elif call:
            self._add_call(call, process, line, number, resumed=bool(match[4]))

    def _extend_process(self, process: str, number: int) -> None:
        """Count a line of a process, with its first and last line."""
        places = self.processes.get(process)
        if places:
            places[1] = number
            places[2] += 1
        elif len(self.processes) < _MAX_FAILURES:
            self.processes[process] = [number, number, 1]

    def _add_call(self, call: str, process: str, line: str, number: int, *, resumed: bool) -> None:
        """Count a call that has returned, with the beginning of its line if that stands further up."""
        whole = f"{self._pending.pop(process, '')} {line}" if resumed else line
        self.total += 1
        counted = self.calls.setdefault(call, CallCount()) if len(self.calls) < _MAX_FAILURES else CallCount()
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
            if key in self.failures or len(self.failures) < _MAX_FAILURES:
                self.failures.setdefault(key, Failure(*key)).add(number, path[1] if path else "")
        elif call in ("execve", "execveat"):
            _keep(self.executions, number)
        if call in _CONNECTIONS:
            _keep(self.connections, number)
        if _ERROR_OUTPUT.search(whole[:200]):
            _keep(self.outputs, number)

    def _keep_slow(self, seconds: float, number: int) -> None:
        self.slowest.append((seconds, number))
        if len(self.slowest) > _MAX_KEPT:
            self.slowest = sorted(self.slowest, reverse=True)[:20]


NAME = "trace"
TYPES: Sequence[str] = ("strace", "ltrace")
CLUES = Clues((") = ", ")  "))
LEAST, SHARE = 8, 0.9
"""Minimum number of lines of calls, and their minimum share."""
RETURN = compile_lazily(r"\) += +(?:-?\d|\?|0x|NULL|<void>|nil)")
USUAL = frozenset(("ENOENT", "ENOTTY", "EAGAIN", "ENXIO", "EINTR", "ECHILD", "ENODATA", "EINPROGRESS", "ENOTDIR"))
"""Errors that most programs meet when all is well."""
_RARE = 3
"""Maximum number of failures of one kind that are quoted."""
WIDTH = 170
CALLS = (0, 8, 40)
"""Places in the list of calls at which a further entry begins."""
_MAX_PATHS, _MAX_QUOTES, END, _SLOW = 12, 12, 6, 4
_CALLS_BEFORE, _SEARCHED_BEFORE = 3, 60
"""Number of calls of a process before its last error output that are quoted, and of lines searched for them."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are calls with their results."""
    rows = [row for row in document.head_lines if row.strip()]
    calls = count_calls(rows)
    returns = count_matching(RETURN.search, rows)
    return 0.97 if calls >= max(LEAST, SHARE * len(rows)) and returns > 0.5 * len(rows) else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the processes, the failures and the calls, or None if too many lines are no calls."""
    reader = CallReader()
    reader.add_lines(document.lines.enumerate_lines())
    if not reader.total or reader.other_count * 5 > document.lines.total:
        return None
    sections = (
        Section("", tuple(_summarize(reader, document))),
        Section("Error output and exits", tuple(_list_outputs(reader, document)), noun="outputs"),
        Section("Failures, rare ones first", tuple(_list_failures(reader, document)), noun="failures"),
        Section("Programs and connections", tuple(_list_programs(reader, document)), noun="calls"),
        Section("Calls", tuple(_list_calls(reader)), noun="lines of calls"),
        Section("Processes", tuple(_list_processes(reader)), noun="processes"),
        Section("Slowest calls", tuple(_list_slow(reader, document)), noun="calls"),
        Section("the end", tuple(_quote_end(document)), noun="lines", bare=True, covered=True),
    )
    return [Outline(NAME, sections)]


def _summarize(reader: CallReader, document: InputDocument) -> Iterator[Entry]:
    failures = sum(failure.count for failure in reader.failures.values())
    parts = [pluralize(reader.total, "call"), f"{failures:,} failed"]
    numbers = sum(process != "" for process in reader.processes)
    parts += [f"{pluralize(numbers, 'process number')}"] if numbers else []
    yield Entry(", ".join(parts), 1, document.lines.total)
    if reader.other_count:
        places = [quote(line, document.lines.at(line), rank=8, width=WIDTH) for line in reader.others[:4]]
        yield Entry(f"{pluralize(reader.other_count, 'line')} of other text", rank=8, children=tuple(places))


def _list_processes(reader: CallReader) -> Iterator[Entry]:
    """Yield the processes with their first and last line, if there are several."""
    many = sorted(reader.processes.items(), key=lambda item: item[1][0])
    for process, (first, last, count) in many if len(many) > 1 else ():
        name = process or "without a number"
        yield Entry(f"{name}: {pluralize(count, 'line')}", first, last, 7)


def _list_outputs(reader: CallReader, document: InputDocument) -> Iterator[Entry]:
    """Yield the exits with a status, the signals other than those of children, and what went to standard error.

    If a process has failed, its last calls before that precede.
    """
    bad = [line for line in reader.exits if not document.lines.at(line).rstrip().endswith("exited with 0 +++")]
    signals = [line for line in reader.signals if "SIGCHLD" not in document.lines.at(line)]
    outputs = reader.outputs[-_MAX_QUOTES:]
    ranks = {line: 1 + (len(outputs) - place) // 3 for place, line in enumerate(outputs)}
    ranks |= dict.fromkeys(_find_calls_before(outputs, bad, document), 1)
    ranks |= dict.fromkeys(bad[-4:], 3) | dict.fromkeys(signals[:4], 2) | dict.fromkeys(reader.exits[-1:], 1)
    for line in sorted(ranks):
        yield _quote_call(line, document, ranks[line])


def _find_calls_before(outputs: Sequence[int], bad: Sequence[int], document: InputDocument) -> Iterator[int]:
    """Yield the last calls of a process before it reported an error, or ended with one: what made it stop is there."""
    if not bad:
        return
    start = outputs[-1] if outputs else bad[-1]
    for line in reversed(outputs[:-1]):
        if start - line > _CALLS_BEFORE:
            break
        start = line
    process, left = _read_process(start, document), _CALLS_BEFORE
    for line in range(start - 1, max(start - _SEARCHED_BEFORE, 1) - 1, -1):
        if left and _read_process(line, document) == process:
            left -= 1
            yield line


def _read_process(line: int, document: InputDocument) -> str:
    match = LINE.match(document.lines.at(line))
    return (match[1] or match[2] or "") if match else "none"


def _quote_call(line: int, document: InputDocument, rank: int) -> Entry:
    """Return an entry that quotes a line from its call on."""
    text = document.lines.at(line)
    return quote(line, text[find_call(text) :], rank=rank, width=WIDTH)


def _list_failures(reader: CallReader, document: InputDocument) -> Iterator[Entry]:
    """Yield the failures by call and error, those that are rare or unusual first."""
    ordered = sorted(reader.failures.values(), key=_rate_failure)
    for place, failure in enumerate(ordered):
        rank = 2 + place // 6
        quotes = failure.lines if failure.count <= _RARE else failure.lines[:1]
        below = [_quote_call(line, document, rank) for line in quotes]
        if failure.count == 1:
            yield replace(below[0], rank=min(rank, 3))
            continue
        if failure.count > _RARE and failure.paths:
            below = list(_list_paths(failure, min(rank, 3)))
        label = f"{failure.call} {failure.error}: {failure.count:,}"
        yield Entry(label, failure.first, failure.last, min(rank, 3), children=tuple(below))


def _rate_failure(failure: Failure) -> tuple[bool, bool, bool, int]:
    """Return how late a failure is listed: unusual errors and connections first, then rare and late ones."""
    often = failure.count > _RARE
    return (failure.error in USUAL, failure.call not in _CONNECTIONS, often, failure.count if often else -failure.last)


def _list_paths(failure: Failure, rank: int) -> Iterator[Entry]:
    """Yield the paths in directories where little failed, each with its line, and the other directories with counts."""
    folders = Counter(path.rpartition("/")[0] for path in failure.paths)
    lonely = [path for path in failure.paths if folders[path.rpartition("/")[0]] == 1]
    first = _MAX_PATHS // 3
    shown = lonely if len(lonely) <= _MAX_PATHS else [*lonely[:first], *lonely[first - _MAX_PATHS :]]
    if shown:
        names = "; ".join(f"{path[:100]} ({failure.paths[path][0]})" for path in shown)
        more = f"; +{len(lonely) - len(shown)}" if len(lonely) > len(shown) else ""
        yield Entry(f"alone in their directory: {names}{more}", rank=rank)
    many = [(folder, count) for folder, count in folders.most_common(6) if count > 1]
    if many:
        names = ", ".join(f"{folder or '/'} {count:,}" for folder, count in many)
        yield Entry(f"most paths: {names}", rank=rank + 3)


def _list_programs(reader: CallReader, document: InputDocument) -> Iterator[Entry]:
    """Yield the programs that were started, and the connections."""
    for line in sorted({*reader.executions[:_MAX_QUOTES], *reader.connections[:_MAX_QUOTES]}):
        yield _quote_call(line, document, 4)


def _list_calls(reader: CallReader) -> Iterator[Entry]:
    """Yield entries with the calls by count, with their failures and their time."""
    ordered = sorted(reader.calls.items(), key=lambda item: -item[1].count)
    for place, (start, end) in enumerate(pairwise((*CALLS, len(ordered)))):
        parts = [_describe_call(name, call) for name, call in ordered[start:end]]
        if parts:
            yield Entry(", ".join(parts), rank=(2, 4, 8)[place])


def _describe_call(name: str, call: CallCount) -> str:
    notes = [f"{call.failures:,} failed"] if call.failures else []
    notes += [f"{call.seconds:.3f} s"] if call.seconds >= 0.0005 else []
    return f"{name} {call.count:,}" + (f" ({', '.join(notes)})" if notes else "")


def _list_slow(reader: CallReader, document: InputDocument) -> Iterator[Entry]:
    for _, line in sorted(reader.slowest, reverse=True)[:_SLOW]:
        yield _quote_call(line, document, 5)


def _quote_end(document: InputDocument) -> Iterator[Entry]:
    total = document.lines.total
    for number, text in document.lines.enumerate_lines(max(total - END + 1, 1)):
        yield Entry(clean_line(text, WIDTH), number, number, 3 + (total - number), verbatim=True)


def _keep(places: list[int], number: int) -> None:
    if len(places) < _MAX_KEPT:
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
