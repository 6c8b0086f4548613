"""Plain logs: how long, how bad, every form of line with its count, and the end verbatim."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.endings import ending
from ctxkit.core.brief.logs.logged import SAMPLE, how_sure, sample_of
from ctxkit.core.brief.logs.rarities import indexed
from ctxkit.core.brief.logs.stamps import Clock, duration, stamp_of
from ctxkit.core.brief.logs.templates import CALM, ERROR, LEVELS, MOST, SIGN, WARN, Template, Templates, codes_tell
from ctxkit.core.brief.outline import Entry, Outline, Section, plain, shown
from ctxkit.core.measure import plural

NAME = "log"
TYPES: Sequence[str] = ()
LAST = 5
"""Lines of the end that come before anything but the first error."""
ROOMY = 400
"""Tokens of the target for each of these lines."""
END = 20
"""Lines of the end that come when there is room."""
RARE = 2
"""Times that a form of line may occur and still be told as an event, not as a routine."""
SILENCE = 60
"""Seconds without a line that are worth a word."""
REQUEST = re.compile(r'\] "[^"]*" [1-5]\d\d ')
"""What a line of an access log holds: the request and its status."""
BEFORE, AFTER = 5, 15
"""Lines around the first error that the hint shows."""
SHARE = 45
"""Percent of the target that rare lines may take as they stand; of more, there is an index."""
EARLIER = 40
"""Percent of the target for the index of rare lines, where the end is full of them."""
SMALL = 1_000
"""Tokens of the target below which an end that is full of rare lines is worth more than a part of an index."""
COUNTED = re.compile(r"[\d,]+ forms?")
"""An entry of the index that had no room for words."""
QUOTED = 200
"""Characters of a line that are quoted."""
LISTED = 1_000
"""Entries of a section; what is past them is said as one range."""


def sniff(document: Document) -> float:
    """Claim text most of whose lines begin with a time, or have a level in one column."""
    return how_sure(document)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the time span, the levels, every form of line, the worst and the rarest first, and the end."""
    sample = sample_of(document)
    if not sample:
        return None
    templates, clock = _read(document, sample)
    forms = sorted(templates.all(), key=lambda form: form.first)
    top = Section("", tuple(_top(templates, clock, forms)), noun="lines")
    ends = tuple(_ends(document))
    example = _around(forms, document.lines.total)
    made = [(top, *sections, *ends) for sections in shapes(forms, document)]
    rows = ending(document)
    if not _eventful(forms, rows):
        return [_outline(sections, example) for sections in made]
    rich = [_outline(made[0], example)]
    if document.target < SMALL:
        from ctxkit.core.brief.kinds import text

        return [*rich, *(replace(bare, kind=NAME) for bare in text.outline(document))]
    eventful = _led_by_end(forms, rows, document)
    return [*rich, _outline((top, *eventful) if eventful else made[-1], example)]


def _eventful(forms: Sequence[Template], rows: Sequence[tuple[int, str]]) -> bool:
    """Tell whether most lines of the end occur nowhere else, and most rare lines near it, as in a boot."""
    rare = [form for form in forms if form.count <= RARE]
    new = {number for form in rare for number in (form.first, form.last)}
    begin = rows[-1][0] - 2 * len(rare) if rows else 0
    if sum(form.first > begin for form in rare) * 2 < len(rare):
        return False
    return len(rows) >= LAST and sum(number in new for number, _ in rows) * 2 >= len(rows)


def _led_by_end(forms: Sequence[Template], rows: Sequence[tuple[int, str]], document: Document) -> tuple[Section, ...]:
    """Return an index of the rare lines and the end in all the room that leaves; none where the index has no words."""
    rare = [form for form in forms if form.count <= RARE]
    index = indexed(_telling(rare), rare, document.count, document.target * EARLIER // 100, 2)
    if any(COUNTED.fullmatch(entry.label) for entry in index.entries):
        return ()
    late = 3 + len(rows)
    soon = _soon(document)
    away = zip(range(len(rows) - 1, -1, -1), rows, strict=True)
    last = tuple(_bare((number, text, 1 if far < soon else 3 + far) for far, (number, text) in away))
    bad = [form for form in forms if form.severity <= SIGN]
    often = sorted((form for form in forms if form.count > RARE), key=lambda form: (-form.count, form.first))
    worst = _section("Errors and worse, or what looks like them", bad, [0], late)
    return worst, index, _section("Frequent", often, [], late + 1), Section("the end", last, "lines", True, True)


def _outline(sections: Iterable[Section], example: tuple[int, int] | None) -> Outline:
    return Outline(NAME, tuple(section for section in sections if section.entries), example=example)


def _around(forms: Sequence[Template], total: int) -> tuple[int, int] | None:
    """Return the first line that is an error or looks like one, with what surrounds it: what a reader wants first."""
    bad = next((form for form in sorted(forms, key=lambda form: form.first) if form.severity <= SIGN), None)
    return (max(bad.first - BEFORE, 1), min(max(bad.end, bad.first + AFTER), bad.first + 100, total)) if bad else None


def shapes(forms: Sequence[Template], document: Document) -> Iterator[tuple[Section, ...]]:
    """Yield the sections of forms: all as they stand and, where the rare ones take too much, with an index of these."""
    yield tuple(_forms(forms))
    rare = [form for form in forms if form.count <= RARE]
    room = document.target * SHARE // 100
    quoted = "\n".join(f"- {form.first}: {form.text[:QUOTED]}" for form in rare[:room])
    if rare and document.count(quoted) > room:
        yield tuple(_indexed(forms, rare, document))


def _read(document: Document, sample: Sequence[str]) -> tuple[Templates, Clock]:
    """Count the lines of the whole document."""
    rows = [row for row in document.head.split("\n")[:SAMPLE] if row.strip()]
    indented = sum(row[0] in " \t" for row in rows) < len(rows) / 2
    requests = sum(REQUEST.search(row) is not None for row in sample) > len(sample) / 2
    templates = Templates(indented=indented, statuses=requests, codes=codes_tell(sample))
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
        place = (LEVELS.get(form.level, form.severity) if form.level else CALM + 1, form.level or "none")
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
    yield _section("Errors and worse", bad, [0] + [2] * 2 + [3] * 3 + [4] * 14, 6)
    yield _section("Trouble without a level", signs, [1 if bad else 0] + [3] * 3 + [4] * 5, 7)
    yield _section("Warnings", warned, [3] * 2 + [5] * 6, 7)
    yield _section(f"Rare (at most {RARE}x)", rare, [2] * 4 + [3] * 4 + [4] * 4 + [6] * 30, 8)
    yield _section("Frequent", often, [5] * 10, 9)


def _indexed(forms: Sequence[Template], rare: Sequence[Template], document: Document) -> Iterator[Section]:
    """Yield fewer of the forms, and before the frequent ones an index of all that are rare."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SIGN]
    warned = [form for form in forms if form.severity == WARN and form.count > RARE]
    often = [form for form in forms if form.severity == CALM and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield _section("Errors and worse", bad, [0] + [3] * 4, 7)
    yield _section("Trouble without a level", signs, [1 if bad else 0] + [4] * 3, 8)
    yield indexed(_telling(rare), rare, document.count, document.target * SHARE // 100, 2)
    yield _section("Warnings", warned, [5] * 4, 8)
    yield _section("Frequent", often, [5] * 10, 9)


def _telling(rare: Sequence[Template]) -> str:
    return f"Rare (at most {RARE}x), by line: {plural(len(rare), 'form')}, with words that tell them apart"


def _section(title: str, forms: Sequence[Template], early: Sequence[int], late: int) -> Section:
    """Return a section of forms: the first ones with the ranks of ``early``, all others ``late``."""
    ranks = [*early, *([late] * (len(forms) + 1))]
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
    soon = _soon(document)
    last = tuple(_bare((number, text, 1 if far < soon else 6 + far) for far, number, text in away))
    yield Section("the end", last, noun="lines", bare=True, covered=True)


def _soon(document: Document) -> int:
    """Return how many of the last lines come before nearly anything else."""
    return min(LAST, max(document.target // ROOMY, 2))


def _bare(rows: Iterable[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield lines as they stand, indented as they are."""
    for number, text, rank in rows:
        line = (text if text.isprintable() else plain(text.replace("\t", "    "))).rstrip()
        cut = line if len(line) <= 300 else shown(line, 300)
        yield Entry(cut, number, number, rank, verbatim=True)
