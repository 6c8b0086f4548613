"""Events of a history: commits, reflog entries, and blamed lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import RANGE_LINES, RowIndex, RowRange
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.text.ansi import strip_escapes
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.measure import pluralize

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
ENTRY = re.compile(r"(?:\([^)]*\) )?[\w./-]+@\{")
"""Pattern of the beginning of an entry of the reflog."""
STAT_SUMMARY = re.compile(r"[*|\\/_ ]{0,40} \d+ files? changed, ")
FEW, MAX_STAT_LINES = 3, 20_000
"""Maximum number of commits whose summary of changes is quoted, and number of lines that are searched for it."""
HEADER = 2_000
"""Number of characters after a commit line that are searched for author, date and subject."""
MAX_AUTHORS = 5_000
"""Maximum number of distinct authors."""
SUBJECT_WIDTH = 80
"""Maximum number of characters of a subject."""
RANGE_FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, 1_024, 8_192)
REFS = re.compile(r"\((?=HEAD\b|tag: |[\w./-]+[,)])([\w./>: ,+@-]{1,400})\)")
"""Pattern of the branches and tags of a commit, after its id."""
MAX_REFS = 2_000
"""Maximum number of commits with branches and tags that are listed."""
LAST_REFS = 8
"""Number of first and last such commits that rank before the others."""
DAY = re.compile(r"(?:\w{3} )?(\w{3} +\d+) [\d:]+ (\d{4})|(\d{4}-\d\d-\d\d)")


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
    """Collect events in order: their places, the first and the last, the number per author, and branches and tags."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.count = 0
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
        self.refs += [(event.line, event.refs) for event in events if event.refs][: MAX_REFS - len(self.refs)]
        rows = [(event.name, event.date, event.author, event.subject) for event in events]
        self.row_index.add_rows(rows, [event.line for event in events])
        for event in events:
            if event.author and (event.author in self.authors or len(self.authors) < MAX_AUTHORS):
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
            if cut > 0 and len(text) - cut < HEADER:
                text, pending = text[:cut], text[cut:]
        history.add_events(list(_parse_events(text, number, form)))
        number += text.count("\n")
    if pending:
        history.add_events(list(_parse_events(pending, number, form)))
    if form == "short" and history.first and ENTRY.match(history.first.subject):
        history.noun = "entry"
    return history


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
            end = min(match.end() + HEADER, after.start() if after else len(text))
            parts = (pattern.search(text, match.end(), end) for pattern in (DATE, AUTHOR, SUBJECT))
            date, author, subject = (part[1].strip() if part else "" for part in parts)
            refs = _find_refs(match[0][match.end(1) - match.start() + 1 :])
            yield HistoryEvent(number, match[1], date, author, subject, refs)


def _find_refs(text: str) -> str:
    """Return the branches and tags at the beginning of a text: ``HEAD -> main, tag: 1.0``."""
    refs = REFS.match(strip_escapes(text))
    return refs[1] if refs else ""


def build_history_outlines(kind: str, history: History, document: InputDocument) -> list[Outline]:
    """Return outlines of a history, from one line per event to long runs of events."""
    total = document.lines.total
    top = Section("", tuple(_summarize(history, document)))
    last = Section("The last lines", tuple(_quote_end(document)), noun="lines")
    refs = [Section("Branches and tags, each after its line", tuple(_list_refs(history)))] if history.refs else []
    variants = []
    short = history.noun == "line"
    if history.count <= len(history.row_index.lines) and history.count * 3 < document.target and not short:
        each = tuple(_list_events(history, total))
        variants.append(Outline(kind, (top, Section("Events", each, noun="events"), last)))
        dense = tuple(Entry(entry.label, entry.start, entry.end, entry.rank, dense=True) for entry in each)
        title = f"Events, each after its line, the last to {total}"
        variants.append(Outline(kind, (top, Section(title, dense), last)))
    for times in RANGE_FACTORS:
        runs = history.row_index.list_ranges(total, RANGE_LINES * times)
        if len(runs) < document.target // 3 or times == RANGE_FACTORS[-1]:
            entries = tuple(_make_run_entry(run, history.noun) for run in runs)
            variants.append(Outline(kind, (top, *refs, Section("Runs", entries, noun="runs"), last)))
    return variants


def _list_refs(history: History) -> Iterator[Entry]:
    """Yield dense entries for the commits with branches and tags, those at both ends first."""
    rest = len(history.refs) - LAST_REFS
    for place, (line, refs) in enumerate(history.refs):
        rank = 2 if place < LAST_REFS or place >= rest else 4
        yield Entry(clean_line(refs, SUBJECT_WIDTH), line, line, rank, dense=True)


def _format_day(date: str) -> str:
    """Return the day of a date as git writes it."""
    match = DAY.match(date)
    return date if match is None else match[3] or f"{match[1]} {match[2]}"


def _summarize(history: History, document: InputDocument) -> Iterator[Entry]:
    first, last = history.first, history.last
    if first is None or last is None:
        return
    nouns = "entries" if history.noun == "entry" and history.count != 1 else ""
    label = f"{history.count:,} {nouns}" if nouns else pluralize(history.count, history.noun)
    dated = f", from {first.date} to {last.date}" if first.date and last.date and history.noun != "line" else ""
    if history.count == 1:
        dated = f" of {first.date}" * bool(first.date) + f" by {first.author}" * bool(first.author)
    yield Entry(f"{label}{dated}", first.line, document.lines.total)
    if history.authors and history.count > 1:
        names = ", ".join(f"{name} {count:,}" for name, count in history.authors.most_common(12))
        more = f", +{len(history.authors) - 12:,} more" if len(history.authors) > 12 else ""
        yield Entry(f"{pluralize(len(history.authors), 'author')}: {names}{more}", rank=1)
    if history.count <= FEW:
        for number, text in document.lines.enumerate_lines(first.line, min(document.lines.total, MAX_STAT_LINES)):
            if STAT_SUMMARY.match(text):
                yield quote(number, text.strip(), rank=1)
    yield quote(first.line, document.lines.at(first.line), rank=1)


def _list_events(history: History, total: int) -> Iterator[Entry]:
    lines, cells = history.row_index.lines, history.row_index.cells
    for step, (line, row) in enumerate(zip(lines, cells, strict=True)):
        end = lines[step + 1] - 1 if step + 1 < len(lines) else total
        when = f" {_format_day(row[1])}" if row[1] else ""
        yield Entry(f"{row[0][:10]}{when} {clean_line(row[3], SUBJECT_WIDTH)}".rstrip(), line, end, 5)


def _make_run_entry(run: RowRange, noun: str) -> Entry:
    """Return an entry with the first and the last event of a run."""
    begin, end = run.first_cells, run.last_cells
    if noun == "line":
        return Entry(f"{begin[0]} {begin[2]} {begin[1]} to {end[0]} {end[2]} {end[1]}", run.start, run.end, 5)
    if begin == end:
        return Entry(
            f"{begin[0][:10]} {_format_day(begin[1])} {clean_line(begin[3], SUBJECT_WIDTH)}".rstrip(),
            run.start,
            run.end,
            5,
        )
    dates = f", {_format_day(begin[1])} to {_format_day(end[1])}" if begin[1] and end[1] else ""
    return Entry(f"{begin[0][:10]} to {end[0][:10]}{dates}: {clean_line(begin[3], 60)}", run.start, run.end, 5)


def _quote_end(document: InputDocument) -> Iterator[Entry]:
    total = document.lines.total
    rows = [row for row in document.lines.enumerate_lines(max(total - 4, 1), total) if row[1].strip()]
    yield from (quote(*row, rank=6 + total - row[0]) for row in rows)
