"""The outline of text of any kind, sized to the target."""

from collections.abc import Callable, Sequence

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, HeadingGroup, find_headings
from ctxkit.core.brief.generic.layout import lay_out
from ctxkit.core.brief.generic.line_choice import LineChoice
from ctxkit.core.brief.generic.long_lines import quote_long_lines
from ctxkit.core.brief.generic.name_index import make_name_index
from ctxkit.core.brief.generic.packing import pack_lines
from ctxkit.core.brief.outline import Outline, Section
from ctxkit.core.brief.render import Rendering, render_outline
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.search import find_largest

SECTION_SHARE, SMALL_SECTION_SHARE = 22, 25
"""Percentage of the target, and of a target below ROOMY_TARGET, for the index of sections: names take few tokens."""
SHORT_TEXT = 24
"""Number of bytes for each token of the target below which a text is short for a small map: its lines matter
more than its sections."""
MIN_PARTS = 60
"""Minimum number of tokens for parts of long lines."""
STEPS = 32
"""Number of sizes that are tried for the parts of long lines, up to twice the estimate."""
SLACK = 4
"""Tokens by which header and hint may grow with the numbers in them."""
EXAMPLE_BEFORE, EXAMPLE_AFTER = 10, 40
"""Number of lines around the first error in the example command."""


@dataclass(frozen=True, slots=True)
class QuoteStyle:
    """Hold the title of the quoted lines, and what leaves out of a line the part that the map does not quote."""

    title: str = ""
    shorten: Callable[[str], str] = str


WHOLE_LINES = QuoteStyle()


def make_generic_outline(
    document: InputDocument,
    name: str,
    summary: Sequence[Section] = (),
    style: QuoteStyle = WHOLE_LINES,
    forms: LineForms | None = None,
) -> Outline:
    """Return the outline that takes as much of the target as possible, after the sections of a ``summary``.

    ``forms`` are those of the document, if they are read already.
    """
    forms = forms or LineForms(document.lines)
    urgent = document.target < ROOMY_TARGET
    summary_outline = Outline(name, tuple(summary))
    quoted = Rendering("", summary_outline).find_quoted_lines() if summary else set()
    taken = document.count(_render(summary_outline)) if summary else 0
    room = max(document.target - document.frame_tokens - SLACK - taken, 0)
    groups = find_headings(forms, DEEPEST)
    headings = {number for group in groups for number in group.numbers}
    index = _make_index(document, forms, groups, room)
    named = {entry.start for entry in index.entries if entry.dense} if urgent else set()
    order = LineChoice(forms, document.count, room * 3 // 2, groups, named.union(quoted), style.shorten).order
    example = _choose_example(forms)
    short = [text for number, text in order if number not in forms.long_lines]
    spent = document.count(_render(Outline(name, (index,)))) + sum(document.count(text) + 6 for text in short)
    parts = _quote_parts(document, forms, room - spent)

    if parts:
        order = [row for row in order if row[0] not in forms.long_lines]

    def make(lines: Sequence[tuple[int, str]]) -> Outline:
        body = (*summary, index, replace(lay_out(lines, forms, headings, quoted), title=style.title), *parts)
        return Outline(name, tuple(section for section in body if section.entries), example=example, urgent=urgent)

    def fits(outline: Outline) -> bool:
        return document.count(_render(outline)) <= room + taken

    return pack_lines(0, order, make, fits) or replace(summary_outline, example=example, urgent=urgent)


def _make_index(
    document: InputDocument, forms: LineForms, groups: Sequence[HeadingGroup], room: int
) -> Section:
    """Return the names of the sections; where tokens are few, a heading is named or quoted, but not both."""
    share = SECTION_SHARE
    if document.target < ROOMY_TARGET:
        share = SMALL_SECTION_SHARE // (2 if document.lines.size < room * SHORT_TEXT else 1)
    return make_name_index(groups, forms, document.count, room * share // 100, (1, forms.total))


def _quote_parts(document: InputDocument, forms: LineForms, room: int) -> tuple[Section, ...]:
    """Return as large parts of the long lines as fit, if the chosen lines leave space."""
    if room < MIN_PARTS or not forms.long_lines:
        return ()
    parts = find_largest(
        1,
        STEPS,
        lambda size: quote_long_lines(document, forms.long_lines, room * size // (STEPS // 2)),
        lambda section: document.count(_render(Outline("", (section,)))) <= room,
    )
    return (parts,) if parts else ()


def _render(outline: Outline) -> str:
    return render_outline(outline, lambda _, body, __: body, None)


def _choose_example(forms: LineForms) -> tuple[int, int]:
    """Return the lines around the first error, or the first lines."""
    number = forms.find_first_error() or 1
    return max(number - EXAMPLE_BEFORE, 1), max(min(number + EXAMPLE_AFTER, forms.total), 1)
