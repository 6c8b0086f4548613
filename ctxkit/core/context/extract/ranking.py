"""Selection of the bullets of a page: the highest scores that fit the token limit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.prepared_items import PIN_SCORE, deduplicate_items, drop_contained, strip_stop
from ctxkit.core.context.template import (
    MAX_BULLETS,
    SECTIONS,
    Extra,
    Section,
    SummaryPage,
    format_bullet,
    render_page,
)
from ctxkit.core.tokens.tokenizer import Tokenizer

MUST_SCORE = 700
"""Minimum score of an item that is on the page whenever space permits, even in a shared bullet."""
LEFT_OUT = "The user made further demands, for which this page has no space."
"""The bullet of a page that does not contain all demands."""
MAX_ITEMS, MIN_BULLET, MIN_TASK = 400, 4, 40
"""Maximum number of items to consider, minimum tokens of a bullet, and tokens that a task may always have."""
LIST_SCORE, LIST_SHARE, BULLET_SHARE = 840, 0.5, 0.09
"""Score of the list of changed files, and the maximum shares of the page for that list and for any other bullet.

The shares apply while other items wait. The remaining tokens lengthen bullets.
"""
TASK_SHARE = 0.4
"""Maximum share of the page for the task."""
MAX_SHARED, SHORT_TOKENS = 4, 48
"""Maximum number of shared bullets in a full section, and maximum tokens of an item in one."""


_LAST_RANK = 1_000_000_000
"""The rank of a bullet that comes last."""


class _SelectedItem(NamedTuple):
    """A selected item with its form."""

    item: PageItem
    form: str
    cost: int


def build_page(items: Iterable[PageItem], extra: Sequence[Extra], target: int, count: Tokenizer) -> SummaryPage:
    """Return the page of at most ``target`` tokens with the highest scores.

    The task and ``extra`` always stay; all other items are dropped before them, lowest score first. Every bullet keeps
    the rules of a page, and a page without some of the user's demands says so.
    """
    candidates = sorted(deduplicate_items(items), key=lambda item: -item.score)[:MAX_ITEMS]
    task = _choose_task([item for item in candidates if item.section == "Task"], target, count)
    base_page = SummaryPage(task=task, extra=tuple(extra))
    waiting = [item for item in candidates if item.section != "Task" and not _is_in_task(item, task)]
    waiting = list(drop_contained(waiting))
    page = _fill_sections(base_page, waiting, target, count)
    if not _lacks_demand(page, waiting):
        return page
    note = PageItem("Decisions", (LEFT_OUT,), PIN_SCORE, _LAST_RANK)
    noted_page = _fill_sections(base_page, [note, *waiting], target, count)
    return noted_page if _lacks_demand(noted_page, waiting) else page


def _lacks_demand(page: SummaryPage, items: Iterable[PageItem]) -> bool:
    """Return whether a demand of the user is missing on a page."""
    decisions = "\n".join(page.decisions)
    return any(
        item.source == "demand" and not any(strip_stop(form) in decisions for form in item.forms) for item in items
    )


def _fill_sections(base_page: SummaryPage, waiting: Sequence[PageItem], target: int, count: Tokenizer) -> SummaryPage:
    """Return the page with the items that fit; those that must stand come first."""
    max_tokens = target - count(render_page(base_page))
    must = [item for item in waiting if item.score >= MUST_SCORE]
    others = [item for item in waiting if item.score < MUST_SCORE]
    selection = _fill_page([], must, max_tokens, 0, count)
    selection = _grow_items(selection, max_tokens - _total_cost(selection), int(BULLET_SHARE * max_tokens), count)
    selection = _fill_page(selection, others, max_tokens, int(BULLET_SHARE * max_tokens), count)
    selection = _grow_items(selection, target - count(render_page(_make_page(base_page, selection))), target, count)
    while selection and count(render_page(page := _make_page(base_page, selection))) > target:
        selection = selection[:-1]
    return _make_page(base_page, selection) if not selection else page


def _is_in_task(item: PageItem, task: str) -> bool:
    """Return whether the task, without the earlier requests that accompany it, already contains a demand."""
    task = task.partition("(asked before: ")[0]
    is_known = item.forms[0] in task or task.startswith(f"{strip_stop(item.forms[0])} (")
    return item.section == "Decisions" and item.score < PIN_SCORE and is_known


def _choose_task(items: Sequence[PageItem], target: int, count: Tokenizer) -> str:
    """Return the best task in the longest form that fits its share of the page."""
    if not items:
        return ""
    forms = items[0].forms
    return next((form for form in forms if count(form) <= max(MIN_TASK, int(TASK_SHARE * target))), forms[-1])


def _fill_page(
    selection: Sequence[_SelectedItem], items: Sequence[PageItem], max_tokens: int, each: int, count: Tokenizer
) -> list[_SelectedItem]:
    """Return the selection and further items that fit, highest score first.

    Each item gets its longest form of at most ``each`` tokens, or its shortest; a list of files may be longer.
    """
    filled = list(selection)
    left = max_tokens - _total_cost(filled)
    numbers = Counter(entry.item.section for entry in filled)
    for item in items:
        if left < MIN_BULLET:
            break
        if numbers[item.section] >= MAX_BULLETS and item.score < MUST_SCORE:
            continue
        form_limit = max(each, int(LIST_SHARE * max_tokens)) if item.score >= LIST_SCORE else each
        if fitting := _fit_item(item, left, form_limit, count):
            filled.append(fitting)
            left -= fitting.cost
            numbers[item.section] += 1
    return filled


def _fit_item(item: PageItem, max_tokens: int, form_limit: int, count: Tokenizer) -> _SelectedItem | None:
    """Return an item in its longest form within ``form_limit``, or in its shortest form; None if neither fits."""
    for form in item.forms:
        cost = _count_cost(item.section, form, count)
        if cost <= max_tokens and (cost <= form_limit or form == item.forms[-1]):
            return _SelectedItem(item, form, cost)
    return None


def _grow_items(
    selection: Sequence[_SelectedItem], spare_tokens: int, each: int, count: Tokenizer
) -> list[_SelectedItem]:
    """Return the items in longer forms of at most ``each`` tokens, as space permits.

    Each round lengthens every item by one form, highest score first.
    """
    grown = list(selection)
    limits = _growth_limits(selection, each)
    grew = True
    while grew:
        grew = False
        for at, entry in enumerate(grown):
            fuller = _find_fuller_form(entry, entry.cost + spare_tokens, limits[at], count)
            if fuller is not None:
                spare_tokens -= fuller.cost - entry.cost
                grown[at], grew = fuller, True
    return grown


def _growth_limits(selection: Sequence[_SelectedItem], each: int) -> list[int]:
    """Return the maximum tokens of each item; items in shared bullets stay short."""
    numbers = Counter(entry.item.section for entry in selection)
    seen: Counter[Section] = Counter()
    limits = []
    for entry in selection:
        section = entry.item.section
        seen[section] += 1
        shares = numbers[section] > MAX_BULLETS and seen[section] > MAX_BULLETS - MAX_SHARED
        limits.append(min(each, SHORT_TOKENS) if shares else each)
    return limits


def _find_fuller_form(entry: _SelectedItem, max_tokens: int, each: int, count: Tokenizer) -> _SelectedItem | None:
    """Return an item in the next longer form, None if that does not fit."""
    for form in reversed(entry.item.forms[: entry.item.forms.index(entry.form)]):
        cost = _count_cost(entry.item.section, form, count)
        if entry.cost < cost <= min(max_tokens, each):
            return _SelectedItem(entry.item, form, cost)
    return None


def _total_cost(selection: Sequence[_SelectedItem]) -> int:
    return sum(entry.cost for entry in selection)


def _join_forms(forms: Iterable[str]) -> str:
    """Return several bullets joined into one sentence, verbatim but for their full stops."""
    *first, last = forms
    return "; ".join([*map(strip_stop, first), last])


def _count_cost(section: Section, form: str, count: Tokenizer) -> int:
    return count(f"{format_bullet(section, form)}\n") + 1


def _make_page(page: SummaryPage, selection: Sequence[_SelectedItem]) -> SummaryPage:
    """Return the page with the selected items in rank order."""
    for section in SECTIONS[1:]:
        page = page.with_bullets(
            section, tuple(_make_bullets([entry for entry in selection if entry.item.section == section]))
        )
    return page


def _make_bullets(selection: Sequence[_SelectedItem]) -> list[str]:
    """Return the bullets of a section; in a full section, the lowest scores share bullets."""
    if len(selection) <= MAX_BULLETS:
        return [entry.form for entry in sorted(selection, key=lambda entry: entry.item.rank)]
    groups = min(len(selection) - MAX_BULLETS + 1, MAX_SHARED)
    alone, rest = (
        selection[: MAX_BULLETS - groups],
        sorted(selection[MAX_BULLETS - groups :], key=lambda entry: entry.item.rank),
    )
    each = -(-len(rest) // groups)
    shared = [rest[at : at + each] for at in range(0, len(rest), each)]
    bullets = [(entry.item.rank, entry.form) for entry in alone]
    bullets += [(group[0].item.rank, _join_forms(entry.form for entry in group)) for group in shared]
    return [form for _, form in sorted(bullets, key=lambda pair: pair[0])]
