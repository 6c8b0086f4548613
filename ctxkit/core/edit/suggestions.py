"""Ranges of a conversation that are worth the least: large, old, and never referred to again."""

import re
from collections.abc import Iterator, Sequence
from json import dumps
from typing import NamedTuple

from ctxkit.core.chat.model.message import Record
from ctxkit.core.edit.numbered_conversation import (
    MessageRow,
    NumberedConversation,
    find_stay_reason,
    list_ranges,
)
from ctxkit.core.summary.call_kind import classify_call
from ctxkit.core.summary.tool_call import find_observations, find_tool_calls

MIN_TOKENS, MIN_AGE = 100, 4
"""Tokens and later messages from which a range is worth a suggestion."""
MAX_SUGGESTIONS = 20
"""Maximum number of suggested ranges."""
MAX_MENTIONS = 2
"""Maximum number of later messages that may refer to a suggested range."""
MAX_NAMES = 5_000
"""Maximum number of names in a message that are compared with later messages."""
_NAME = re.compile(
    r"(?<![\w./-])(?:[\w.-]{1,80}/){1,12}[\w.-]{1,80}|\b\w{1,80}\.[a-z]{1,4}\b|\b[A-Za-z]\w{0,60}_\w{1,60}\b"
    r"|\b[A-Za-z][a-z0-9]{1,60}[A-Z]\w{0,60}\b|\b\d{3,20}\b|\b[0-9a-f]{7,40}\b"
)
"""Paths, file names, identifiers, numbers and hashes: words by which a message refers to an earlier one."""


class Suggestion(NamedTuple):
    """A range that may be removed: its row, the number of later messages, and how many of them refer to it.

    ``is_edit`` marks a range that changed a file: nothing else says what was done.
    """

    row: MessageRow
    age: int
    mentions: int
    is_edit: bool = False


class _Block(NamedTuple):
    """The positions of a message with calls and of the messages with their results."""

    first: int
    last: int


def suggest_ranges(conversation: NumberedConversation) -> list[Suggestion]:
    """Return the ranges of calls and results that are worth the least, in the order in which they should go.

    A message refers to a range if it names something that the range named first, in its own words or in a call.
    """
    path = conversation.path
    blocks = [
        block for block in _find_blocks(path) if not any(map(find_stay_reason, path[block.first : block.last + 1]))
    ]
    mentions = _count_mentions(path, blocks)
    edits = {call.at for call in find_tool_calls(path) if classify_call(call) == "edit"}
    rows = list_ranges(conversation, [(block.first + 1, block.last + 1) for block in blocks])
    suggestions = [
        Suggestion(row, len(path) - row.last, mentions[at], not edits.isdisjoint(range(row.first - 1, row.last)))
        for at, row in enumerate(rows)
        if row.amount.tokens >= MIN_TOKENS and len(path) - row.last >= MIN_AGE and mentions[at] <= MAX_MENTIONS
    ]
    return sorted(suggestions, key=_rate)[:MAX_SUGGESTIONS]


def _rate(suggestion: Suggestion) -> tuple[bool, int, int]:
    """Return the sort key of a suggestion: edits last, ranges without mentions first, then by tokens and age."""
    return suggestion.is_edit, suggestion.mentions, -suggestion.row.amount.tokens * suggestion.age


def _find_blocks(path: Sequence[Record]) -> Iterator[_Block]:
    """Yield each message with calls together with the messages that answer them."""
    observed = find_observations(path)
    at = 0
    while at < len(path):
        last = at
        while last + 1 < len(path) and (path[last + 1].results or last + 1 in observed):
            last += 1
        if path[at].role == "assistant" and (path[at].calls or last > at):
            yield _Block(at, last)
        at = last + 1


def _count_mentions(path: Sequence[Record], blocks: Sequence[_Block]) -> list[int]:
    """Return for each block the number of later messages that name what the block named first."""
    owners: dict[str, int] = {}
    block_of = {at: number for number, block in enumerate(blocks) for at in range(block.first, block.last + 1)}
    mentions = [0] * len(blocks)
    for at, record in enumerate(path):
        own = block_of.get(at)
        spoken = set(_find_names(_words_of(record)))
        for owner in {owners[name] for name in spoken if name in owners} - {own, -1}:
            mentions[owner] += 1
        for name in (*spoken, *(name for result in record.results for name in _find_names(result.text))):
            owners.setdefault(name, -1 if own is None else own)
    return mentions


def _words_of(record: Record) -> str:
    """Return the words of a message: its text and the arguments of its calls."""
    return "\n".join([record.words, *(dumps(call.arguments, ensure_ascii=False) for call in record.calls)])


def _find_names(text: str) -> Iterator[str]:
    for number, match in enumerate(_NAME.finditer(text)):
        if number >= MAX_NAMES:
            return
        yield match[0].rsplit("/", 1)[-1]
