"""Choosing what stands on the page: the worthiest that fits into the tokens there are."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.limits import key_of
from ctxkit.core.context.template import MOST, SECTIONS, Context, Extra, Section, normal, render, written
from ctxkit.core.tokenizer import Tokenizer

MUST = 700
"""What is worth this stands on the page whenever there is room, if need be several in a bullet."""
PINNED = 9_000
"""What is worth this must be told, wherever else it stands."""
CONSIDERED = 400
LIST, LISTED, EACH = 840, 0.5, 0.09
"""What the list of changed files is worth, and the parts of the room that it and any other bullet may take in a form
longer than the shortest, before everything that must stand does; what is left then goes to fuller forms."""


class _Chosen(NamedTuple):
    """Hold an item with the form that it takes."""

    item: Item
    form: str
    cost: int


def ranked(items: Iterable[Item], extra: Sequence[Extra], target: int, count: Tokenizer) -> Context:
    """Return the page of at most ``target`` tokens that holds what is worth most.

    The task and ``extra`` stand whatever they take; everything else falls before they do, the least worthy first.
    """
    found = sorted(_once(items), key=lambda item: -item.worth)[:CONSIDERED]
    task = _task([item for item in found if item.section == "Task"], target, count)
    bare = Context(task=task, extra=tuple(extra))
    chosen = _filled(
        [item for item in found if item.section != "Task" and not _within(item, task)],
        target - count(render(bare)),
        count,
    )
    chosen = _grown(chosen, target - count(render(_page(bare, chosen))), count)
    while chosen and count(render(page := _page(bare, chosen))) > target:
        chosen = chosen[:-1]
    return _page(bare, chosen) if not chosen else page


def _once(items: Iterable[Item]) -> list[Item]:
    """Return items that say something, each once: the worthiest of the same."""
    told: dict[str, Item] = {}
    for item in items:
        forms = tuple(dict.fromkeys(form for form in map(normal, item.forms) if form))
        if not forms:
            continue
        key = key_of(forms[0])
        if key not in told or told[key].worth < item.worth:
            told[key] = item._replace(forms=forms)
    return list(told.values())


def _within(item: Item, task: str) -> bool:
    """Tell whether the task already says what a bullet of Decisions or Pending would."""
    return item.section in ("Decisions", "Pending") and item.worth < PINNED and item.forms[0] in task


def _task(items: Sequence[Item], target: int, count: Tokenizer) -> str:
    """Return the worthiest task, as long as a quarter of the page has room for it."""
    if not items:
        return ""
    forms = items[0].forms
    return next((form for form in forms if count(form) <= max(24, target // 4)), forms[-1])


def _filled(items: Sequence[Item], room: int, count: Tokenizer) -> list[_Chosen]:
    """Return items that fit, the worthiest first, each in its fullest form that leaves room for others."""
    chosen: list[_Chosen] = []
    numbers = dict.fromkeys(SECTIONS, 0)
    whole = room
    for item in items:
        if numbers[item.section] >= MOST and item.worth < MUST:
            continue
        share = whole * (LISTED if item.worth >= LIST else EACH)
        for form in item.forms:
            cost = _cost(item.section, form, count)
            last = form == item.forms[-1]
            if cost <= room and (last or cost <= share):
                chosen.append(_Chosen(item, form, cost))
                room -= cost
                numbers[item.section] += 1
                break
        if room < 4:
            break
    return chosen


def _grown(chosen: list[_Chosen], room: int, count: Tokenizer) -> list[_Chosen]:
    """Return items in fuller forms, as far as there is room, the worthiest first."""
    made: list[_Chosen] = []
    for one in chosen:
        for form in one.item.forms[: one.item.forms.index(one.form)]:
            cost = _cost(one.item.section, form, count)
            if cost - one.cost <= room:
                room -= cost - one.cost
                one = _Chosen(one.item, form, cost)
                break
        made.append(one)
    return made


def _together(forms: Iterable[str]) -> str:
    """Return several bullets as one, word for word."""
    made = ""
    for form in forms:
        made = f"{made}{' ' if made[-1:] in '.!?。！？' else '; '}{form}" if made else form
    return made


def _cost(section: Section, form: str, count: Tokenizer) -> int:
    return count(f"{written(section, form)}\n") + 1


def _page(bare: Context, chosen: Sequence[_Chosen]) -> Context:
    """Return the page with the chosen items in their order."""
    for section in SECTIONS[1:]:
        bare = bare.filled(section, tuple(_bullets([one for one in chosen if one.item.section == section])))
    return bare


def _bullets(chosen: Sequence[_Chosen]) -> list[str]:
    """Return the bullets of a section; where there are too many, the least worthy share some."""
    if len(chosen) <= MOST:
        return [one.form for one in sorted(chosen, key=lambda one: one.item.rank)]
    groups = min(len(chosen) - MOST + 1, 4)
    alone, rest = chosen[: MOST - groups], sorted(chosen[MOST - groups :], key=lambda one: one.item.rank)
    each = -(-len(rest) // groups)
    shared = [rest[at : at + each] for at in range(0, len(rest), each)]
    bullets = [(one.item.rank, one.form) for one in alone]
    bullets += [(group[0].item.rank, _together(one.form for one in group)) for group in shared]
    return [form for _, form in sorted(bullets, key=lambda pair: pair[0])]
