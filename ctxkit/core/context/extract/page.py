"""The page of a conversation, built from its requests, calls and messages."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.conclusions import find_conclusion_items
from ctxkit.core.context.extract.constraints import find_constraint_items
from ctxkit.core.context.extract.conversation_parts import ConversationParts, find_parts
from ctxkit.core.context.extract.earlier_summary import find_summary_items
from ctxkit.core.context.extract.failure_items import find_failure_items
from ctxkit.core.context.extract.files import find_file_items, make_list_forms
from ctxkit.core.context.extract.item import ItemSource, PageItem
from ctxkit.core.context.extract.overruling import find_rejected
from ctxkit.core.context.extract.ranking import build_page
from ctxkit.core.context.extract.replaced_history import expand_histories
from ctxkit.core.context.extract.reply import is_continuing
from ctxkit.core.context.extract.requests import UserRequest, are_long_answered
from ctxkit.core.context.extract.runs import find_run_items
from ctxkit.core.context.extract.task import find_request_items
from ctxkit.core.context.limits import bullet_key
from ctxkit.core.context.merge import carry_over, merge_lists, parse_list
from ctxkit.core.context.rules import is_rule
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.summary import unframe_page
from ctxkit.core.context.summary_input import SummaryInput
from ctxkit.core.context.template import (
    SECTIONS,
    Extra,
    SummaryPage,
    is_record,
    normalize_line,
    parse_page,
)

PASSING_LISTS = ("Read", "Read before", "Removed", "Moved")
"""Labels of lists that earlier versions wrote into summaries and that are of use for one step only."""
OWN_SCORE = 712
"""Minimum score of a bullet that a person wrote into the page."""


def extract(summary_input: SummaryInput) -> SummaryPage:
    """Return the page of a conversation; quotations are verbatim.

    It covers the whole path and carries over the valid bullets of the earlier page. It is at most ``target`` tokens
    long, unless the task and the pins alone are longer.
    """
    earlier_page = find_earlier_page(summary_input)
    new_items = list(_find_items(summary_input.records))
    new_items = _extend_lists(new_items, earlier_page) if earlier_page else new_items
    carried_over = (
        list(_find_carried_items(earlier_page, new_items, _summary_keys(summary_input))) if earlier_page else []
    )
    kept_extra = [extra for extra in earlier_page.extra if not is_record(extra)] if earlier_page else []
    extra = [*kept_extra, *_find_pin_blocks(summary_input)]
    items = [*_find_pin_items(summary_input), *new_items, *carried_over]
    return build_page(items, tuple(dict.fromkeys(extra)), summary_input.target, summary_input.count)


def find_earlier_page(summary_input: SummaryInput) -> SummaryPage | None:
    """Return the earlier page: the given one, or the page of the last summary in the conversation."""
    if summary_input.earlier_page.strip() and (page := parse_page(summary_input.earlier_page)):
        return page
    return _find_summary_page(summary_input)


def _summary_keys(summary_input: SummaryInput) -> frozenset[str]:
    page = _find_summary_page(summary_input)
    bullets = [bullet for section in SECTIONS for bullet in page.bullets(section)] if page else []
    return frozenset(map(bullet_key, bullets))


def _find_summary_page(summary_input: SummaryInput) -> SummaryPage | None:
    """Return the page of the last summary in the conversation."""
    for record in reversed(summary_input.records):
        if record.role in ("system", "user") and (page := unframe_page(record.words)):
            return parse_page(page)
    return None


def _find_items(records: Sequence[Record]) -> Iterator[PageItem]:
    """Yield all page items of a conversation."""
    records = expand_histories(records)
    parts = find_parts(records)
    summary_items = list(find_summary_items(records))
    if not (are_long_answered(parts.requests, records) or _are_continuations(parts.requests, summary_items)):
        yield from find_request_items(parts.requests, parts.messages, parts.calls, parts.todo)
    yield from summary_items
    answers = [at for at, words in parts.messages if words.strip()]
    yield from find_constraint_items(parts.requests, answers, does_work=parts.does_work)
    tasks = [request for request in parts.requests if not request.is_command]  # the task names a command
    yield from parts._replace(requests=tasks, todo=parts.current_todo).find_pending_items()
    request_sentences = {sentence for request in parts.requests for sentence in split_sentences(request.text)}
    yield from (item for item in _find_evidence(parts) if item.forms[0] not in request_sentences)


def _are_continuations(requests: Sequence[UserRequest], summary_items: Sequence[PageItem]) -> bool:
    """Return whether all requests only order to go on with the task that an earlier summary tells."""
    has_task = any(item.section == "Task" for item in summary_items)
    return has_task and all(is_continuing(request.own_text or request.text) for request in requests)


def _find_evidence(parts: ConversationParts) -> Iterator[PageItem]:
    classified_calls = classify_calls(parts.calls)
    yield from find_file_items(classified_calls)
    yield from find_failure_items(classified_calls)
    yield from find_run_items(classified_calls)
    if parts.does_work:
        rejected = find_rejected(parts.requests, parts.messages)
        messages = [message for message in parts.messages if message[0] not in rejected]
        yield from find_conclusion_items(messages, [request.at for request in parts.requests], late_turns=1)


def _find_pin_items(summary_input: SummaryInput) -> Iterator[PageItem]:
    """Yield the single-line pins that no kept message contains, as Decisions."""
    for at, pin in enumerate(_find_loose_pins(summary_input)):
        if normalize_line(pin) == pin:
            yield PageItem("Decisions", (pin,), 10_000 - at, -2_000_000 + at)


def _find_pin_blocks(summary_input: SummaryInput) -> Iterator[Extra]:
    """Yield the other missing pins, each verbatim in a separate section."""
    for pin in _find_loose_pins(summary_input):
        if normalize_line(pin) != pin:
            yield Extra("", f"## Pinned\n\n{pin}")


def _find_loose_pins(summary_input: SummaryInput) -> list[str]:
    kept = [record.words for record in summary_input.records[summary_input.cut :]]
    return [pin for pin in dict.fromkeys(summary_input.pins) if pin.strip() and not any(pin in words for words in kept)]


def _extend_lists(items: Sequence[PageItem], earlier_page: SummaryPage) -> list[PageItem]:
    """Return items whose lists include those of the earlier page."""
    extended = []
    for item in items:
        if item.section == "Facts" and parse_list(item.forms[0])[0]:
            item = item._replace(forms=_make_list_forms(merge_lists(item.forms[0], earlier_page.facts), item.forms))
        extended.append(item)
    return extended


def _make_list_forms(bullet: str, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the forms of a list bullet, ever shorter; ``others`` are its forms before the extension."""
    label, things = parse_list(bullet)
    if label in ("", "Done"):
        return (bullet, *others)
    return (bullet, *make_list_forms(label, things))


def _find_carried_items(
    earlier_page: SummaryPage, items: Sequence[PageItem], summary_keys: frozenset[str]
) -> Iterator[PageItem]:
    """Yield the valid bullets of the earlier page; they score lower than new ones of their kind.

    ``summary_keys`` are the keys of the bullets in the conversation's summary. A person wrote the other bullets, so
    they score high enough to stay.
    """
    new_page = SummaryPage(
        decisions=tuple(item.forms[0] for item in items if item.section == "Decisions"),
        facts=tuple(item.forms[0] for item in items if item.section == "Facts"),
        pending=tuple(item.forms[0] for item in items if item.section == "Pending"),
        errors=tuple(item.forms[0] for item in items if item.section == "Errors"),
    )
    kept_page = carry_over(earlier_page, new_page)
    if earlier_page.task:
        yield PageItem("Task", (earlier_page.task,), 100)
    for section in SECTIONS[1:]:
        for at, bullet in enumerate(kept_page.bullets(section)):
            is_own = bullet_key(bullet) not in summary_keys
            if not is_own and parse_list(bullet)[0] in PASSING_LISTS:
                continue
            score = max(_score_bullet(section, bullet), OWN_SCORE if is_own else 0)
            source: ItemSource = "own" if is_own else "demand" if section == "Decisions" and is_rule(bullet) else ""
            yield PageItem(section, _make_list_forms(bullet), score - at, -1_000_000 + at, source)


def _score_bullet(section: str, bullet: str) -> int:
    if section == "Facts":
        return 830 if parse_list(bullet)[0] == "Changed" else 450
    if section == "Decisions":
        return 770 if is_rule(bullet) else 500
    return {"Pending": 705, "Errors": 740}[section]
