"""Layout of the chosen lines: neighbours together, single lines with their numbers, repetitions with their count."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from ctxkit.core.brief.generic.forms import INDENTED, TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.line_order import describe_order_once
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.severity import WARNING

MAX_RUN = 12
"""Maximum number of lines below one line number."""
MAX_PLACES = 8
"""Maximum number of lines of one form of trouble that are named beside the one that is quoted."""
FOLD_STEP = 1_000
"""Number of lines that are compared with a form at a time."""
NODE_LINES = 4
"""Number of lines from which a line that is less indented than the line before begins an entry."""

_PLACED = compile_lazily(r"\s*- (?:Lines? )?\d")
"""Pattern of a line that looks like an entry of the map with a place of its own."""


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
    note = ", such as" if len(places) > MAX_PLACES else ""
    noun = "line" if len(places) == 1 else "lines"
    return f"{len(places):,} more of this form{note} at {noun} {', '.join(map(str, places[:MAX_PLACES]))}"


def _find_next(numbers: Sequence[int], number: int) -> int:
    """Return the next chosen line after ``number``, or 0."""
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else 0


def _iter_runs(texts: dict[int, str], forms: LineForms, headings: Collection[int]) -> Iterator[list[int]]:
    """Yield runs of consecutive lines, divided at headings and where lines begin or cease to state trouble."""
    run: list[int] = []
    for number in sorted(texts):
        if run and (len(run) >= MAX_RUN or number in headings or _divides(run, number, forms)):
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
    if len(run) < NODE_LINES:
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
        end += len(list(takewhile(form.__eq__, forms.list_after(end, min(FOLD_STEP, last - end)))))
    return end if end - number >= 3 else 0
