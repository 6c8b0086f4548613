"""Lines that a map of a specific kind has not quoted, chosen to fill what the map leaves of the target."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import RULE, LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.layout import lay_out
from ctxkit.core.brief.generic.line_choice import LineChoice
from ctxkit.core.brief.generic.packing import pack_lines
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import AddFrame, Rendering, render_outline

MIN_SHARE, MIN_ROOM = 5, 30
"""Percentage of the target, and number of tokens, that a map leaves at least before lines are added to it."""
NAMED_WIDTH = 60
"""Number of characters of a line that an entry of a range shows at least, or all of a shorter line."""
MIN_REPEATED = 20
"""Number of characters from which a line is not quoted if the map has its text elsewhere."""
TITLE = "More lines"
TITLE_TOKENS = 8
_DATA = "archive,binary,csv,har,html,image,json,jsonl,jsonl_log,lock,notebook,office,pdf,sql_dump,toml,xml,yaml"
_RUNNERS = (
    "cargo nextest,cargo test,ctest,go test,gtest,jest,junit xml,mocha,phpunit,pytest,rspec,tap,test report xml"
    ",unittest,vitest,xctest"
)
"""Kinds that know how their runner prints a failure; the failures of other runs, of kind specs, may have any form."""
COMPLETE_KINDS = frozenset(f"{_DATA},text,typeset".split(","))
"""Kinds whose map represents all that matters of their content, or takes all of the target itself."""
LINE_KINDS = frozenset(("csv", "jsonl", "jsonl_log", "sql_dump", "yaml"))
"""Kinds among them whose lines are records: some are quoted if the map leaves more than half of the target."""
LIMITED_SHARES = {**dict.fromkeys(_RUNNERS.split(","), 80), "search": 60, "source": 60}
"""Percentage of the target from which the map of a kind was limited by it; a smaller one says all that matters."""
FAILURES = "Failures"
"""Title of a section of failing tests; if none has details, they may be in a form that the kind does not know."""
UNREAD = "Failing tests without a block"
"""Beginning of the title of a section whose tests may have messages in a form that the kind does not know."""
OTHER_OUTPUT, MIN_OTHER = "other output", 10
"""End of the label of a range in no known form, and number of lines from which it is worth opening."""
LEAST_TARGET = 450
"""Target in tokens from which a part of it is reserved for lines."""
RESERVES = {
    "parts": (40, 12),
    "diagnostics": (40, 6),
    "history": (20, 8),
    "records": (36, 8),
    "table": (30, 8),
    "traceback": (60, 10),
    "tree": (15, 6),
    "profile": (25, 10),
    "build": (20, 8),
    "search": (15, 6),
}
"""Percentages of a small and of a larger target for lines verbatim, by the kinds whose maps say more of the form than
of the content."""


def reserve_tokens(kind: str, target: int) -> int:
    """Return the number of tokens that the map of a kind leaves to lines verbatim if it cannot show all its entries."""
    small, roomy = RESERVES.get(kind, (0, 0)) if target >= LEAST_TARGET else (0, 0)
    return target * (small if target < ROOMY_TARGET else roomy) // 100


def fill_remainder(document: InputDocument, rendering: Rendering, add_frame: AddFrame) -> Rendering:
    """Return the rendering with as many more lines as fit, or as it is if it leaves little room."""
    room = document.target - document.count(rendering.text)
    if room < max(document.target * MIN_SHARE // 100, MIN_ROOM) or _is_complete(rendering.outline, room, document):
        return rendering
    quoted = rendering.find_quoted_lines() | rendering.find_stated_lines()
    quoted |= set(_find_named_lines(rendering.outline, document))
    forms = LineForms(document.lines)
    order = _choose_lines(document, forms, quoted, (room - TITLE_TOKENS) * 3 // 2)
    order = [row for row in order if len(row[1]) < MIN_REPEATED or row[1].strip() not in rendering.text]

    def render(lines: Sequence[tuple[int, str]]) -> Rendering:
        return _add_section(rendering, lay_out(lines, forms, quoted, quoted), add_frame)

    return pack_lines(1, order, render, lambda result: document.count(result.text) <= document.target) or rendering


def _find_named_lines(outline: Outline, document: InputDocument) -> Iterator[int]:
    """Yield the lines whose text an entry of a range shows beside its name."""
    for section in outline.sections:
        for entry in section.entries:
            if entry.start and not entry.verbatim and not entry.in_bytes and ": " in entry.label:
                text = clean_line(document.lines.at(entry.start))[:NAMED_WIDTH]
                if text and f": {text}" in entry.label:
                    yield entry.start


def _choose_lines(
    document: InputDocument, forms: LineForms, quoted: Collection[int], room: int
) -> list[tuple[int, str]]:
    """Return the lines to add in the order of their use, without ruled lines and lines of numbers."""
    groups = find_headings(forms, DEEPEST)
    order = LineChoice(forms, document.count, room, groups, quoted).order
    return [row for row in order if not forms.flags_of(row[0]) & RULE and not _is_number(row[1])]


def _is_number(text: str) -> bool:
    """Return whether a text consists of digits and punctuation."""
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _is_complete(outline: Outline, room: int, document: InputDocument) -> bool:
    """Return whether a map that leaves ``room`` says all that matters, or is not about lines."""
    is_guess = outline.kind == "source" and not (document.suffix or document.content_type)
    is_open = is_guess or any(map(_is_unread, outline.sections))  # only its lines say that a guess is source
    share = 0 if is_open else LIMITED_SHARES.get(outline.kind, 0)
    if room * 100 > document.target * (100 - share):
        return True
    is_data = outline.kind in COMPLETE_KINDS and not (outline.kind in LINE_KINDS and room * 2 > document.target)
    return is_data or any(entry.in_bytes for part in outline.sections for entry in part.entries)


def _is_unread(section: Section) -> bool:
    """Return whether a section is about lines in a form that the kind does not know."""
    if section.title == FAILURES:
        return bool(section.entries) and not any(entry.children for entry in section.entries)
    ranges = (entry for entry in section.entries if entry.label.endswith(OTHER_OUTPUT))
    return section.title.startswith(UNREAD) or any(entry.end - entry.start >= MIN_OTHER for entry in ranges)


def _add_section(rendering: Rendering, section: Section, add_frame: AddFrame) -> Rendering:
    """Return the rendering with a section at its end; the frame stays that of the outline."""
    before, admitted = rendering.outline, rendering.admitted
    outline = replace(before, sections=(*before.sections, replace(section, title=TITLE)))
    if admitted is not None:
        admitted = admitted | _identify(section.entries)
    return Rendering(render_outline(outline, lambda _, *body: add_frame(before, *body), admitted), outline, admitted)


def _identify(entries: Collection[Entry]) -> set[int]:
    return {id(entry) for entry in entries}
