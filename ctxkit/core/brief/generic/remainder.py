"""Lines that a map of a specific kind has not quoted, chosen to fill what the map leaves of the target."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import RULE, LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.layout import lay_out
from ctxkit.core.brief.generic.line_choice import LineChoice
from ctxkit.core.brief.generic.packing import pack_lines
from ctxkit.core.brief.generic.replaced_lines import find_replacements
from ctxkit.core.brief.outline import Outline, clean_line
from ctxkit.core.brief.render import AddFrame, Rendering, add_section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

MIN_ROOM = 30
"""Number of tokens that a map leaves at least before lines are added to it."""
NAMED_WIDTH = 60
"""Number of characters of a line that an entry of a range shows at least, or all of a shorter line."""
MIN_REPEATED = 20
"""Number of characters from which a line is not quoted if the map has its text elsewhere."""
MOST_EQUAL = 10
"""Number of equal lines of records from which they say nothing about one of them."""
TITLE = "More lines"
TITLE_TOKENS = 8
WHOLE_KINDS = frozenset(("text", "typeset", "archive", "binary", "image", "office", "pdf"))
"""Kinds whose maps choose lines themselves, or whose content has no lines to quote."""
PROGRESS = compile_lazily(
    r"\bPASS(?:ED)?\b|\[ +OK \]|\A\s*ok\b|(?<!not )\b(?:OK|ok)\s*\Z|\.\.\. ok\b|[\u2713\u2714\u221a]"
    r"|=== (?:RUN|PAUSE|CONT|NAME)|\[ RUN |\A\s*not ok \d.* # (?i:todo|skip)\b"
    r"|\A[.sxFE,*]{3,}(?:\s|\Z)|\A([=_-])\1{2,} [^=]{0,200} \1{3,}\Z|\AE?\s*\Z"
)
"""Pattern of lines that only say that a test has passed or has run, and of the ruled headings of pytest: the map of a
test run quotes none of them."""
PROGRESS_WIDTH = 400
"""Number of characters of a line that are searched for it."""
LEAST_TARGET = 450
"""Target in tokens from which a part of it is reserved for lines."""
RESERVE = 15
"""Percentage of a target for lines verbatim, of kinds that RESERVES does not list: with it, maps of 2,000 tokens state
the one odd line of a format that they do not open."""
RESERVES = {
    "diagnostics": (40, 6),
    "history": (20, 8),
    "records": (36, 8),
    "table": (30, 8),
    "profile": (25, 10),
    "search": (15, 6),
    "source": (8, 5),
    "log": (0, 0),
    **dict.fromkeys(("csv", "jsonl", "listing", "symbols"), (0, 5)),
}
"""Percentages of a small and of a larger target for lines verbatim, by kind: more where a map says more of the form
than of the content, fewer where it names all that a file defines, or sums up what its single rows do not show."""


def reserve_tokens(kind: str, target: int) -> int:
    """Return the number of tokens that the map of a kind leaves to lines verbatim if it cannot show all its entries.

    A larger target never leaves fewer.
    """
    if kind in WHOLE_KINDS or target < LEAST_TARGET:
        return 0
    small, roomy = RESERVES.get(kind, (RESERVE, RESERVE))
    return max(min(target, ROOMY_TARGET) * small, target * (0 if target < ROOMY_TARGET else roomy)) // 100


def fill_remainder(document: InputDocument, rendering: Rendering, add_frame: AddFrame) -> Rendering:
    """Return the rendering with as many more lines as fit, or as it is if it leaves little room."""
    room = document.target - document.count(rendering.text)
    if room < MIN_ROOM or _is_complete(rendering.outline):
        return rendering
    quoted = rendering.find_quoted_lines() | rendering.find_stated_lines()
    quoted |= set(_find_named_lines(rendering.outline, document))
    forms = LineForms(document.lines)
    apart = quoted | _find_redundant_lines(rendering.outline, document)
    order = _choose_lines(document, forms, apart, (room - TITLE_TOKENS) * 3 // 2)
    order = [row for row in order if len(row[1]) < MIN_REPEATED or row[1].strip() not in rendering.text]

    def render(lines: Sequence[tuple[int, str]]) -> Rendering:
        section = replace(lay_out(lines, forms, quoted, quoted), title=TITLE)
        return add_section(rendering, section, add_frame)

    return pack_lines(1, order, render, lambda result: document.count(result.text) <= document.target) or rendering


def _find_named_lines(outline: Outline, document: InputDocument) -> Iterator[int]:
    """Yield the lines whose text an entry of a range shows beside its name."""
    for section in outline.sections:
        for entry in section.entries:
            if entry.start and not entry.verbatim and not entry.in_bytes and ": " in entry.label:
                text = clean_line(document.lines.at(entry.start))[:NAMED_WIDTH]
                if text and f": {text}" in entry.label:
                    yield entry.start


def _find_redundant_lines(outline: Outline, document: InputDocument) -> set[int]:
    """Return the lines of a test run that report no more than its progress, and those that a diff replaces.

    Of records, those are redundant that many have.
    A removed line says little without the added line in its place, which stands alone just as well.
    """
    if outline.kind == "diff":
        return {pair.old for pair in find_replacements(document.lines.enumerate_lines())}
    if outline.kind == "records":
        counts = Counter(hash(text) for _, text in document.lines.enumerate_lines())
        return {number for number, text in document.lines.enumerate_lines() if counts[hash(text)] >= MOST_EQUAL}
    if not outline.is_run:
        return set()
    return {number for number, text in document.lines.enumerate_lines() if PROGRESS.search(text[:PROGRESS_WIDTH])}


def _choose_lines(
    document: InputDocument, forms: LineForms, quoted: Collection[int], room: int
) -> list[tuple[int, str]]:
    """Return the lines to add in the order of their use, without ruled lines and lines without a letter."""
    groups = find_headings(forms, DEEPEST)
    order = LineChoice(forms, document.count, room, groups, quoted).order
    return [row for row in order if not forms.flags_of(row[0]) & RULE and any(map(str.isalpha, row[1]))]


def _is_complete(outline: Outline) -> bool:
    """Return whether a map takes all of the target itself, or is not about lines."""
    return outline.kind in WHOLE_KINDS or any(entry.in_bytes for part in outline.sections for entry in part.entries)
