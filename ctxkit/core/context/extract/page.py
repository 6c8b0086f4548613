"""The page of a conversation, told from what was asked, done and said in it."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.record import Record
from ctxkit.core.context.extract.conclusions import conclusion_items, settled_items
from ctxkit.core.context.extract.constraints import constraint_items
from ctxkit.core.context.extract.deed import Deed, deeds, words_beside
from ctxkit.core.context.extract.earlier import summary_items
from ctxkit.core.context.extract.failures import failure_items
from ctxkit.core.context.extract.files import file_items, forms_of
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.judged import judged
from ctxkit.core.context.extract.pending import open_items, todo_items
from ctxkit.core.context.extract.ranking import ranked
from ctxkit.core.context.extract.requests import Request, opening, requests
from ctxkit.core.context.extract.runs import run_items
from ctxkit.core.context.extract.todo import todo_of
from ctxkit.core.context.limits import key_of
from ctxkit.core.context.matter import Matter
from ctxkit.core.context.merge import carried, joined, listed
from ctxkit.core.context.rules import is_rule
from ctxkit.core.context.summary import contents
from ctxkit.core.context.template import SECTIONS, Context, Extra, normal, parse, render

OWN = 712
"""What is worth at least what somebody wrote into the page."""
TASK, BRIEF, LEADING = 420, 120, 3
"""Characters of a request that the task quotes, whole sentences, those that it does where room is short, and how many
requests before a short one are told with it."""


def extract(matter: Matter) -> Context:
    """Return the page of a conversation: everything in it comes from there, word for word where it is quoted.

    It covers the whole path, takes over what still holds of the earlier page, and takes at most the target, unless
    the task and the pins alone are more.
    """
    earlier = earlier_of(matter)
    found = list(_items(matter.records))
    found = _with_lists(found, earlier) if earlier else found
    carried_over = list(_carried(earlier, found, _ours(matter))) if earlier else []
    extra = [*(earlier.extra if earlier else ()), *_pinned_blocks(matter)]
    items = [*_pinned(matter), *found, *carried_over]
    return ranked(items, tuple(dict.fromkeys(extra)), matter.target, matter.count)


def earlier_of(matter: Matter) -> Context | None:
    """Return the earlier page: the one handed in, else that of the last summary in the conversation."""
    if matter.earlier.strip() and (found := parse(matter.earlier)):
        return found
    return _told_before(matter)


def _ours(matter: Matter) -> frozenset[str]:
    page = _told_before(matter)
    bullets = [bullet for section in SECTIONS for bullet in page.bullets(section)] if page else []
    return frozenset(map(key_of, bullets))


def _told_before(matter: Matter) -> Context | None:
    """Return the page of the last summary in the conversation."""
    for record in reversed(matter.records):
        if record.role in ("system", "user") and (page := contents(record.words)):
            return parse(page)
    return None


def _items(records: Sequence[Record]) -> Iterator[Item]:
    """Yield everything that may be told of a conversation."""
    done = deeds(records)
    asked = requests(records)
    said = [
        (at, words_beside(record.words))
        for at, record in enumerate(records)
        if record.role == "assistant" and record.kind == "message"
    ]
    todo = todo_of(done, said)
    yield from _tasks(asked)
    yield from summary_items(records)
    yield from constraint_items(asked)
    yield from todo_items(todo)
    yield from open_items(asked, done, said, todo)
    yield from _evidence(done, said)


def _evidence(done: Sequence[Deed], said: Sequence[tuple[int, str]]) -> Iterator[Item]:
    ended = judged(done)
    yield from file_items(ended)
    yield from failure_items(ended)
    yield from run_items(ended)
    yield from conclusion_items(said)
    yield from settled_items(said)


def _tasks(asked: Sequence[Request]) -> Iterator[Item]:
    """Yield the last real request; one that only answers stands beside the one that it answers.

    Where it is short, those before it are told too, as far back as a longer one.
    """
    place = next((at for at in range(len(asked) - 1, -1, -1) if not asked[at].refers), -1)
    if place < 0:
        if asked:
            yield Item("Task", (opening(asked[-1].text, BRIEF),), 900)
        return
    full, brief = opening(asked[place].text, TASK), opening(asked[place].text, BRIEF)
    last = asked[-1]
    reply = f'then: "{" ".join(last.text.split())}"' if place != len(asked) - 1 else ""
    before = "; ".join(f'"{opening(one.text, BRIEF)}"' for one in _leading(asked[:place])) if asked[place].brief else ""
    notes = [reply, f"asked before: {before}"] if before else [reply]
    yield Item("Task", (*(_noted(words, notes) for words in (full, brief)), _noted(brief, [reply]), brief[:TASK]), 900)


def _noted(words: str, notes: Sequence[str]) -> str:
    told = "; ".join(filter(None, notes))
    return f"{words} ({told})" if told else words


def _leading(asked: Sequence[Request]) -> list[Request]:
    """Return the requests that led to the next one, the newest first: short ones up to a longer one."""
    found: list[Request] = []
    for request in reversed(asked[-LEADING:]):
        if not request.refers:
            found.append(request)
        if not (request.refers or request.brief):
            break
    return found


def _pinned(matter: Matter) -> Iterator[Item]:
    """Yield the pins that no message holds which stays; those of one line stand among Decisions."""
    for at, pin in enumerate(_loose(matter)):
        if normal(pin) == pin:
            yield Item("Decisions", (pin,), 10_000 - at, -2_000_000 + at)


def _pinned_blocks(matter: Matter) -> Iterator[Extra]:
    """Yield the other pins, each as it is in a section of its own."""
    for pin in _loose(matter):
        if normal(pin) != pin:
            yield Extra("", f"## Pinned\n\n{pin}")


def _loose(matter: Matter) -> list[str]:
    kept = [record.words for record in matter.records[matter.cut :]]
    return [pin for pin in dict.fromkeys(matter.pins) if pin.strip() and not any(pin in words for words in kept)]


def _with_lists(found: Sequence[Item], earlier: Context) -> list[Item]:
    """Return items whose lists go on with those of the earlier page."""
    made = []
    for item in found:
        if item.section == "Facts" and listed(item.forms[0])[0]:
            item = item._replace(forms=_list_forms(joined(item.forms[0], earlier.facts), item.forms))
        made.append(item)
    return made


def _list_forms(bullet: str, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the forms of a bullet that lists things, ever shorter; ``others`` are its forms without what was added."""
    label, things = listed(bullet)
    if label in ("", "Done"):
        return (bullet, *others)
    return (bullet, *forms_of(label, things))


def _carried(earlier: Context, found: Sequence[Item], ours: frozenset[str]) -> Iterator[Item]:
    """Yield what still holds of the earlier page; older bullets are worth less than new ones of their kind.

    ``ours`` are the keys of what the summary in the conversation says: somebody wrote the rest, and it stays.
    """
    new = Context(
        decisions=tuple(item.forms[0] for item in found if item.section == "Decisions"),
        facts=tuple(item.forms[0] for item in found if item.section == "Facts"),
        pending=tuple(item.forms[0] for item in found if item.section == "Pending"),
        errors=tuple(item.forms[0] for item in found if item.section == "Errors"),
    )
    held = carried(earlier, new)
    if earlier.task:
        yield Item("Task", (earlier.task,), 100)
    for section in SECTIONS[1:]:
        for at, bullet in enumerate(held.bullets(section)):
            worth = max(_worth(section, bullet), 0 if key_of(bullet) in ours else OWN)
            yield Item(section, _list_forms(bullet), worth - at, -1_000_000 + at)


def _worth(section: str, bullet: str) -> int:
    if section == "Facts":
        return 830 if listed(bullet)[0] in ("Changed", "Removed", "Moved") else 450
    if section == "Decisions":
        return 770 if is_rule(bullet) else 500
    return {"Pending": 705, "Errors": 740}[section]


def summarized(matter: Matter) -> str:
    """Return the rendered page; the summarizer that needs no model."""
    return render(extract(matter))
