"""Plain logs: how long, how bad, every form of line with its count, and the end verbatim."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.outline import Entry, Outline, Section, plain, shown
from ctxkit.core.brief.stamps import STAMP, Clock, duration, stamp_of
from ctxkit.core.brief.templates import CALM, ERROR, LEVEL, MOST, SIGN, WARN, Template, Templates
from ctxkit.core.measure import plural

NAME = "log"
TYPES: Sequence[str] = ()
SAMPLE = 200
"""Lines from the beginning that tell whether it is a log."""
LAST = 5
"""Lines of the end that come before anything but the first error."""
END = 20
"""Lines of the end that come when there is room."""
RARE = 2
"""Times that a form of line may occur and still be told as an event, not as a routine."""
SILENCE = 60
"""Seconds without a line that are worth a word."""
REQUEST = re.compile(r'\] "[^"]*" [1-5]\d\d ')
"""What a line of an access log holds: the request and its status."""
LISTED = 1_000
"""Entries of a section; what is past them is said as one range."""


def sniff(document: Document) -> float:
    """Claim text most of whose lines begin with a time, or have a level in one column."""
    lines = _sample(document)
    stamped = [found for found in map(stamp_of, lines) if found]
    if len(stamped) >= max(2, len(lines) / 2) and not _tabular(lines):
        early = sum(found.re is STAMP for found in stamped)
        return 0.55 + 0.3 * early / len(lines)
    columns = Counter(found.start() for found in map(LEVEL.search, lines) if found and found.start() < 60)
    if len(lines) >= 3 and columns and columns.most_common(1)[0][1] >= 0.6 * len(lines):
        return 0.55
    return 0.0


def _sample(document: Document) -> list[str]:
    """Return the first lines that are neither blank nor indented."""
    rows = document.head.split("\n")
    if document.lines.size > HEAD and len(rows) > 1:
        rows.pop()
    return [row for row in rows[: 4 * SAMPLE] if row.strip() and row[0] not in " \t"][:SAMPLE]


def _tabular(lines: Sequence[str]) -> bool:
    """Tell whether the lines are rows of a table, or of JSON, that happen to begin with a time."""
    rows = lines[1:]
    for mark in (",", "\t", ";"):
        counts = {row.count(mark) for row in rows}
        if len(counts) == 1 and counts.pop() >= 2 and all(f"{mark} " not in row for row in rows):
            return True
    return sum(row[:1] in "{[" and row.rstrip()[-1:] in "}]," for row in rows) > len(rows) / 2


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the time span, the levels, every form of line, the worst and the rarest first, and the end."""
    sample = _sample(document)
    if not sample:
        return None
    templates, clock = _read(document, sample)
    forms = sorted(templates.all(), key=lambda form: form.first)
    top = Section("", tuple(_top(templates, clock, forms)), noun="lines")
    sections = (top, *_forms(forms), *_ends(document))
    return [Outline(NAME, tuple(section for section in sections if section.entries))]


def _read(document: Document, sample: Sequence[str]) -> tuple[Templates, Clock]:
    """Count the lines of the whole document."""
    rows = [row for row in document.head.split("\n")[:SAMPLE] if row.strip()]
    indented = sum(row[0] in " \t" for row in rows) < len(rows) / 2
    requests = sum(REQUEST.search(row) is not None for row in sample) > len(sample) / 2
    templates = Templates(indented=indented, statuses=requests)
    clock = Clock(next((row for row in sample if stamp_of(row)), ""))
    number = 1
    for block in document.lines.blocks():
        lines = block.split("\n")
        templates.take(block, lines, number)
        clock.watch(lines, number)
        number += len(lines)
    return templates, clock


def _top(templates: Templates, clock: Clock, forms: Sequence[Template]) -> Iterator[Entry]:
    """Yield what is true of the whole log."""
    if clock.first and clock.last:
        (start, begun), (end, ended) = clock.first, clock.last
        yield Entry(f"{_stamp(begun)} to {_stamp(ended)}", start, end)
    if clock.gap >= SILENCE:
        yield Entry(f"the longest silence, {duration(clock.gap)}", *clock.around)
    levels: dict[tuple[int, str], int] = {}
    for form in forms:
        place = (form.severity if form.level else CALM + 1, form.level or "none")
        levels[place] = levels.get(place, 0) + form.count
    said = ", ".join(f"{name} {levels[severity, name]:,}" for severity, name in sorted(levels))
    rest = f"; {plural(templates.continued, 'line')} indented or blank" if templates.continued else ""
    yield Entry(f"lines by the level they state: {said}{rest}")
    yield Entry(f"{plural(len(forms), 'form')} of lines, told apart by all words without a digit")
    if templates.merged_from:
        note = f"more than {MOST:,} forms: from here on, new ones are merged by level and first words"
        yield Entry(note, templates.merged_from, templates.merged_from)


def _stamp(line: str) -> str:
    found = stamp_of(line)
    return found["stamp"] if found else ""


def _forms(forms: Sequence[Template]) -> Iterator[Section]:
    """Yield the forms of lines, the worst first; of the harmless ones the rare before the frequent."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SIGN]
    warned = [form for form in forms if form.severity == WARN]
    rare = [form for form in forms if form.severity == CALM and form.count <= RARE]
    often = [form for form in forms if form.severity == CALM and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield _section("Errors and worse", bad, [0] + [2] * 19, 6)
    yield _section("Trouble without a level", signs, [1 if bad else 0] + [3] * 8, 7)
    yield _section("Warnings", warned, [3] * 8, 7)
    yield _section(f"Rare (at most {RARE}x)", rare, [4] * 10 + [6] * 30, 8)
    yield _section("Frequent", often, [5] * 10, 9)


def _section(title: str, forms: Sequence[Template], early: Sequence[int], late: int) -> Section:
    """Return a section of forms: the first ones with the ranks of ``early``, all others ``late``."""
    ranks = [*early, *([late] * len(forms))]
    entries = [_form(form, rank) for form, rank in zip(forms[:LISTED], ranks, strict=False)]
    rest = forms[LISTED:]
    if rest:
        last = max(form.last for form in rest)
        entries.append(Entry(f"{len(rest):,} forms more", min(form.first for form in rest), last, ranks[0]))
    total = sum(form.count for form in forms)
    heading = f"{title}: {plural(len(forms), 'form')}, {plural(total, 'line')}"
    return Section(heading, tuple(entries), noun="forms")


def _form(form: Template, rank: int) -> Entry:
    """Return the first line of a form, below its count when there are more."""
    below = []
    if form.end:
        below.append(Entry("indented, continues the line above", form.first + 1, form.end, rank))
    example = Entry(shown(form.text), form.first, form.first, rank, verbatim=True, children=tuple(below))
    if form.count == 1:
        return example
    return Entry(f"{form.count:,}x, such as", form.first, form.last, rank, children=(example,))


def _ends(document: Document) -> Iterator[Section]:
    """Yield the first lines and the last ones."""
    total = document.lines.total
    begin = max(total - END + 1, 1)
    head = document.lines.numbered(1, min(3, begin - 1))
    first = tuple(_bare((number, text, 6) for number, text in head))
    yield Section("the beginning", first, noun="lines", bare=True, covered=True)
    away = ((total - number, number, text) for number, text in document.lines.numbered(begin))
    last = tuple(_bare((number, text, 1 if far < LAST else 6 + far) for far, number, text in away))
    yield Section("the end", last, noun="lines", bare=True, covered=True)


def _bare(rows: Iterable[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield lines as they stand, indented as they are."""
    for number, text, rank in rows:
        line = (text if text.isprintable() else plain(text.replace("\t", "    "))).rstrip()
        cut = line if len(line) <= 300 else shown(line, 300)
        yield Entry(cut, number, number, rank, verbatim=True)
