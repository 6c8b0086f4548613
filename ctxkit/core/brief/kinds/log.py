"""Plain logs: time span, levels, every form of line with its count, and the end verbatim."""

from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.generic_outline import make_generic_outline
from ctxkit.core.brief.logs.log_detection import SAMPLE, has_stamped_events, read_sample, score_log
from ctxkit.core.brief.logs.sections import list_first_errors, make_section_layouts
from ctxkit.core.brief.logs.templates import (
    LEVELS,
    MOST,
    NORMAL,
    SUSPECT,
    Template,
    TemplateCounter,
    has_message_codes,
)
from ctxkit.core.brief.logs.timestamps import TimestampTracker, drop_timestamp, find_timestamp, format_duration
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.ansi import strip_escapes
from ctxkit.core.text.measure import pluralize

NAME = "log"
TYPES: Sequence[str] = ()
CLUES = Clues()
LAST = 5
"""Number of final lines that precede everything except the first error."""
TOKENS_PER_LAST_LINE = 400
"""Tokens of the target for each of these lines."""
END = 20
"""Number of final lines that are quoted if they fit."""
SILENCE = 60
"""Minimum number of seconds without a line that is reported."""
REQUEST = compile_lazily(r'\] "[^"]*" [1-5]\d\d ')
"""Pattern of an access log's request and its status."""
BEFORE, AFTER = 5, 15
"""Number of lines before and after the first error that the example command shows."""
RATED_BYTES = 4 << 20
"""Maximum size of a log of which a map that does not show every form rates the lines: that takes a second for 4 MB."""
TIMES_TARGET = 1_500
"""Target in tokens below which a map quotes the lines of a log without their times."""
TOKENS_PER_ERROR = 300
"""Tokens of the target for each form of errors that precedes the lines."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that most lines begin with a time, or have a level in the same column."""
    return score_log(document)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the time span, the levels, the forms of lines (worst and rarest first), and the end."""
    sample = read_sample(document)
    if not sample:
        return None
    templates, clock = _read_templates(document, sample)
    forms = sorted(templates.iter_templates(), key=lambda form: form.first)
    begins_events = all(map(find_timestamp, sample)) or has_stamped_events(sample)
    if not (_states_times(forms) or (begins_events and _are_events(forms))):
        return None
    summary = tuple(_summarize(templates, clock, forms))
    top = Section("", (*summary, *_describe_forms(templates, forms)), noun="lines")
    ends = tuple(_make_end_sections(document))
    example = _choose_example(forms, document.lines.total)
    layouts = make_section_layouts(forms, document)
    if document.lines.size > RATED_BYTES:
        return [_make_outline((top, *sections, *ends), example) for sections in layouts]
    every_form = (top, *next(layouts))
    complete = [_make_outline(sections, example) for sections in ((*every_form, *ends), every_form)]
    return [*complete, _make_line_outline(document, summary, forms)]


def _make_line_outline(document: InputDocument, summary: Sequence[Entry], forms: Sequence[Template]) -> Outline:
    """Return an outline of the summary, the first errors, and the lines that an agent most likely needs.

    A small map omits the times of the lines, except of errors: a time takes as many tokens as a short message.
    """
    head = [Section("", tuple(summary)), *list_first_errors(forms, document.target // TOKENS_PER_ERROR)]
    if document.target < TIMES_TARGET and any(entry.start for entry in summary):
        return make_generic_outline(document, NAME, head, "Lines without the times before them", drop_timestamp)
    return make_generic_outline(document, NAME, head)


def _states_times(forms: Sequence[Template]) -> bool:
    """Return whether half of the lines have a time or a level; the sample is only the beginning."""
    stated = sum(form.count for form in forms if form.level or find_timestamp(form.text))
    return 2 * stated >= sum(form.count for form in forms)


def _are_events(forms: Sequence[Template]) -> bool:
    """Return whether most lines at the left margin have a time or a level: other lines there may be other output."""
    margin = [form for form in forms if form.text[:1] not in " \t"]
    stated = sum(form.count for form in margin if form.level or find_timestamp(form.text))
    return 2 * stated >= sum(form.count for form in margin)


def _make_outline(sections: Iterable[Section], example: tuple[int, int] | None) -> Outline:
    return Outline(NAME, tuple(section for section in sections if section.entries), example=example)


def _choose_example(forms: Sequence[Template], total: int) -> tuple[int, int] | None:
    """Return the line range around the first error or suspect line, or None."""
    bad = next((form for form in sorted(forms, key=lambda form: form.first) if form.severity <= SUSPECT), None)
    return (max(bad.first - BEFORE, 1), min(max(bad.end, bad.first + AFTER), bad.first + 100, total)) if bad else None


def _read_templates(document: InputDocument, sample: Sequence[str]) -> tuple[TemplateCounter, TimestampTracker]:
    """Count the lines of the whole document by their forms."""
    rows = [row for row in document.head.split("\n")[:SAMPLE] if row.strip()]
    indented = sum(row[0] in " \t" for row in rows) < len(rows) / 2
    requests = sum(REQUEST.search(row) is not None for row in sample) > len(sample) / 2
    templates = TemplateCounter(indented=indented, statuses=requests, codes=has_message_codes(sample))
    clock = TimestampTracker(next((row for row in sample if find_timestamp(row)), ""))
    number = 1
    for block in document.lines.blocks():
        lines = block.split("\n")
        templates.add_lines(block, lines, number)
        clock.add_lines(lines, number)
        number += len(lines)
    return templates, clock


def _summarize(templates: TemplateCounter, clock: TimestampTracker, forms: Sequence[Template]) -> Iterator[Entry]:
    """Yield entries on the whole log: time span, longest gap and levels."""
    if clock.first and clock.last:
        (start, begun), (end, ended) = clock.first, clock.last
        until = f" to {_read_stamp(ended)}" if end > start else ", the only time"
        yield Entry(f"{_read_stamp(begun)}{until}", start, end)
    if clock.gap >= SILENCE:
        yield Entry(f"the longest silence, {format_duration(clock.gap)}", *clock.gap_lines)
    levels: dict[tuple[int, str], int] = {}
    for form in forms:
        place = (LEVELS.get(form.level, form.severity) if form.level else NORMAL + 1, form.level or "none")
        levels[place] = levels.get(place, 0) + form.count
    level_counts = ", ".join(f"{name} {levels[severity, name]:,}" for severity, name in sorted(levels))
    rest = (
        f"; {pluralize(templates.continuation_count, 'line')} indented or blank" if templates.continuation_count else ""
    )
    if {name for _, name in levels} != {"none"}:
        yield Entry(f"lines by the level they state: {level_counts}{rest}")


def _describe_forms(templates: TemplateCounter, forms: Sequence[Template]) -> Iterator[Entry]:
    """Yield entries on the forms of lines: their number, and where they are merged."""
    yield Entry(f"{pluralize(len(forms), 'form')} of lines, told apart by all words without a digit")
    if templates.merged_from:
        note = f"more than {MOST:,} forms: from here on, new ones are merged by level and first words"
        yield Entry(note, templates.merged_from, templates.merged_from)


def _read_stamp(line: str) -> str:
    match = find_timestamp(line)
    return match["stamp"] if match else ""


def _make_end_sections(document: InputDocument) -> Iterator[Section]:
    """Yield a section with the first lines and a section with the last lines."""
    total = document.lines.total
    begin = max(total - END + 1, 1)
    head = document.lines.enumerate_lines(1, min(3, begin - 1))
    first = tuple(_quote_lines((number, text, 6) for number, text in head))
    yield Section("the beginning", first, noun="lines", bare=True, covered=True)
    away = ((total - number, number, text) for number, text in document.lines.enumerate_lines(begin))
    soon = _count_early_lines(document)
    last = tuple(_quote_lines((number, text, 1 if far < soon else 6 + far) for far, number, text in away))
    yield Section("the end", last, noun="lines", bare=True, covered=True)


def _count_early_lines(document: InputDocument) -> int:
    """Return the number of final lines that precede almost everything else."""
    return min(LAST, max(document.target // TOKENS_PER_LAST_LINE, 2))


def _quote_lines(rows: Iterable[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield verbatim entries for lines, with their indentation."""
    for number, text, rank in rows:
        line = (text if text.isprintable() else strip_escapes(text)).rstrip()
        cut = line if len(line) <= 300 else clean_line(line, 300)
        yield Entry(cut, number, number, rank, verbatim=True)
