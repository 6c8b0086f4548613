"""Lines that a map of a specific kind has not quoted, chosen to fill what the map leaves of the target."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, takewhile
from typing import TypeVar

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import INDENTED, RULE, TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_choice import LineChoice, TokenBudget, describe_order_once
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import AddFrame, Rendering, add_section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import find_largest_number
from ctxkit.core.text.severity import WARNING

_MAX_RUN = 12
"""Maximum number of lines below one line number."""
_MAX_PLACES = 8
"""Maximum number of lines of one form of trouble that are named beside the one that is quoted."""
_FOLD_STEP = 1_000
"""Number of lines that are compared with a form at a time."""
_NODE_LINES = 4
"""Number of lines from which a line that is less indented than the line before begins an entry."""
_PLACED = compile_lazily(r"\s*- (?:Lines? )?\d")
"""Pattern of a line that looks like an entry of the map with a place of its own."""
TRIES = 8
"""Number of later lines that are tried."""
Line = tuple[int, str]
Result = TypeVar("Result")
_WORD = compile_lazily(r"\w+|\W")


class Replacement(NamedTuple):
    """Hold a removed line and the added line in its place, with their numbers and without their marks."""

    old: int
    new: int
    before: str
    after: str

    def find_words(self) -> frozenset[tuple[str, str]] | None:
        """Return the words that differ, each with that in its place; None if they cannot be compared one by one."""
        before, after = _WORD.findall(self.before), _WORD.findall(self.after)
        if len(before) != len(after):
            return None
        return frozenset(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])


MIN_ROOM = 30
"""Number of tokens that a map leaves at least before lines are added to it."""
_NAMED_WIDTH = 60
"""Number of characters of a line that an entry of a range shows at least, or all of a shorter line."""
_MIN_REPEATED = 20
"""Number of characters from which a line is not quoted if the map has its text elsewhere."""
_MOST_EQUAL = 10
"""Number of equal lines of records from which they say nothing about one of them."""
TITLE = "More lines"
_TITLE_TOKENS = 8
WHOLE_KINDS = frozenset(("text", "typeset", "archive", "binary", "image", "office", "pdf"))
"""Kinds whose maps choose lines themselves, or whose content has no lines to quote."""
_PROGRESS = compile_lazily(
    r"\bPASS(?:ED)?\b|\[ +OK \]|\A\s*ok\b|(?<!not )\b(?:OK|ok)\s*\Z|\.\.\. ok\b|[\u2713\u2714\u221a]"
    r"|=== (?:RUN|PAUSE|CONT|NAME)|\[ RUN |\A\s*not ok \d.* # (?i:todo|skip)\b"
    r"|\A[.sxFE,*]{3,}(?:\s|\Z)|\A([=_-])\1{2,} [^=]{0,200} \1{3,}\Z|\AE?\s*\Z"
)
"""Pattern of lines that only say that a test has passed or has run, and of the ruled headings of pytest: the map of a
test run quotes none of them."""
_PROGRESS_WIDTH = 400
"""Number of characters of a line that are searched for it."""
_LEAST_TARGET = 450
"""Target in tokens from which a part of it is reserved for lines."""
_RESERVE = 15
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
    if kind in WHOLE_KINDS or target < _LEAST_TARGET:
        return 0
    small, roomy = RESERVES.get(kind, (_RESERVE, _RESERVE))
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
    order = _choose_lines(document, forms, apart, (room - _TITLE_TOKENS) * 3 // 2)
    order = [row for row in order if len(row[1]) < _MIN_REPEATED or row[1].strip() not in rendering.text]

    def render(lines: Sequence[tuple[int, str]]) -> Rendering:
        section = replace(lay_out(lines, forms, quoted, quoted), title=TITLE)
        return add_section(rendering, section, add_frame)

    return pack_lines(1, order, render, lambda result: document.count(result.text) <= document.target) or rendering


def _find_named_lines(outline: Outline, document: InputDocument) -> Iterator[int]:
    """Yield the lines whose text an entry of a range shows beside its name."""
    for section in outline.sections:
        for entry in section.entries:
            if entry.start and not entry.verbatim and not entry.in_bytes and ": " in entry.label:
                text = clean_line(document.lines.at(entry.start))[:_NAMED_WIDTH]
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
        return {number for number, text in document.lines.enumerate_lines() if counts[hash(text)] >= _MOST_EQUAL}
    if not outline.is_run:
        return set()
    return {number for number, text in document.lines.enumerate_lines() if _PROGRESS.search(text[:_PROGRESS_WIDTH])}


def _choose_lines(
    document: InputDocument, forms: LineForms, quoted: Collection[int], room: int
) -> list[tuple[int, str]]:
    """Return the lines to add in the order of their use, without ruled lines and lines without a letter."""
    groups = find_headings(forms, DEEPEST)
    order = LineChoice(forms, TokenBudget(document.count, room), groups, quoted).order
    return [row for row in order if not forms.flags_of(row[0]) & RULE and any(map(str.isalpha, row[1]))]


def _is_complete(outline: Outline) -> bool:
    """Return whether a map takes all of the target itself, or is not about lines."""
    return outline.kind in WHOLE_KINDS or any(entry.in_bytes for part in outline.sections for entry in part.entries)


def lay_out(
    order: Sequence[tuple[int, str]], forms: LineForms, headings: Collection[int], quoted: Collection[int] = ()
) -> Section:
    """Return the chosen lines in the order of the text; the map has quoted those of ``quoted`` elsewhere."""
    texts = dict(order)
    ranks = {number: rank for rank, (number, _) in enumerate(order)}
    return Section("", tuple(_iter_entries(texts, ranks, forms, headings, quoted)), noun="")


def _iter_entries(
    texts: dict[int, str],
    ranks: dict[int, int],
    forms: LineForms,
    headings: Collection[int],
    quoted: Collection[int],
) -> Iterator[Entry]:
    numbers = sorted(texts)
    unquoted_trouble = _group_trouble(texts, forms, quoted)
    for run in _iter_runs(texts, forms, headings):
        rank = min(ranks[number] for number in run)
        label = "\n  ".join([texts[run[0]].lstrip(), *(texts[number] for number in run[1:])])
        yield Entry(label, run[0], run[-1], rank, verbatim=True)
        after = _find_next(numbers, run[-1])
        fold = _find_fold(run[-1], after, forms)
        if fold:
            count = fold - run[-1]
            order = describe_order_once(forms, run[-1] + 1, fold)
            yield Entry(f"{count:,} more lines of this form{order}", run[-1] + 1, fold, rank)
        for number in run:
            places = [place for place in unquoted_trouble.pop(forms.form_of(number), ()) if not run[-1] < place <= fold]
            if places:
                yield Entry(_name_places(places), rank=rank)


def _group_trouble(texts: Collection[int], forms: LineForms, quoted: Collection[int]) -> dict[int, list[int]]:
    """Return the lines that state trouble and are not quoted, by their form, if a line of that form is quoted."""
    if forms.total > len(forms.flags):  # the number would not be that of all lines
        return {}
    places: dict[int, list[int]] = {forms.form_of(number): [] for number in texts}
    for number, severity in forms.iter_trouble():
        group = places.get(forms.form_of(number))
        if group is not None and severity >= WARNING and number not in texts and number not in quoted:
            group.append(number)
    return places


def _name_places(places: Sequence[int]) -> str:
    """Return the number of lines of a form that states trouble, and the first of them."""
    note = ", such as" if len(places) > _MAX_PLACES else ""
    noun = "line" if len(places) == 1 else "lines"
    return f"{len(places):,} more of this form{note} at {noun} {', '.join(map(str, places[:_MAX_PLACES]))}"


def _find_next(numbers: Sequence[int], number: int) -> int:
    """Return the next chosen line after ``number``, or 0."""
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else 0


def _iter_runs(texts: dict[int, str], forms: LineForms, headings: Collection[int]) -> Iterator[list[int]]:
    """Yield runs of consecutive lines, divided at headings and where lines begin or cease to state trouble."""
    run: list[int] = []
    for number in sorted(texts):
        if run and (len(run) >= _MAX_RUN or number in headings or _divides(run, number, forms)):
            yield run
            run = []
        if run and _looks_like_entry(texts[number], texts[run[0]], run):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _looks_like_entry(text: str, first: str, run: Sequence[int]) -> bool:
    """Return whether a line in a run would look like an entry of the map: ``- 12``, or ``- item`` below no title."""
    is_item = len(run) == 1 and text.startswith("- ") and not first.endswith(":") and not first.startswith("- ")
    return is_item or _PLACED.match(text) is not None


def _divides(run: Sequence[int], number: int, forms: LineForms) -> bool:
    """Return whether a line does not continue a run: others stand between, or something else begins."""
    if number != run[-1] + 1 or _turns(number, forms):
        return True
    if len(run) < _NODE_LINES:
        return False
    return _is_outer(forms.lines.at(number), forms.lines.at(number - 1)) or _opens(number, forms)


def _turns(number: int, forms: LineForms) -> bool:
    """Return whether an error begins or ends at a line, or the text returns to the left margin or leaves brackets."""
    before, flags = forms.flags_of(number - 1), forms.flags_of(number)
    if not flags & INDENTED and (before & INDENTED or _is_closer(forms.texts[forms.form_of(number - 1)])):
        return True
    return (before >> TROUBLE_SHIFT >= 2) != (flags >> TROUBLE_SHIFT >= 2)


def _opens(number: int, forms: LineForms) -> bool:
    """Return whether a line after one at the left margin is the first of a block: the next line is indented."""
    before, flags, after = (forms.flags_of(each) for each in (number - 1, number, number + 1))
    return not (before | flags) & INDENTED and bool(after & INDENTED) and forms.form_of(number) > 0


def _is_outer(text: str, before: str) -> bool:
    """Return whether a line with words is less indented than the line before."""
    depth = len(text) - len(text.lstrip())
    return depth < len(before) - len(before.lstrip()) and not _is_closer(text)


def _is_closer(form: str) -> bool:
    """Return whether a form closes brackets and says nothing else."""
    return form != "" and not form.strip("]})>;, ")


def _find_fold(number: int, after: int, forms: LineForms) -> int:
    """Return the last of the lines after ``number`` that have its form, 0 if there are fewer than three."""
    form, end, last = forms.form_of(number), number, (after or forms.total + 1) - 1
    if not form:
        return 0
    while end < last and forms.form_of(end + 1) == form:
        end += len(list(takewhile(form.__eq__, forms.list_after(end, min(_FOLD_STEP, last - end)))))
    return end if end - number >= 3 else 0


def pack_lines(
    least: int, order: Sequence[Line], make: Callable[[Sequence[Line]], Result], fits: Callable[[Result], bool]
) -> Result | None:
    """Return what ``make`` makes of the lines that fit, None if not even the first ``least`` of them do."""
    number = find_largest_number(least, len(order), lambda number: fits(make(order[:number])))
    if number is None:
        return None
    lines = list(order[:number])
    result = make(lines)
    for line in order[number + 1 : number + 1 + TRIES]:
        candidate = make([*lines, line])
        if fits(candidate):
            lines.append(line)
            result = candidate
    return result


def find_replacements(lines: Iterable[tuple[int, str]]) -> Iterator[Replacement]:
    """Yield the replacements of a unified diff, from runs with as many removed as added lines."""
    removed: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []
    for number, line in chain(lines, ((0, ""),)):
        if line[:1] == "-" and not line.startswith("--- ") and not added:
            removed.append((number, line[1:]))
            continue
        if line[:1] == "+" and not line.startswith("+++ ") and removed:
            added.append((number, line[1:]))
            continue
        if len(removed) == len(added):
            yield from (Replacement(o, n, b, a) for (o, b), (n, a) in zip(removed, added, strict=True))
        removed = [(number, line[1:])] if line[:1] == "-" and not line.startswith("--- ") else []
        added = []
