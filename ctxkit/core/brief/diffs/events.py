"""Events of a history: commits, reflog entries, and blamed lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from ctxkit.core.brief.grids.grid import RowIndex
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

GRAPH = r"(?:[|\\/_. -]*+\*[*|\\/_. -]* )?"
COMMIT = compile_lazily(rf"\n{GRAPH}commit ([0-9a-f]{{7,64}})\b[^\n]*")
NO_SUBJECT = r"(?!(?:commit|tag|tree|blob)(?:\t| \d+$)|refs/)"
"""Pattern of what does not follow an id before the type or the name of an object, as in for-each-ref and show-ref."""
SHORT = compile_lazily(
    rf"\n{GRAPH}(?:\x1b\[[\d;]*m)*([0-9a-f]{{7,40}})(?:\x1b\[[\d;]*m)* {NO_SUBJECT}([^\n]+)", re.MULTILINE
)
STAT = compile_lazily(
    r"[*|\\/_ ]* (?:\S.* \| +(?:\d+|Bin)\b.*|\d+ files? changed.*|(?:create|delete) mode .*|rename .*)|[*|\\/_. -]+"
)
"""Pattern of a line of a summary of changes, or of the drawing of a graph."""
_DRAWN = compile_lazily(r"[*|\\/_. -]*")
_MAX_BELOW = 200
"""Number of lines of a log that are searched for what stands below its commits."""
BLAME = compile_lazily(
    r"\n(\^?[0-9a-f]{7,40}) (?:\S+ +)?\((?:<?(.*?)(?<! )>? +)(\d{4}-\d\d-\d\d|\d{9,10})"
    r"(?: [\d:]+)? [-+]\d{4} +\d+\)[^\n]*"
)
AUTHOR = compile_lazily(r"\n[*|\\/_ ]*Author: +([^\n<]*)")
_DATE = compile_lazily(r"\n[*|\\/_ ]*(?:Author)?Date: +([^\n]*)")
_SUBJECT = compile_lazily(r"\n[*|\\/_ ]*? {4}(\S[^\n]*)")
_ENTRY = compile_lazily(r"(?:\([^)]*\) )?[\w./-]+@\{")
"""Pattern of the beginning of an entry of the reflog."""
_HEADER = 2_000
"""Number of characters after a commit line that are searched for author, date and subject."""
_MAX_AUTHORS = 5_000
"""Maximum number of distinct authors."""
_REFS = compile_lazily(r"\((?=HEAD\b|tag: |[\w./-]+[,)])([\w./>: ,+@-]{1,400})\)")
"""Pattern of the branches and tags of a commit, after its id."""
_MAX_REFS = 2_000
"""Maximum number of commits with branches and tags that are listed."""


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Hold one event of a history: its first line, its id, its date, its author, its subject, branches and tags."""

    line: int
    name: str
    date: str
    author: str
    subject: str
    refs: str = ""


class History:
    """Collect events in order: their places, the first and the last, the number per author, and branches and tags.

    ``end`` is the last line of the history, 0 for that of the text.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.count = 0
        self.end = 0
        self.row_index = RowIndex()
        self.authors: Counter[str] = Counter()
        self.refs: list[tuple[int, str]] = []
        self.first: HistoryEvent | None = None
        self.last: HistoryEvent | None = None

    def add_events(self, events: Sequence[HistoryEvent]) -> None:
        """Add more events."""
        if not events:
            return
        self.count += len(events)
        self.first, self.last = self.first or events[0], events[-1]
        self.refs += [(event.line, event.refs) for event in events if event.refs][: _MAX_REFS - len(self.refs)]
        rows = [(event.name, event.date, event.author, event.subject) for event in events]
        self.row_index.add_rows(rows, [event.line for event in events])
        for event in events:
            if event.author and (event.author in self.authors or len(self.authors) < _MAX_AUTHORS):
                self.authors[event.author] += 1


def read_history(lines: IndexedLines, form: str) -> History:
    """Return the history in lines of the form ``log``, ``short`` or ``blame``."""
    history = History("line" if form == "blame" else "commit")
    number, pending = 1, ""
    for block in lines.blocks():
        text = f"{pending}\n{block}" if pending else f"\n{block}"
        pending = ""
        if form == "log":
            cut = text.rfind("\ncommit ")
            if cut > 0 and len(text) - cut < _HEADER:
                text, pending = text[:cut], text[cut:]
        history.add_events(list(_parse_events(text, number, form)))
        number += text.count("\n")
    if pending:
        history.add_events(list(_parse_events(pending, number, form)))
    if form == "short" and history.first and _ENTRY.match(history.first.subject):
        history.noun = "entry"
    history.end = _find_end(history, lines, form)
    return history


def _find_end(history: History, lines: IndexedLines, form: str) -> int:
    """Return the last line of a history, before the output of the next command; 0 if its form does not tell."""
    first, last = history.first, history.last
    if form == "log" or first is None or last is None:
        return 0
    if form == "blame":
        return last.line
    rows = lines.enumerate_lines(first.line, min(last.line - 1, first.line + _MAX_BELOW))
    below = [text for _, text in rows if not SHORT.match(f"\n{text}")]
    # A summary of changes below the last commit alone is that of another command.
    is_drawn = all(map(_DRAWN.fullmatch, below)) and history.count > 1
    is_below = _DRAWN.fullmatch if is_drawn else STAT.fullmatch
    if not all(map(is_below, filter(None, below))):
        return 0
    after = lines.enumerate_lines(last.line + 1)
    return next((number - 1 for number, text in after if text and not is_below(text)), 0)


def _parse_events(text: str, number: int, form: str) -> Iterator[HistoryEvent]:
    """Yield the events of a text that begins with a newline before line ``number``."""
    position = 0
    matches = {"log": COMMIT, "short": SHORT, "blame": BLAME}[form].finditer(text)
    following = list(matches)
    for match, after in zip_longest(following, following[1:]):
        number += text.count("\n", position, match.start())
        position = match.start()
        if form == "short":
            yield HistoryEvent(number, match[1], "", "", match[2], _find_refs(match[2]))
        elif form == "blame":
            yield HistoryEvent(number, match[1], match[3], match[2], "")
        else:
            end = min(match.end() + _HEADER, after.start() if after else len(text))
            parts = (pattern.search(text, match.end(), end) for pattern in (_DATE, AUTHOR, _SUBJECT))
            date, author, subject = (part[1].strip() if part else "" for part in parts)
            refs = _find_refs(match[0][match.end(1) - match.start() + 1 :])
            yield HistoryEvent(number, match[1], date, author, subject, refs)


def _find_refs(text: str) -> str:
    """Return the branches and tags at the beginning of a text: ``HEAD -> main, tag: 1.0``."""
    refs = _REFS.match(strip_escapes(text))
    return refs[1] if refs else ""


_BLAME_HEADER = compile_lazily(r"([0-9a-f]{40,64}) \d+ \d+(?: (\d+))?$")
_FIELD = compile_lazily(r"(author|author-time|summary|filename) (.*)")
_LEADING_COMMITS = 10
"""Number of commits that rank before the lines."""
COMMIT_COUNTS = (60, 24, _LEADING_COMMITS)
"""Numbers of listed commits, for outlines of decreasing detail; commits with the most lines come first."""
_MAX_COMMITS = 20_000
"""Maximum number of distinct commits."""
_SUMMARY_WIDTH = 80
"""Maximum number of characters of a summary."""


@dataclass(slots=True)
class Origin:
    """Hold a commit that lines come from: the line that describes it, its fields, and its number of lines."""

    line: int
    name: str
    author: str = ""
    day: str = ""
    summary: str = ""
    lines: int = 0


def is_porcelain(text: str) -> bool:
    """Return whether text begins with a commit line and a field, as porcelain output does."""
    first, _, rest = text.partition("\n")
    return _BLAME_HEADER.match(first) is not None and rest.startswith(("author ", "\t", "previous ", "filename "))


def read_blame(lines: IndexedLines) -> tuple[History, list[Origin]]:
    """Return the lines of the file as a history, and their commits in the order of the text."""
    history = History("line")
    origins: dict[str, Origin] = {}
    here: Origin | None = None
    start = 0
    for number, text in lines.enumerate_lines():
        if text.startswith("\t"):
            if here is not None:
                here.lines += 1
                history.add_events([HistoryEvent(start, here.name[:10], here.day, here.author, "")])
            here = None
        elif here is None and (match := _BLAME_HEADER.match(text)):
            known = origins.get(match[1])
            here, start = known or Origin(number, match[1]), number
            if known is None and len(origins) < _MAX_COMMITS:
                origins[match[1]] = here
        elif here is not None and (field_match := _FIELD.match(text)):
            _set_field(here, field_match[1], field_match[2])
    return history, list(origins.values())


def _set_field(origin: Origin, word: str, value: str) -> None:
    if word == "author":
        origin.author = value
    elif word == "summary":
        origin.summary = value
    elif word == "author-time" and value.isdecimal():
        origin.day = datetime.fromtimestamp(min(int(value), 1 << 36), UTC).strftime("%Y-%m-%d")


def list_commits(origins: list[Origin], most: int) -> Section:
    """Return a section of the ``most`` commits with the most lines, each at the line that describes it."""
    ranked = sorted(origins, key=lambda origin: -origin.lines)
    entries = tuple(_make_commit_entries(ranked[:most]))
    more = len(ranked) - len(entries)
    rest = (Entry(f"{pluralize(more, 'further commit')}, of fewer lines", rank=6),) if more else ()
    return Section("Commits by lines (where each is told of)", entries + rest, noun="commits")


def _make_commit_entries(origins: list[Origin]) -> Iterator[Entry]:
    for place, origin in enumerate(origins):
        summary = clean_line(origin.summary, _SUMMARY_WIDTH)
        label = f"{origin.name[:10]} {origin.day} {origin.author}, {pluralize(origin.lines, 'line')}: {summary}"
        yield Entry(label, origin.line, origin.line, 4 if place < _LEADING_COMMITS else 7)
