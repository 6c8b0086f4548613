"""What a log of pytest holds besides failures: every line is in a stretch that the map can name."""

import re
from collections.abc import Iterator
from itertools import islice

from ctxkit.core.brief.runs.failures import FAR, FIRST, NEAR, REST, SAME, Detail, Numbered, quoted
from ctxkit.core.brief.runs.nodes import PLACE
from ctxkit.core.brief.runs.report import Stretch
from ctxkit.core.brief.runs.sessions import BLOCKS, FAILING, START, SUMMARY, Part, Run
from ctxkit.core.brief.runs.signposts import clean
from ctxkit.core.brief.signs import signs
from ctxkit.core.lines import Lines

READ = 200
"""Lines of a stretch that are read for what is worth a quotation."""
MANY = 5_000
"""Lines of --tb=line that are read."""
TOLD = 15
"""Lines of a stretch that are quoted when there is room."""
HEADER = re.compile(r"collect(?:ed|ing) .*|scheduling tests.*|gw\d+ .*|created: .*|\d+ workers? \[.*")
"""The last line of a session's header."""
TOTAL = re.compile(r"TOTAL\s.*|Required test coverage.*|FAIL Required.*|Coverage failure.*")


def surroundings(run: Run, lines: Lines) -> Iterator[Stretch]:
    """Yield what stands around the blocks of failures, in order."""
    after = 1
    for section in run.sections:
        if section.start > after:
            yield from _between(run, lines, after, section.start - 1)
        after = section.end + 1
        if START in section.title:
            yield from _session(lines, section)
        elif section.title in FAILING and not section.parts:
            yield _each(lines, section)
        elif section.title not in FAILING:
            yield _section(lines, section)
    if after <= lines.total:
        yield from _between(run, lines, after, lines.total)


def _between(run: Run, lines: Lines, start: int, end: int) -> Iterator[Stretch]:
    """Yield lines outside all sections: before a session, after its verdict, or all there is with -q."""
    noted = {note.number for note in run.notes}
    verdicts = [verdict.number for verdict in run.verdicts if start <= verdict.number <= end]
    for number in verdicts:
        if start < number:
            yield from _other(lines, noted, "before the closing line", start, number - 1)
        start = number + 1
    if start <= end:
        title = "after the closing line" if verdicts else "progress and other output"
        yield from _other(lines, noted, title, start, end)


def _other(lines: Lines, noted: set[int], title: str, start: int, end: int) -> Iterator[Stretch]:
    """Yield lines that pytest may not have written, unless all are blank or told already."""
    first = islice(lines.numbered(start, end), READ)
    if not any(text.strip() and number not in noted for number, text in first):
        return
    found = Stretch(title, start, end)
    trouble = [row for row in islice(signs(lines, start, end), TOLD) if row[0] not in noted]
    found.details = [Detail(NEAR, step, quoted((n, clean(text)))) for step, (n, text) in enumerate(trouble)]
    taken = {number for number, _ in trouble} | noted
    last = [(n, clean(text)) for n, text in lines.numbered(max(start, end - 4), end)]
    rows = [row for row in last if row[1].strip() and row[0] not in taken]
    found.details += [Detail(FAR, step, quoted(row)) for step, row in enumerate(reversed(rows))]
    yield found


def _session(lines: Lines, section: Part) -> Iterator[Stretch]:
    """Yield the header of a session and its progress."""
    rows = _read(lines, section)
    cut = next((number for number, text in rows if HEADER.fullmatch(text)), 0)
    header = Stretch("session header", section.start, cut or min(section.end, section.start + 4))
    for step, (number, text) in enumerate(rows):
        if number <= header.end:
            header.details.append(Detail(SAME if number == cut else REST, step, quoted((number, text))))
    yield header
    if header.end < section.end:
        yield Stretch("progress, a character or a line for each test", header.end + 1, section.end)


def _section(lines: Lines, section: Part) -> Stretch:
    """Return any other section, with its first lines to quote; of blocks that pass, only the range."""
    found = Stretch(section.title, section.start, section.end)
    if section.title in BLOCKS:
        return found
    rank = REST if SUMMARY in section.title else FAR
    for step, row in enumerate(_read(lines, section)[:TOLD]):
        found.details.append(Detail(rank, step, quoted(row)))
    if "coverage" in section.title:
        _total(lines, found)
    return found


def _total(lines: Lines, found: Stretch) -> None:
    """Put what a report of coverage comes to before its rows."""
    rows = [(n, clean(text)) for n, text in lines.numbered(max(found.end - READ, found.start + 1), found.end)]
    totals = {number: text for number, text in rows if TOTAL.fullmatch(text)}
    found.details = [detail for detail in found.details if detail.entry.start not in totals]
    found.details += [Detail(NEAR, step, quoted(row)) for step, row in enumerate(totals.items())]


def _each(lines: Lines, section: Part) -> Stretch:
    """Return a section of failures without blocks: what --tb=line has."""
    found = Stretch("lines for each failure", section.start, section.end)
    for step, row in enumerate(_read(lines, section, MANY)):
        found.details.append(Detail(FIRST if PLACE.fullmatch(row[1]) else FAR, step, quoted(row)))
    return found


def _read(lines: Lines, section: Part, most: int = READ) -> list[Numbered]:
    """Return the first lines of a section below its heading that are not blank."""
    end = min(section.end, section.start + most)
    rows = ((number, clean(text)) for number, text in lines.numbered(section.start + 1, end))
    return [row for row in rows if row[1].strip()]
