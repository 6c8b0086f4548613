"""From what the marks of a log say to its map: what all runners have in common past their marks."""

from collections.abc import Callable, Sequence
from itertools import islice

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.failures import FAR, NEAR, Detail, Failure, Reader, once, quoted
from ctxkit.core.brief.runs.report import Findings, Named, Report, Stretch
from ctxkit.core.brief.runs.signposts import clean
from ctxkit.core.brief.runs.trials import Format, Trials, survey
from ctxkit.core.brief.runs.verdicts import END, ending, notes, verdicts
from ctxkit.core.brief.signs import signs
from ctxkit.core.lines import Lines

TOLD = 12
"""Lines outside of all blocks that look like trouble and are quoted when there is room."""
SOUGHT = 4_000
"""Lines before, and after, the blocks in which trouble is looked for."""
SHARE = 4
"""Tokens of the target for each failure that is kept: a name and its line take no less."""
Amend = Callable[[Trials, Document], None]
"""Change what was found as one runner needs it: names of several lines, blocks that begin earlier."""
Read = Callable[[Lines, Format], Trials]
"""Put the marks of a log together."""


def mapped(
    document: Document, form: Format, amend: Amend | None = None, read: Read = survey
) -> Sequence[Outline] | None:
    """Return the map of the output of a runner, or None when it has none of its marks.

    ``read`` puts the marks together: by blocks below a title, unless the runner has none.
    """
    trials = read(document.lines, form)
    if amend:
        amend(trials, document)
    if trials.empty:
        return None
    trials.failures = once(trials.failures)
    return laid_out(document, form, trials, closed=_closed(trials))


def _closed(trials: Trials) -> bool:
    """Tell whether a summary follows all failures."""
    last = max((failure.start for failure in trials.failures), default=0)
    early = trials.verdicts and trials.failures and trials.verdicts[0].number < trials.failures[0].start
    return bool(trials.verdicts) and (trials.verdicts[-1].number > last or bool(early))


def laid_out(document: Document, form: Format, trials: Trials, *, closed: bool, read: bool = True) -> Sequence[Outline]:
    """Return the map of what was found: failing tests past what fits are one range.

    With ``read``, blocks of which nothing is known yet are read for what they say.
    """
    most = max(document.target // SHARE, 8)
    kept, past = trials.failures[:most], trials.failures[most:]
    reader = Reader(document.lines, form.reading)
    for failure in kept[: document.target // 8] if read else ():
        if not failure.details:
            reader.read(failure)
    named = _unnamed(trials)
    found = Findings(
        form.name,
        [*verdicts(trials.verdicts, closed=closed), *notes(trials.notes)],
        kept,
        named[:most],
        _around(document.lines, trials),
        [] if closed else ending(document.lines, END[not (kept or named)]),
        _past(past, named[most:], trials),
    )
    return Report(document, found).outlines()


def _unnamed(trials: Trials) -> list[Named]:
    """Return the lines that name tests of which there is no block."""
    known = {name for failure in trials.failures for name in (failure.name, failure.short) if name}
    found: dict[str, Named] = {}
    for mark in trials.named:
        name = mark.text.strip()
        if name not in known and not any(one.endswith(name) for one in known):
            found.setdefault(name, Named(mark.number, name, name))
    return list(found.values())


def _past(past: Sequence[Failure], named: Sequence[Named], trials: Trials) -> list[Entry]:
    """Name the failing tests that are not told one by one."""
    numbers = [*(one.start for one in past), *(one.number for one in named), *([trials.last] if trials.left else [])]
    many = len(past) + len(named) + trials.left
    return [Entry(f"{many:,} more failing tests", min(numbers), max(numbers), 1)] if many else []


def _around(lines: Lines, trials: Trials) -> list[Stretch]:
    """Name what stands before the first failing test and after the last one, with lines that look like trouble."""
    blocks = [(one.start, one.end) for one in trials.failures]
    blocks += [(mark.number, mark.number) for mark in (*trials.named, *trials.verdicts)]
    first, last = min(blocks, default=(1, 0))[0], max((end for _, end in blocks), default=lines.total)
    known = {mark.number for mark in (*trials.notes, *trials.verdicts, *trials.named)}
    found = []
    for title, start, end in (("before", 1, first - 1), ("after", last + 1, lines.total)):
        stretch = Stretch(f"output {title} all failing tests and summaries", start, end)
        rows = list(islice(lines.numbered(start, min(end, start + 2)), 3)) if start <= end else []
        if not any(text.strip() for _, text in rows):
            continue
        trouble = [row for row in islice(signs(lines, start, min(end, start + SOUGHT)), TOLD) if row[0] not in known]
        stretch.details = [Detail(NEAR, step, quoted((n, clean(text)))) for step, (n, text) in enumerate(trouble)]
        told = {number for number, _ in trouble} | known
        stretch.details += [
            Detail(FAR, step, quoted((n, clean(text))))
            for step, (n, text) in enumerate(rows)
            if text.strip() and n not in told
        ]
        found.append(stretch)
    return found
