"""Failed tests: name, lines, message and place, read from their blocks in a log."""

import re
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.pytest_markers import strip_decorations
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field, replace
from ctxkit.core.text.lines import IndexedLines

MAX_READ_LINES = 2_000
"""Maximum number of lines read of a block, counted back from captured output; the message is there."""
_MAX_DETAIL_LINES = 60
"""Maximum number of lines of a block that are quoted."""
FIRST, VARIANT, FRAME, NEAR, SAME, FAR, REST = range(2, 9)
"""Ranks of messages, messages that differ only in numbers, places, explanations, and other lines."""
_MAX_EXPLANATION_LINES = 6
"""Maximum number of lines that explain a message and rank before the rest of it."""
LONG_BLOCK = 120
"""Number of lines of a block above which the outline also gives the part with the message."""
FRAME_LINE = compile_lazily(r"[\s\u2500-\u257f]*|(?:_ ){5,}_?\s*")
"""Pattern of a blank line, of the upper or lower line of a frame around a message, or of a rule between frames."""
NUMBERS = compile_lazily(r"0x[0-9a-f]+|\d+")
NumberedLine = tuple[int, str]


@dataclass(frozen=True, slots=True)
class FailureDetail:
    """Hold another line about a failure; details enter by rank, then by step, failure by failure."""

    rank: int
    step: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class FailurePart:
    """Hold lines ``start`` to ``end`` of a block, such as captured output."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FailureReading:
    """Hold the functions that read the blocks of one runner.

    ``find_message`` returns the lines of the message, the most important first. ``find_path`` returns the path on a
    line with a place, or an empty string. ``match_foreign`` matches paths outside the project. ``match_key_line``
    matches the main line of a long message. Faulty lines of source begin with ``source_mark``.
    """

    find_message: Callable[[Sequence[NumberedLine]], list[NumberedLine]]
    find_path: Callable[[str], str]
    match_foreign: Callable[[str], object]
    match_key_line: Callable[[str], object] = str.isspace
    source_mark: str = ">"


@dataclass(slots=True)
class FailedTest:
    """Hold one failing test: its full ``name``, its ``short_name`` below its ``group`` (a file, a class), and its
    lines.

    ``message`` is the line number of the message, or 0. ``similar_line`` is the message line of an earlier failure that
    differs only in numbers; ``is_identical`` means that it does not differ at all. ``repeat_lines`` are the first lines
    of further blocks of the same test. ``is_error`` marks a failure outside a test. ``path`` is the outermost file of
    the project on the way to the failure, "" if the block names none.
    """

    name: str
    start: int
    end: int
    group: str = ""
    short_name: str = ""
    is_error: bool = False
    message: int = 0
    path: str = ""
    similar_line: int = 0
    is_identical: bool = False
    repeat_lines: list[int] = field(default_factory=list)
    details: list[FailureDetail] = field(default_factory=list)


class FailureReader:
    """Read the blocks of failures in order, and remember their messages."""

    def __init__(self, lines: IndexedLines, reading: FailureReading) -> None:
        self._lines = lines
        self._reading = reading
        self._seen: dict[str, tuple[str, int]] = {}
        self._explained: set[str] = set()

    def read(self, failure: FailedTest, parts: Sequence[FailurePart] = (), *, begin: int = 0) -> None:
        """Add the details of a block, from line ``begin`` (by default its second) to its parts or its end."""
        end = parts[0].start - 1 if parts else failure.end
        rows = self._lines.enumerate_lines(max(begin or failure.start + 1, end - MAX_READ_LINES + 1), end)
        body = [(number, strip_decorations(text)) for number, text in rows]
        self.read_body(failure, [row for row in body if not FRAME_LINE.fullmatch(row[1])], parts)

    def compare(self, failure: FailedTest, parts: Sequence[FailurePart] = ()) -> None:
        """Read only which earlier message a block repeats: a failure that is not listed is counted with that one."""
        self.read(failure, parts)
        failure.details.clear()

    def read_body(self, failure: FailedTest, body: Sequence[NumberedLine], parts: Sequence[FailurePart] = ()) -> None:
        """Add the details from the lines of a block; ``body`` must not have blank lines."""
        details = failure.details
        message = self._reading.find_message(body)
        if message:
            failure.message = message[0][0]
            keys = [row[1] for row in message[1:] if self._reading.match_key_line(row[1])]
            rank = self._rank_message(failure, "\n".join([message[0][1], *keys]))
            details.append(FailureDetail(rank, 0, quote_row(message[0])))
        taken = {number for number, _ in message}
        own = self._find_own_places(body, taken)
        if own:
            failure.path = self._reading.find_path(own[-1][1])
            details.append(FailureDetail(FRAME, 0, quote_row(own[-1])))
        near = self._find_explanation(body, message, own)
        near = self._drop_explained(failure, near)
        details += _quote_rows(NEAR, near)
        details += _quote_rows(FAR, [row for row in message[1:_MAX_DETAIL_LINES] if row not in near])
        details += [
            FailureDetail(SAME, step, Entry(part.title, part.start, part.end)) for step, part in enumerate(parts)
        ]
        taken.update(number for number, _ in [*near, *own[-1:]])
        rest = [row for row in body if row[0] not in taken and row[1] != "E"]
        details += _quote_rows(REST, rest[-_MAX_DETAIL_LINES:][::-1])

    def _drop_explained(self, failure: FailedTest, near: Sequence[NumberedLine]) -> list[NumberedLine]:
        """Return the lines that explain a failure, without those that an earlier one with its message quotes."""
        rows = [row for row in near if not (failure.is_identical and row[1] in self._explained)]
        self._explained.update(text for _, text in rows)
        return rows

    def _find_own_places(self, body: Sequence[NumberedLine], taken: set[int]) -> list[NumberedLine]:
        """Return the places on the way to the failure: those in the project's own code, or all if there are none."""
        place = self._reading.find_path
        places = [row for row in body if row[0] not in taken and place(row[1])]
        return [row for row in places if not self._reading.match_foreign(place(row[1]))] or places

    def _find_explanation(
        self, body: Sequence[NumberedLine], message: Sequence[NumberedLine], own: Sequence[NumberedLine]
    ) -> list[NumberedLine]:
        """Return the lines that explain a message best: the source line, the next message lines,
        and the first place.
        """
        taken = {number for number, _ in message}
        source = [row for row in body if row[1].lstrip().startswith(self._reading.source_mark) and row[0] not in taken][
            -1:
        ]
        points = [row for row in message[1:] if self._reading.match_key_line(row[1])]
        stated = [row for row in points if ": " in row[1]][:2]  # with a value, unlike the head of a comparison
        near = [*stated, *source, *message[1:3], *points, *own[:1]]
        return [row for row in dict.fromkeys(near) if row not in own[-1:] and row not in message[:1]][
            :_MAX_EXPLANATION_LINES
        ]

    def _rank_message(self, failure: FailedTest, text: str) -> int:
        """Return the rank of a message with its main lines; a message similar to an earlier one ranks lower."""
        masked = NUMBERS.sub("0", text.strip())
        if masked not in self._seen:
            self._seen[masked] = (text, failure.message)
            return FIRST
        first, failure.similar_line = self._seen[masked]
        failure.is_identical = text == first
        return SAME if failure.is_identical else VARIANT


def _quote_rows(rank: int, rows: Sequence[NumberedLine]) -> Iterator[FailureDetail]:
    """Yield the lines as details of a rank, in order."""
    for step, row in enumerate(rows):
        yield FailureDetail(rank, step, quote_row(row))


def quote_row(row: NumberedLine) -> Entry:
    """Return a quotation of a line, with its indentation."""
    number, text = row
    return Entry(text if len(text) <= 240 else clean_line(text, 240), number, number, verbatim=True)


def rank_entry(detail: FailureDetail) -> Entry:
    """Return the entry of a detail, with its rank."""
    return replace(detail.entry, rank=detail.rank)


def merge_repeated(failures: Sequence[FailedTest]) -> list[FailedTest]:
    """Return every failure once: of several blocks with one name, the longest, with the lines of the others."""
    kept: dict[tuple[str, str], FailedTest] = {}
    for failure in failures:
        key = failure.group, failure.name
        first = kept.get(key)
        if first is None:
            kept[key] = failure
        elif failure.end - failure.start > first.end - first.start:
            failure.repeat_lines = [*first.repeat_lines, first.start]
            kept[key] = failure
        else:
            first.repeat_lines.append(failure.start)
    return sorted(kept.values(), key=lambda failure: failure.start)


PANIC = re.compile(r"thread '(?:(?!thread ').)*' (?:\(\d+\) )?panicked at (.*)")
_BELOW_PANIC = ("note: ", "stack backtrace:", "thread '")


def take_until(pattern: str, skipped: str = r"(?!)") -> Callable[[Sequence[NumberedLine]], list[NumberedLine]]:
    """Return a function that returns the lines above the first that ``pattern`` matches, or else the first line.

    Lines that ``skipped`` matches as a whole are left out.
    """
    boundary = re.compile(pattern)
    left_out = re.compile(skipped)

    def find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
        """Return the lines of the message."""
        body = [row for row in body if not left_out.fullmatch(row[1])]
        cut = next((at for at, (_, text) in enumerate(body) if boundary.match(text)), len(body))
        return list(body[:cut] or body[:1])

    return find_message


def find_panic(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of a panic of Rust, or the error that the test returned."""
    at = next((at for at, (_, text) in enumerate(body) if PANIC.search(text)), -1)
    if at < 0:
        error_rows = [row for row in body if row[1].startswith("Error: ")]
        return error_rows or list(body[-1:])
    rows = list(body[at + 1 :])
    cut = next((n for n, (_, text) in enumerate(rows) if text.lstrip().startswith(_BELOW_PANIC)), len(rows))
    # Before Rust 1.73, the line of the panic contains the message.
    return [body[at], *rows[:cut]] if "panicked at '" in body[at][1] else rows[:cut] or [body[at]]


PYTHON = compile_lazily(r"\s+File \"([^\"]+)\", line \d+")
"""``  File "a.py", line 3, in test_a``."""
SCRIPT = compile_lazily(r"\s*(?:at |\u276f ).*?\(?(?<![^\s()])((?:file://)?[^\s()]+?):\d+:\d+\)?$")
"""`` at Object.<anonymous> (src/a.test.js:5:13)`` and vitest's `` ❯ src/a.test.ts:5:13``."""
RUST = compile_lazily(r"(?:(?=.*panicked at )(?>.*(?:panicked at |', ))|\s+at )([^\s':][^:]*\.rs):\d+(?::\d+)?:?$")
GO = compile_lazily(r"\s+([^\s:]+\.go):\d+(?:: | \+0x|:$|$)")
RUBY = compile_lazily(r"\s*# ([^\s:]+):\d+(?::in .*)?$")
PHP = compile_lazily(r"((?:/|[A-Z]:\\|phar://)?\S*\.php):\d+$")
COMPILED = compile_lazily(r"\s*([\w./\\-]+\.(?:c|cc|cpp|cxx|h|hpp|hh|rs|go|py|f90|java|cs|swift))[:(]\d+")
FOREIGN = compile_lazily(
    r"site-packages|dist-packages|lib/python\d|lib64/python\d|^<|[/\\]Lib[/\\]\w+\.py|node_modules|^node:|/rustc/|"
    r"\.cargo/registry|/go/src/(?:runtime|testing|reflect)/|/src/(?:testing|runtime|reflect)/|/gems/|/lib/ruby|/bin/rspec|"
    r"/vendor/|/usr/share/php|phar://"
)
"""Pattern of paths in libraries and runners, where stack traces often end although the fault is elsewhere."""


def match_path(pattern: "re.Pattern[str]", text: str) -> str:
    """Return the path on a line of a stack trace, or an empty string."""
    match = pattern.match(text)
    return next((group for group in match.groups() if group), "") if match else ""
