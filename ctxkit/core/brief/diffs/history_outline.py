"""Outlines of a history: its events, or the first of them and runs of the others."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.diffs.events import History, HistoryEvent
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.remainder import reserve_tokens
from ctxkit.core.brief.grids.grid import RANGE_LINES, RowIndex, RowRange
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.brief.render import find_most_detail
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.quantity import pluralize

FEW, MAX_STAT_LINES = 3, 20_000
"""Maximum number of commits whose summary of changes is quoted, and number of lines that are searched for it."""
SUBJECT_WIDTH = 80
"""Maximum number of characters of a subject."""
DENSE_WIDTHS = ((7, SUBJECT_WIDTH), (0, SUBJECT_WIDTH), (0, 40))
"""Characters of the id and of the subject in lists of all events, from the most detailed to the shortest."""
LEAST_FIRST, SHORT_LOG = 3, 8
"""Least number of first events that are listed by subject above runs of the others; of a short log, an eighth fits."""
RANGE_FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, 1_024, 8_192)
LAST_REFS = 8
"""Number of first and last such commits that rank before the others."""
STAT_SUMMARY = compile_lazily(r"[*|\\/_ ]{0,40} \d+ files? changed, ")
DAY = compile_lazily(r"(?:\w{3} )?(\w{3} +\d+) [\d:]+ (\d{4})|(\d{4}-\d\d-\d\d)")


def build_history_outlines(kind: str, history: History, document: InputDocument) -> list[Outline]:
    """Return outlines of a history, from one line per event to long runs of events."""
    top = Section("", tuple(_summarize(history, document)))
    refs = [Section("Branches and tags, each after its line", tuple(_list_refs(history)))] if history.refs else []
    variants: list[Outline] = []
    is_indexed = history.count <= len(history.row_index.lines) and history.noun != "line"
    if is_indexed and history.count * 3 < document.target:
        variants += _outline_each(kind, history, document, top, refs)
    if is_indexed and history.first and history.first.author:
        variants += _outline_newest(kind, history, document, (top, *refs))
    for times in RANGE_FACTORS:
        runs = _list_runs(history, 0, document, times)
        if len(runs.entries) < document.target // 3 or times == RANGE_FACTORS[-1]:
            variants.append(Outline(kind, (top, *refs, runs)))
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


def _outline_each(
    kind: str, history: History, document: InputDocument, top: Section, refs: Sequence[Section]
) -> Iterator[Outline]:
    """Yield outlines with an entry for each event, from that with most details to that of subjects."""
    total = history.end or document.lines.total
    title = f"Events, each after its line, the last to {total}"
    if document.lines.total - total <= total:  # or else most of the text is the output of other commands
        each = tuple(_list_events(history, total))
        yield Outline(kind, (top, Section("Events", each, noun="events")))
        dense = tuple(replace(entry, dense=True) for entry in each)
        yield Outline(kind, (top, Section(title, dense)))
    for widths in DENSE_WIDTHS:
        yield Outline(kind, (top, *refs, Section(title, tuple(_list_subjects(history, *widths)))))


def _label_history(history: History, first: HistoryEvent, last: HistoryEvent) -> str:
    """Return the number of events with their dates; of one event, also its author."""
    nouns = "entries" if history.noun == "entry" and history.count != 1 else ""
    label = f"{history.count:,} {nouns}" if nouns else pluralize(history.count, history.noun)
    if history.count == 1:
        return label + f" of {first.date}" * bool(first.date) + f" by {first.author}" * bool(first.author)
    is_dated = first.date and last.date and history.noun != "line"
    return f"{label}, from {first.date} to {last.date}" if is_dated else label


def _summarize(history: History, document: InputDocument) -> Iterator[Entry]:
    first, last = history.first, history.last
    if first is None or last is None:
        return
    end = history.end or document.lines.total
    yield Entry(_label_history(history, first, last), first.line, end)
    if end < document.lines.total:
        yield Entry("other output", end + 1, document.lines.total)
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


def _outline_newest(kind: str, history: History, document: InputDocument, top: Sequence[Section]) -> Iterator[Outline]:
    """Yield outlines with the subjects of the first events and runs of the others.

    A log begins with the newest commit, which is asked for most often. Of a short log, as many subjects as fit are
    listed above one run; of a long log, they take half of what the target leaves, and the runs the other half.
    """
    subjects = _list_subjects(history, 0, SUBJECT_WIDTH)
    reduced = replace(document, target=document.target - reserve_tokens(kind, document.target))

    def build(number: int) -> Outline:
        return _outline_first(kind, subjects[:number], top, _list_runs(history, number, document, RANGE_FACTORS[-1]))

    fitting = find_most_detail(build, len(subjects) - 1, reduced)
    has_one_run = fitting < 2 * LEAST_FIRST or fitting * SHORT_LOG >= len(subjects)
    number = fitting if has_one_run else fitting // 2
    if number < LEAST_FIRST:
        return
    for times in RANGE_FACTORS:
        rest = _list_runs(history, number, document, times)
        if len(rest.entries) < document.target // 3:
            yield _outline_first(kind, subjects[:number], top, rest)
    if has_one_run:
        yield build(number)


def _list_runs(history: History, first: int, document: InputDocument, times: int) -> Section:
    """Return a section with the runs of the events that follow the first ones."""
    index = history.row_index.drop_rows(first)
    runs = index.list_ranges(history.end or document.lines.total, RANGE_LINES * times)
    if history.noun != "line":
        return Section("Runs", tuple(map(_make_run_entry, runs)), noun="runs")
    days = index if history.count <= len(index.lines) else None  # of rows left out, no day is known
    return Section("Runs", tuple(_make_line_entry(run, days) for run in runs), noun="runs")


def _outline_first(kind: str, first: Sequence[Entry], top: Sequence[Section], *after: Section) -> Outline:
    return Outline(kind, (*top, Section("First events, each after its line", tuple(first)), *after))


def _list_subjects(history: History, id_length: int, width: int) -> list[Entry]:
    """Return dense entries of all events: so many characters of the id, and of the subject."""
    rows = zip(history.row_index.lines, history.row_index.cells, strict=True)
    return [
        Entry(f"{row[0][:id_length]} {_cut_at_word(row[3], width)}".lstrip(), line, line, 5, dense=True)
        for line, row in rows
    ]


def _cut_at_word(text: str, width: int) -> str:
    """Return a text cut at the last blank before ``width``, with three dots: a note of the rest takes more tokens."""
    text = clean_line(text, len(text))
    return text if len(text) <= width else f"{text[:width].rsplit(' ', 1)[0].rstrip(' ,;:.')}..."


def _make_line_entry(run: RowRange, days: RowIndex | None) -> Entry:
    """Return an entry with the first and the last commit of blamed lines, and the earliest and the latest day."""
    begin, end = run.first_cells, run.last_cells
    label = f"{begin[0]} {begin[2]} to {end[0]} {end[2]}"
    if days:
        rows = days.cells[bisect_left(days.lines, run.start) : bisect_right(days.lines, run.end)]
        dates = sorted({row[1] for row in rows})
        label += f", {dates[0]} to {dates[-1]}" if len(dates) > 1 else f", {dates[0]}"
    return Entry(label, run.start, run.end, 5)


def _make_run_entry(run: RowRange) -> Entry:
    """Return an entry with the first and the last event of a run."""
    begin, end = run.first_cells, run.last_cells
    if begin == end:
        return Entry(
            f"{begin[0][:10]} {_format_day(begin[1])} {clean_line(begin[3], SUBJECT_WIDTH)}".rstrip(),
            run.start,
            run.end,
            5,
        )
    dates = f", {_format_day(begin[1])} to {_format_day(end[1])}" if begin[1] and end[1] else ""
    return Entry(f"{begin[0][:10]} to {end[0][:10]}{dates}: {clean_line(begin[3], 60)}", run.start, run.end, 5)
