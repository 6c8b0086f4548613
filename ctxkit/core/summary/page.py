"""The page of a conversation without a model: the template of the seed, filled with notes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from ctxkit.core.chat.model.message import Record
from ctxkit.core.summary.files import make_list_forms
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.merge import carry_over, merge_lists, parse_list
from ctxkit.core.summary.notes import (
    Conversation,
    Note,
    find_checks,
    find_demand_notes,
    find_lists,
    find_task,
    read_conversation,
)
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import (
    MAX_BULLETS,
    SECTIONS,
    Extra,
    Section,
    SummaryPage,
    bullet_key,
    format_bullet,
    is_record,
    normalize_line,
    parse_page,
    render_page,
)
from ctxkit.core.summary.todo import find_todo_list
from ctxkit.core.tokens.vocabulary import Tokenizer

NEWEST_LAST: Sequence[Section] = ("Decisions", "Errors")
"""Sections whose newest bullets stand last."""


def extract(summary_input: SummaryInput) -> SummaryPage:
    """Return the page of a conversation, at most ``target`` tokens unless the task and the pins alone are longer.

    It covers the whole path and carries over the bullets of the earlier page that still hold. The newest stand last
    under Decisions and Errors.
    """
    parts = read_conversation(summary_input.records)
    earlier = find_earlier_page(summary_input) or SummaryPage()
    pins = _find_loose_pins(summary_input)
    blocks = [Extra("", f"## Pinned\n\n{pin}") for pin in pins if normalize_line(pin) != pin]
    kept_extra = [extra for extra in earlier.extra if not is_record(extra)]
    page = SummaryPage(
        decisions=tuple(pin for pin in pins if normalize_line(pin) == pin),
        extra=tuple(dict.fromkeys((*kept_extra, *blocks))),
    )
    task, *sentences = (*find_task(parts), None)
    notes = chain(
        (task,), find_lists(parts), find_demand_notes(parts, summary_input.cut), sentences, find_checks(parts)
    )
    bullets = [(note.section, _extend_list(note, earlier)) for note in notes if note and note.section]
    page = add_bullets(page, bullets, summary_input.target, summary_input.count)
    carried = [(section, (bullet,)) for section, bullet in _find_carried(earlier, page, parts)]
    page = add_bullets(page, carried, summary_input.target, summary_input.count)
    decisions = page.decisions[::-1]
    decisions = (*filter(pins.__contains__, decisions), *(bullet for bullet in decisions if bullet not in pins))
    return page._replace(decisions=decisions, errors=page.errors[::-1])


def find_earlier_page(summary_input: SummaryInput) -> SummaryPage | None:
    """Return the earlier page: the given one, or the page of the last summary in the conversation."""
    if summary_input.earlier_page.strip() and (page := parse_page(summary_input.earlier_page)):
        return page
    return _find_summary_page(summary_input.records)


def _find_summary_page(records: Sequence[Record]) -> SummaryPage | None:
    for record in reversed(records):
        if record.role in ("system", "user") and (text := unframe_page(record.words)):
            return parse_page(text)
    return None


def add_bullets(
    page: SummaryPage, bullets: Iterable[tuple[Section, Sequence[str]]], target: int, count: Tokenizer
) -> SummaryPage:
    """Return a page with the bullets that fit, the first ones first.

    Each bullet has ever shorter forms, of which the first that fits is used. The task fits always.
    """
    left = target - count(render_page(page))
    seen = {bullet_key(bullet) for section in SECTIONS for bullet in page.bullets(section)}
    for section, forms in bullets:
        own, key = page.bullets(section), bullet_key(forms[0])
        if section != "Task" and key in bullet_key(page.task):
            continue
        if len(own) >= (1 if section == "Task" else MAX_BULLETS) or key in seen:
            continue
        costs = ((form, count(f"{format_bullet(section, form)}\n") + 1) for form in forms)
        fitting = next(((form, cost) for form, cost in costs if cost <= left or section == "Task"), None)
        if fitting:
            form, cost = fitting
            page = page.with_bullets(section, (*own, form))
            seen.add(key)
            left -= cost
    return page


def rank_bullets(page: SummaryPage) -> Iterator[tuple[Section, tuple[str]]]:
    """Yield the bullets of a page, the first ones of each section first."""
    columns = ([(section, bullet) for bullet in page.bullets(section)] for section in SECTIONS)
    for section, bullet in filter(None, chain.from_iterable(zip_longest(*columns))):
        yield section, (bullet,)


def _extend_list(note: Note, earlier: SummaryPage) -> tuple[str, ...]:
    """Return the forms of a note; a list goes on with what the list of the earlier page names."""
    if note.group != "Changed files":
        return note.forms
    label, paths = parse_list(merge_lists(note.forms[0], earlier.facts))
    return tuple(make_list_forms(label, paths))


def _find_carried(earlier: SummaryPage, page: SummaryPage, parts: Conversation) -> Iterator[tuple[Section, str]]:
    """Yield the bullets of an earlier page that still hold, each with its section, the newest first."""
    if earlier.task and not page.task:
        yield "Task", earlier.task
    done = _find_done(parts)
    kept = carry_over(earlier, page._replace(done=done))
    for section in SECTIONS[1:]:
        bullets = kept.bullets(section)
        for bullet in bullets[::-1] if section in NEWEST_LAST else bullets:
            if not (section == "Facts" and parse_list(bullet)[0] and any(parse_list(fact)[0] for fact in page.facts)):
                yield section, bullet


def _find_done(parts: Conversation) -> tuple[str, ...]:
    return find_todo_list([item.call for item in parts.calls]).done


def _find_loose_pins(summary_input: SummaryInput) -> list[str]:
    """Return the pins that no kept message contains."""
    kept = [record.words for record in summary_input.records[summary_input.cut :]]
    return [pin for pin in dict.fromkeys(summary_input.pins) if pin.strip() and not any(pin in words for words in kept)]
