"""What a compaction removed, why, and the command that reads it back."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ctxkit.core.compact.outcome import CompactionOutcome
from ctxkit.core.compact.plan import CompactionInput
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.json_value import JsonValue


class RemovedRange(NamedTuple):
    """A range of messages that left, or a text that was shortened, with the tokens that this saved.

    ``first`` and ``last`` number the messages that a model reads from 1. ``ref`` identifies the stored content.
    """

    first: int
    last: int
    what: str
    reason: str
    tokens: int
    ref: str

    def to_object(self) -> dict[str, JsonValue]:
        """Return the removal as a JSON object."""
        return {**self._asdict(), "ref": self.ref or None}

    def __str__(self) -> str:
        """Return the removal as one line."""
        messages = f"message {self.first}" if self.first == self.last else f"messages {self.first}:{self.last}"
        way = f"ctxkit cache get {self.ref}" if self.ref else "stored nowhere"
        return f"{messages}: {self.what} ({self.reason}), {self.tokens:,} tokens; {way}"


def explain_outcome(outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield what left a conversation, in its order; nothing if it is unchanged."""
    conversation = outcome.conversation
    if outcome.result != "compacted" or conversation is None:
        return
    removals = [*_find_left(conversation, outcome), *_find_shortened(conversation, outcome)]
    yield from sorted(removals, key=lambda removal: (removal.first, removal.last))


def _find_left(conversation: CompactionInput, outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield the ranges of messages that left for one reason; all of them are in the stored original."""
    ref = shorten_ref(outcome.stored[0].ref) if outcome.stored else ""
    numbered = [
        (number, record, outcome.dropped.get(record.at, "")) for number, record in enumerate(conversation.path, 1)
    ]
    for reason, group in groupby(numbered, key=lambda entry: entry[2]):
        messages = list(group)
        if reason:
            tokens = sum(
                conversation.token_counter.count_message(message).amount.tokens
                for _, record, _ in messages
                for message in record.messages
            )
            yield RemovedRange(messages[0][0], messages[-1][0], "left", reason, tokens, ref)


def _find_shortened(conversation: CompactionInput, outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield the texts that were cleared or shortened, each with its own ref."""
    numbers = {record.at: number for number, record in enumerate(conversation.path, 1)}
    for at, edit in outcome.plan.edits():
        if at in numbers and at not in outcome.dropped:
            what = f"result of {edit.tool} {edit.kind}" if edit.tool else f"text {edit.kind}"
            ref = shorten_ref(edit.ref) if outcome.stored else ""
            yield RemovedRange(numbers[at], numbers[at], what, edit.reason, edit.gain, ref)
