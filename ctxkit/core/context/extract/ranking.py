"""Choosing what stands on the page: the worthiest that fits into the tokens there are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.limits import MARKUP, key_of
from ctxkit.core.context.sentences import sentences
from ctxkit.core.context.template import MOST, SECTIONS, Context, Extra, Section, normal, render, written
from ctxkit.core.tokenizer import Tokenizer

MUST = 700
"""What is worth this stands on the page whenever there is room, if need be several in a bullet."""
PINNED = 9_000
"""What is worth this must be told, wherever else it stands."""
CONSIDERED, LEAST = 400, 4
"""Items that are looked at, the worthiest, and tokens of a bullet at least."""
LIST, LISTED, EACH = 840, 0.5, 0.09
"""What the list of changed files is worth, and the parts of the room that it, and any other bullet, may take in a form
longer than the shortest as long as others wait; what is left in the end goes to fuller forms."""
SHARED, SHORT = 4, 48
"""Bullets of a section at most that hold several items each, where there are too many, and tokens of such an item."""


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
    waiting = [item for item in found if item.section != "Task" and not _within(item, task)]
    room = target - count(render(bare))
    must = [item for item in waiting if item.worth >= MUST]
    chosen = _filled([], must, room, 0, count)
    chosen = _grown(chosen, room - _total(chosen), int(EACH * room), count)
    chosen = _filled(chosen, waiting[len(must) :], room, int(EACH * room), count)
    chosen = _grown(chosen, target - count(render(_page(bare, chosen))), target, count)
    while chosen and count(render(page := _page(bare, chosen))) > target:
        chosen = chosen[:-1]
    return _page(bare, chosen) if not chosen else page


def _once(items: Iterable[Item]) -> list[Item]:
    """Return items that say something, each once: the worthiest of the same."""
    told: dict[str, Item] = {}
    for item in items:
        forms = tuple(dict.fromkeys(form for form in map(normal, _unmarked(item)) if form))
        if not forms:
            continue
        key = key_of(forms[0])
        if key not in told or told[key].worth < item.worth:
            told[key] = item._replace(forms=forms)
    return list(told.values())


def _unmarked(item: Item) -> Sequence[str]:
    """Return the forms of an item without marks of reasoning, which no page may hold; of a task the sentences so."""
    if not any(map(MARKUP.search, item.forms)):
        return item.forms
    bare = [form for form in item.forms if not MARKUP.search(form)]
    if bare or item.section != "Task":
        return bare
    return [" ".join(one for one in sentences(form) if not MARKUP.search(one)) for form in item.forms]


def _within(item: Item, task: str) -> bool:
    """Tell whether the task already says what a bullet of Decisions or Pending would."""
    return item.section in ("Decisions", "Pending") and item.worth < PINNED and item.forms[0] in task


def _task(items: Sequence[Item], target: int, count: Tokenizer) -> str:
    """Return the worthiest task, as long as a quarter of the page has room for it."""
    if not items:
        return ""
    forms = items[0].forms
    return next((form for form in forms if count(form) <= max(24, target // 4)), forms[-1])


def _filled(
    chosen: Sequence[_Chosen], items: Sequence[Item], room: int, each: int, count: Tokenizer
) -> list[_Chosen]:
    """Return what is chosen and the items that fit beside it, the worthiest first.

    Each takes its fullest form of at most ``each`` tokens, else its shortest; a list of files may take more.
    """
    made = list(chosen)
    left = room - _total(made)
    numbers = Counter(one.item.section for one in made)
    for item in items:
        if left < LEAST:
            break
        if numbers[item.section] >= MOST and item.worth < MUST:
            continue
        most = max(each, int(LISTED * room)) if item.worth >= LIST else each
        if found := _fitting(item, left, most, count):
            made.append(found)
            left -= found.cost
            numbers[item.section] += 1
    return made


def _fitting(item: Item, room: int, most: int, count: Tokenizer) -> _Chosen | None:
    """Return an item in the fullest form that fits and takes no more than ``most``, but for the shortest."""
    for form in item.forms:
        cost = _cost(item.section, form, count)
        if cost <= room and (cost <= most or form == item.forms[-1]):
            return _Chosen(item, form, cost)
    return None


def _grown(chosen: Sequence[_Chosen], room: int, each: int, count: Tokenizer) -> list[_Chosen]:
    """Return items in fuller forms of at most ``each`` tokens, as far as there is room.

    All go one form up before one goes two, the worthiest first.
    """
    made = list(chosen)
    most = _mosts(chosen, each)
    grew = True
    while grew:
        grew = False
        for at, one in enumerate(made):
            fuller = _fuller(one, one.cost + room, most[at], count)
            if fuller is not None:
                room -= fuller.cost - one.cost
                made[at], grew = fuller, True
    return made


def _mosts(chosen: Sequence[_Chosen], each: int) -> list[int]:
    """Return how many tokens each item may grow to: those that share a bullet stay short."""
    numbers = Counter(one.item.section for one in chosen)
    seen: Counter[Section] = Counter()
    found = []
    for one in chosen:
        section = one.item.section
        seen[section] += 1
        shares = numbers[section] > MOST and seen[section] > MOST - SHARED
        found.append(min(each, SHORT) if shares else each)
    return found


def _fuller(one: _Chosen, room: int, each: int, count: Tokenizer) -> _Chosen | None:
    """Return an item in the next fuller form that is longer than the one it has, if that fits."""
    for form in reversed(one.item.forms[: one.item.forms.index(one.form)]):
        cost = _cost(one.item.section, form, count)
        if one.cost < cost <= min(room, each):
            return _Chosen(one.item, form, cost)
    return None


def _total(chosen: Sequence[_Chosen]) -> int:
    return sum(one.cost for one in chosen)


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
    groups = min(len(chosen) - MOST + 1, SHARED)
    alone, rest = chosen[: MOST - groups], sorted(chosen[MOST - groups :], key=lambda one: one.item.rank)
    each = -(-len(rest) // groups)
    shared = [rest[at : at + each] for at in range(0, len(rest), each)]
    bullets = [(one.item.rank, one.form) for one in alone]
    bullets += [(group[0].item.rank, _together(one.form for one in group)) for group in shared]
    return [form for _, form in sorted(bullets, key=lambda pair: pair[0])]
