"""Sections of a log: every form of line, the worst and the rarest first."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.rare_lines import make_index
from ctxkit.core.brief.logs.templates import ERROR, NORMAL, SUSPECT, WARN, Template
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.quantity import pluralize

RARE = 2
"""Maximum number of occurrences for a form to be rare."""
SHARE = 45
"""Maximum percentage of the target for quoted rare lines; more of them are indexed instead."""
QUOTED_WIDTH = 200
"""Maximum number of characters quoted from a line."""
_ONE_WORD = compile_lazily(r"\W*\w*\W*\Z")
MAX_ENTRIES = 1_000
"""Maximum number of entries of a section; the others are given as one range."""


def make_section_layouts(forms: Sequence[Template], document: InputDocument) -> Iterator[tuple[Section, ...]]:
    """Yield the sections with all forms quoted, and if the rare ones take too much space, a version with an index."""
    yield tuple(_make_sections(forms))
    rare = [form for form in forms if form.count <= RARE]
    room = document.target * SHARE // 100
    quoted = "\n".join(f"- {form.first}: {form.text[:QUOTED_WIDTH]}" for form in rare[:room])
    if rare and document.count(quoted) > room:
        yield tuple(_make_indexed_sections(forms, rare, document))


def _make_sections(forms: Sequence[Template]) -> Iterator[Section]:
    """Yield sections of the forms, the worst first; of normal forms, the rare before the frequent."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SUSPECT]
    warned = [form for form in forms if form.severity == WARN]
    rare = [form for form in forms if form.severity == NORMAL and form.count <= RARE]
    often = [form for form in forms if form.severity == NORMAL and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield make_section("Errors and worse", bad, [0] + [2] * 2 + [3] * 3 + [4] * 14, 6)
    yield make_section(_format_signs_title(signs), signs, [1 if bad else 0] + [3] * 3 + [4] * 5, 7)
    yield make_section("Warnings", warned, [3] * 2 + [5] * 6, 7)
    yield make_section(f"Rare (at most {RARE}x)", rare, [2] * 4 + [3] * 4 + [4] * 4 + [6] * 30, 8)
    yield make_section("Frequent", often, [5] * 10, 9)


def _make_indexed_sections(
    forms: Sequence[Template], rare: Sequence[Template], document: InputDocument
) -> Iterator[Section]:
    """Yield shorter sections of the forms, with an index of all rare ones before the frequent ones."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SUSPECT]
    warned = [form for form in forms if form.severity == WARN and form.count > RARE]
    often = [form for form in forms if form.severity == NORMAL and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield make_section("Errors and worse", bad, [0, 1] + [3] * 3, 7)
    yield make_section(_format_signs_title(signs), signs, [1 if bad else 0, 1] + [4] * 2, 8)
    yield make_index(format_index_title(rare), rare, document.count, document.target * SHARE // 100, 2)
    yield make_section("Warnings", warned, [5] * 4, 8)
    yield make_section("Frequent", often, [5] * 10, 9)


def _format_signs_title(signs: Sequence[Template]) -> str:
    """Return the title of lines with words of failure, of which none states the level of an error."""
    return "Trouble without an error level" if any(form.level for form in signs) else "Trouble without a level"


def format_index_title(rare: Sequence[Template]) -> str:
    """Return the title of an index of the rare forms."""
    return f"Rare (at most {RARE}x), by line: {pluralize(len(rare), 'form')}, with words that tell them apart"


def make_section(title: str, forms: Sequence[Template], early: Sequence[int], late: int) -> Section:
    """Return a section of forms: the first ones with the ranks in ``early``, all others with rank ``late``."""
    forms = sorted(forms, key=_is_bare)
    ranks = [*early, *([late] * (len(forms) + 1))]
    entries = [_make_entry(form, rank) for form, rank in zip(forms[:MAX_ENTRIES], ranks, strict=False)]
    rest = forms[MAX_ENTRIES:]
    if rest:
        last = max(form.last for form in rest)
        entries.append(Entry(f"{len(rest):,} forms more", min(form.first for form in rest), last, ranks[0]))
    total = sum(form.count for form in forms)
    heading = f"{title}: {pluralize(len(forms), 'form')}, {pluralize(total, 'line')}"
    return Section(heading, tuple(entries), noun="forms")


def _is_bare(form: Template) -> bool:
    """Return whether a line states a level and nothing else, as the blank lines of a message of Maven do."""
    return bool(form.level) and _ONE_WORD.match(form.text) is not None


def _make_entry(form: Template, rank: int) -> Entry:
    """Return an entry with the first line of a form, and its count if there are more."""
    text = clean_line(form.text, hidden=form.hidden)
    example = Entry(text, form.first, form.first, rank, verbatim=True)
    if form.count == 1:
        return example
    return Entry(f"{form.count:,}x, such as", form.first, form.last, rank, children=(example,))
