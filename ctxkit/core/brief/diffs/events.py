"""The events of a history, one line or more each: commits, moves of a branch, lines with who wrote them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.grids.grid import REACH, Landmarks, Stretch
from ctxkit.core.brief.outline import Entry, Outline, Section, quote, shown
from ctxkit.core.lines import Lines
from ctxkit.core.measure import plural

GRAPH = r"(?:[|\\/_. -]*+\*[*|\\/_. -]* )?"
COMMIT = re.compile(rf"\n{GRAPH}commit ([0-9a-f]{{7,64}})\b[^\n]*")
SHORT = re.compile(rf"\n{GRAPH}(?:\x1b\[[\d;]*m)*([0-9a-f]{{7,40}})(?:\x1b\[[\d;]*m)* ([^\n]+)")
BLAME = re.compile(
    r"\n(\^?[0-9a-f]{7,40}) (?:\S+ +)?\((?:<?(.*?)(?<! )>? +)(\d{4}-\d\d-\d\d|\d{9,10})"
    r"(?: [\d:]+)? [-+]\d{4} +\d+\)[^\n]*"
)
AUTHOR = re.compile(r"\n[*|\\/_ ]*Author: +([^\n<]*)")
DATE = re.compile(r"\n[*|\\/_ ]*(?:Author)?Date: +([^\n]*)")
SUBJECT = re.compile(r"\n[*|\\/_ ]*? {4}(\S[^\n]*)")
HEADER = 2_000
"""Characters after the line of a commit in which its author, date and subject stand."""
AUTHORS = 5_000
"""Authors that are told apart."""
SAID = 80
"""Characters of a subject that are shown."""
WIDER = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, 1_024, 8_192)
DAY = re.compile(r"(?:\w{3} )?(\w{3} +\d+) [\d:]+ (\d{4})|(\d{4}-\d\d-\d\d)")


@dataclass(frozen=True, slots=True)
class Event:
    """Name one event of a history: the line it begins on, its id, when, by whom and what."""

    line: int
    name: str
    date: str
    author: str
    subject: str


class History:
    """Take events in order; keep where they are, the first and the last, and who made how many."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.count = 0
        self.landmarks = Landmarks()
        self.authors: Counter[str] = Counter()
        self.first: Event | None = None
        self.last: Event | None = None

    def take(self, events: Sequence[Event]) -> None:
        """Take more events."""
        if not events:
            return
        self.count += len(events)
        self.first, self.last = self.first or events[0], events[-1]
        rows = [(event.name, event.date, event.author, event.subject) for event in events]
        self.landmarks.take(rows, [event.line for event in events])
        for event in events:
            if event.author and (event.author in self.authors or len(self.authors) < AUTHORS):
                self.authors[event.author] += 1


def read(lines: Lines, form: str) -> History:
    """Return the history in lines that are of a form: ``log``, ``short`` or ``blame``."""
    history = History("line" if form == "blame" else "commit" if form == "log" else "entry")
    number, held = 1, ""
    for block in lines.blocks():
        text = f"{held}\n{block}" if held else f"\n{block}"
        held = ""
        if form == "log":
            cut = text.rfind("\ncommit ")
            if cut > 0 and len(text) - cut < HEADER:
                text, held = text[:cut], text[cut:]
        history.take(list(_events(text, number, form)))
        number += text.count("\n")
    if held:
        history.take(list(_events(held, number, form)))
    return history


def _events(text: str, number: int, form: str) -> Iterator[Event]:
    """Yield the events of a text that begins with a newline before line ``number``."""
    position = 0
    found = {"log": COMMIT, "short": SHORT, "blame": BLAME}[form].finditer(text)
    following = list(found)
    for match, after in zip_longest(following, following[1:]):
        number += text.count("\n", position, match.start())
        position = match.start()
        if form == "short":
            yield Event(number, match[1], "", "", match[2])
        elif form == "blame":
            yield Event(number, match[1], match[3], match[2], "")
        else:
            end = min(match.end() + HEADER, after.start() if after else len(text))
            author, date, subject = (part.search(text, match.end(), end) for part in (AUTHOR, DATE, SUBJECT))
            said = [part[1].strip() if part else "" for part in (date, author, subject)]
            yield Event(number, match[1], *said)


def outlines(kind: str, history: History, document: Document) -> list[Outline]:
    """Return maps of a history from every event on its own line to runs of many."""
    total = document.lines.total
    top = Section("", tuple(_summary(history, document)))
    last = Section("The last lines", tuple(_end(document)), noun="lines")
    made = []
    short = history.noun == "line"
    if history.count <= len(history.landmarks.lines) and history.count * 3 < document.target and not short:
        each = tuple(_each(history, total))
        made.append(Outline(kind, (top, Section("Events", each, noun="events"), last)))
        dense = tuple(Entry(entry.label, entry.start, entry.end, entry.rank, dense=True) for entry in each)
        title = f"Events, each after its line, the last to {total}"
        made.append(Outline(kind, (top, Section(title, dense), last)))
    for times in WIDER:
        runs = history.landmarks.stretches(total, REACH * times)
        if len(runs) < document.target // 3 or times == WIDER[-1]:
            entries = tuple(_run(run, history.noun) for run in runs)
            made.append(Outline(kind, (top, Section("Runs", entries, noun="runs"), last)))
    return made


def _day(date: str) -> str:
    """Return the day of a date as git writes it."""
    found = DAY.match(date)
    return date if found is None else found[3] or f"{found[1]} {found[2]}"


def _summary(history: History, document: Document) -> Iterator[Entry]:
    first, last = history.first, history.last
    if first is None or last is None:
        return
    nouns = "entries" if history.noun == "entry" and history.count != 1 else ""
    said = f"{history.count:,} {nouns}" if nouns else plural(history.count, history.noun)
    dated = f", from {first.date} to {last.date}" if first.date and last.date and history.noun != "line" else ""
    yield Entry(f"{said}{dated}", first.line, document.lines.total)
    if history.authors:
        names = ", ".join(f"{name} {count:,}" for name, count in history.authors.most_common(12))
        more = f", +{len(history.authors) - 12:,} more" if len(history.authors) > 12 else ""
        yield Entry(f"{plural(len(history.authors), 'author')}: {names}{more}", rank=1)
    yield quote(first.line, document.lines.at(first.line), rank=1)


def _each(history: History, total: int) -> Iterator[Entry]:
    lines, cells = history.landmarks.lines, history.landmarks.cells
    for step, (line, row) in enumerate(zip(lines, cells, strict=True)):
        end = lines[step + 1] - 1 if step + 1 < len(lines) else total
        when = f" {_day(row[1])}" if row[1] else ""
        yield Entry(f"{row[0][:10]}{when} {shown(row[3], SAID)}".rstrip(), line, end, 5)


def _run(run: Stretch, noun: str) -> Entry:
    """Say what a run of events begins and ends with."""
    begin, end = run.begins, run.ends
    if noun == "line":
        return Entry(f"{begin[0]} {begin[2]} {begin[1]} to {end[0]} {end[2]} {end[1]}", run.start, run.end, 5)
    if begin == end:
        return Entry(f"{begin[0][:10]} {_day(begin[1])} {shown(begin[3], SAID)}".rstrip(), run.start, run.end, 5)
    dates = f", {_day(begin[1])} to {_day(end[1])}" if begin[1] and end[1] else ""
    return Entry(f"{begin[0][:10]} to {end[0][:10]}{dates}: {shown(begin[3], 60)}", run.start, run.end, 5)


def _end(document: Document) -> Iterator[Entry]:
    total = document.lines.total
    rows = [row for row in document.lines.numbered(max(total - 4, 1), total) if row[1].strip()]
    yield from (quote(*row, rank=6 + total - row[0]) for row in rows)
