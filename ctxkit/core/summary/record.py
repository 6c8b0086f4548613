"""The record below a summary page: notes on the messages that left, as many as fit below the low-water mark."""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from ctxkit.core.chat.model.message import Record
from ctxkit.core.summary.evidence import collect_record_texts
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
    find_work,
    quote_words,
    read_conversation,
)
from ctxkit.core.summary.page import find_earlier_page
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import (
    MARKUP,
    RECORD_TITLE,
    REQUEST_TITLE,
    Extra,
    is_record,
    normalize_line,
    parse_page,
)
from ctxkit.core.tokens.vocabulary import Tokenizer

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
MIN_FREE, HEADINGS = 8, 60
"""Tokens below which no note is worth adding, and tokens of the headings of all groups."""
_BLANKS, _QUOTE_MARK = re.compile(r"\s+"), re.compile(r"^> ?", re.MULTILINE)


OLD_TITLES = {"Latest answers": "Latest answer"}
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
        if draft.left < MIN_FREE:
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
        group = next((group for group in GROUPS if group == OLD_TITLES.get(title, title)), None)
        if group in QUOTING:
            for quote in re.split(r"\n[ \t]*\n", body.strip("\n")):
                words = _QUOTE_MARK.sub("", quote)
                yield Note(group, "", (f"{quote}\n",), (words.strip(),))
        elif group:
            bullets = (line.removeprefix("- ") for line in body.split("\n") if line.startswith("- "))
            yield from (Note(group, "", (line,), (line,)) for line in bullets)
