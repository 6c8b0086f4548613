"""The page of a conversation without a model, and the record below a page: notes on the messages that left."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import get_args

from ctxkit.core.chat.model.message import Record
from ctxkit.core.summary.files import make_list_forms
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.notes import (
    QUOTING,
    Conversation,
    Group,
    Note,
    find_checks,
    find_demand_notes,
    find_earlier_summary,
    find_instructions,
    find_latest_answer,
    find_lists,
    find_task,
    find_todo_list,
    find_work,
    quote_words,
    read_conversation,
)
from ctxkit.core.summary.summary_input import SummaryInput, collect_record_texts
from ctxkit.core.summary.template import (
    MARKUP,
    MAX_BULLETS,
    RECORD_TITLE,
    REQUEST_TITLE,
    SECTIONS,
    Extra,
    Section,
    SummaryPage,
    bullet_key,
    carry_over,
    format_bullet,
    is_record,
    merge_lists,
    normalize_line,
    parse_list,
    parse_page,
    render_page,
)
from ctxkit.core.tokens.vocabulary import Tokenizer

_NEWEST_LAST: Sequence[Section] = ("Decisions", "Errors")
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


def _has_place(page: SummaryPage, section: Section, key: str) -> bool:
    """Return whether a section may get one more bullet, which does not repeat the task."""
    if section == "Task":
        return not page.bullets(section)
    return key not in bullet_key(page.task) and len(page.bullets(section)) < MAX_BULLETS


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
        if key in seen or not _has_place(page, section, key):
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
        for bullet in bullets[::-1] if section in _NEWEST_LAST else bullets:
            if not (section == "Facts" and parse_list(bullet)[0] and any(parse_list(fact)[0] for fact in page.facts)):
                yield section, bullet


def _find_done(parts: Conversation) -> tuple[str, ...]:
    return find_todo_list([item.call for item in parts.calls]).done


def _find_loose_pins(summary_input: SummaryInput) -> list[str]:
    """Return the pins that no kept message contains."""
    kept = [record.words for record in summary_input.records[summary_input.cut :]]
    return [pin for pin in dict.fromkeys(summary_input.pins) if pin.strip() and not any(pin in words for words in kept)]


GROUPS: tuple[Group, ...] = get_args(Group)
"""Groups of the record, in the order in which they stand."""
LIMITS: dict[Group, float] = {
    "Failed commands": 0.5,
    "Changed files": 0.35,
    "Earlier summary": 0.5,
    "User messages": 0.5,
}
"""Largest shares of the room that groups take before others had their turn."""
LATER: tuple[Group, ...] = ("Demands", "Latest answer", "Earlier work")
"""Groups that have their turn when those with a limit had a second one."""
_MIN_FREE, HEADINGS = 8, 60
"""Tokens below which no note is worth adding, and tokens of the headings of all groups."""
_BLANKS, _QUOTE_MARK = re.compile(r"\s+"), re.compile(r"^> ?", re.MULTILINE)
_OLD_TITLES = {"Latest answers": "Latest answer"}
"""Titles of groups in records that earlier versions wrote."""


class _Draft:
    """The notes of a record by group, each with its place in the order of importance, and the tokens that are left."""

    def __init__(self, max_tokens: int, count: Tokenizer) -> None:
        self.left = max_tokens - count(f"{RECORD_TITLE}\n\n")
        self._max_tokens = max_tokens
        self._count = count
        self._spent = dict.fromkeys(GROUPS, 0)
        self._groups: dict[Group, list[tuple[int, str]]] = {}
        self._quoted: list[str] = []

    def add(self, order: int, note: Note, share: float = 1) -> bool:
        """Add the first form of a note that fits in the group's share of all tokens; return whether one did."""
        heading = 0 if note.group in self._groups else self._count(f"### {note.group}\n\n")
        for form in note.forms:
            text = form if note.group in QUOTING else f"- {normalize_line(form)}"
            cost = self._count(f"{text}\n") + 1 + heading
            if cost <= min(self.left, share * self._max_tokens - self._spent[note.group]):
                self._groups.setdefault(note.group, []).append((order, text))
                self.left -= cost
                self._spent[note.group] += cost
                self._quoted += [fold_text(form.replace("\n>", "\n"))] if note.group in QUOTING else []
                return True
        return False

    def quotes(self, words: str) -> bool:
        """Return whether a quotation in the record contains words."""
        return any(words in text for text in self._quoted)

    def render(self) -> str:
        """Return the record, empty without notes; earlier work stands in the order in which it was done."""
        blocks = []
        for group in (group for group in GROUPS if group in self._groups):
            lines = [text for _, text in sorted(self._groups[group], reverse=group == "Earlier work")]
            blocks.append("\n".join([f"### {group}", *lines]))
        return "\n\n".join([RECORD_TITLE, *blocks]) if blocks else ""


def build_record(summary_input: SummaryInput, kept_text: str, max_tokens: int, count: Tokenizer) -> str:
    """Return the record of a conversation, at most ``max_tokens`` long, empty if nothing is missing or fits.

    ``kept_text`` is the text that remains without the record; the record repeats nothing from it.
    """
    draft = _Draft(max_tokens, count)
    notes = list(enumerate(_find_missing(_find_notes(summary_input), fold_text(kept_text))))
    split = next((order for order, note in notes if note.group in LATER), len(notes))
    fits = sum(count(f"{note.forms[0]}\n") + 1 for _, note in notes[:split]) <= draft.left - HEADINGS
    limits = {} if fits else LIMITS
    missing = [(order, note) for order, note in notes[:split] if not draft.add(order, note, limits.get(note.group, 1))]
    for order, note in (*missing, *notes[split:]):
        if draft.left < _MIN_FREE:
            break
        if note.group != "Demands" or not draft.quotes(note.evidence[0]):
            draft.add(order, note)
    return draft.render()


def fold_text(text: str) -> str:
    """Return a text with single spaces."""
    return _BLANKS.sub(" ", text)


def collect_texts(records: Sequence[Record]) -> str:
    """Return all texts of a conversation: messages, calls and results."""
    return "\n".join(collect_record_texts(records))


def _find_missing(notes: Iterator[Note], kept: str) -> Iterator[Note]:
    """Yield the notes that neither the kept text nor an earlier note contains."""
    seen: set[str] = set()
    for note in notes:
        if note.forms[0] in seen or MARKUP.search(note.forms[0]):
            continue
        seen.add(note.forms[0])
        if not all(fold_text(text).strip() in kept for text in note.evidence):
            yield note


def _find_notes(summary_input: SummaryInput) -> Iterator[Note]:
    """Yield all notes, the most important first; those of an earlier record follow the new ones of their group."""
    parts = read_conversation(summary_input.records)
    earlier = list(_parse_earlier(summary_input))
    used: set[Group] = set()
    for notes in _list_sources(parts):
        for note in notes:
            used.add(note.group)
            yield note
        yield from (note for note in earlier if note.group in used or note.group == "Changed files")
        earlier = [note for note in earlier if note.group not in used and note.group != "Changed files"]
    yield from earlier


def _list_sources(parts: Conversation) -> Iterator[Iterator[Note]]:
    yield find_instructions(parts)
    yield quote_words(parts)
    yield (note for note in find_lists(parts) if note.group != "Changed files" or not note.section)
    yield find_earlier_summary(parts)
    yield find_demand_notes(parts)
    yield find_latest_answer(parts)
    yield find_checks(parts)
    yield find_work(parts)


def _parse_earlier(summary_input: SummaryInput) -> Iterator[Note]:
    """Yield the notes of the record below an earlier page."""
    page = parse_page(summary_input.earlier_page) if RECORD_TITLE in summary_input.earlier_page else None
    page = page or find_earlier_page(summary_input)
    for extra in page.extra if page else ():
        if is_record(extra):
            yield from _parse_record(extra)


def _parse_record(extra: Extra) -> Iterator[Note]:
    if extra.text.startswith(f"{REQUEST_TITLE}\n"):
        quote = extra.text.removeprefix(REQUEST_TITLE).strip("\n")
        yield Note("User messages", "", (f"{quote}\n",), (_QUOTE_MARK.sub("", quote).strip(),))
    for block in extra.text.split("\n### ")[1:]:
        title, _, body = block.partition("\n")
        group = next((group for group in GROUPS if group == _OLD_TITLES.get(title, title)), None)
        if group in QUOTING:
            for quote in re.split(r"\n[ \t]*\n", body.strip("\n")):
                words = _QUOTE_MARK.sub("", quote)
                yield Note(group, "", (f"{quote}\n",), (words.strip(),))
        elif group:
            bullets = (line.removeprefix("- ") for line in body.split("\n") if line.startswith("- "))
            yield from (Note(group, "", (line,), (line,)) for line in bullets)
