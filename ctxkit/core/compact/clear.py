"""The first stage: old tool results leave in one batch, stale reads before all others."""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.editing.json_patches import find_span
from ctxkit.core.chat.model.record import Record, RecordResult
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ShortenedText
from ctxkit.core.compact.recent import find_recent_start
from ctxkit.core.compact.stale_reads import find_stale_reads
from ctxkit.core.compact.stub import is_cleared, make_stub
from ctxkit.core.context.extract.tool_call import find_observations

MIN_GAIN = 40
"""Tokens that clearing one result must save: a smaller one says more as it is."""
MIN_LENGTH = 400
"""Characters below which no result can save as much."""


class ClearingCandidate(NamedTuple):
    """Hold a result that may be cleared: the place of its message in the path, its tool and why it may go.

    Where an agent has no calls, the ``from_words`` of messages that say what a command returned are results.
    """

    at: int
    result: RecordResult
    tool: str
    reason: str
    stale: bool
    from_words: bool = False


def clear_results(conversation: CompactionInput, plan: CompactionPlan, *, stores: bool) -> CompactionPlan:
    """Return the draft with so many old results cleared that the goal is reached, all of them where it is not."""
    size, goal = conversation.total_tokens, 0 if conversation.policy.force else conversation.policy.goal
    for candidate in sorted(_find_candidates(conversation), key=lambda item: not item.stale):
        if size <= goal:
            break
        record = conversation.path[candidate.at]
        edit = _make_edit(conversation, record, candidate, stores)
        if edit.gain >= MIN_GAIN:
            plan = plan.with_edit(record.at, candidate.result.place, edit)
            size -= edit.gain
    return plan


def _find_candidates(conversation: CompactionInput) -> Iterator[ClearingCandidate]:
    """Yield old results, the oldest first; those among the newest messages are not old."""
    names, reasons = _match_tools(conversation)
    seen = find_observations(conversation.path)
    for at, record in enumerate(conversation.path[: find_recent_start(conversation)]):
        if at in seen and not record.encrypted:
            yield from _find_spoken_results(at, record)
        for number, result in enumerate(record.results):
            if record.encrypted or is_cleared(result.text) or (result.plain and len(result.text) < MIN_LENGTH):
                continue
            reason = reasons.get((at, number), "")
            tool = result.name or names.get((at, number), "")
            yield ClearingCandidate(at, result, tool, reason or "old tool result", bool(reason))


def _find_spoken_results(at: int, record: Record) -> Iterator[ClearingCandidate]:
    """Yield the words of a message that says what a command returned."""
    for passage in record.passages:
        if len(passage.text) >= MIN_LENGTH and not is_cleared(passage.text):
            result = RecordResult("", passage.text, passage.place)
            yield ClearingCandidate(at, result, "", "old tool result", stale=False, from_words=True)


def _match_tools(conversation: CompactionInput) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
    """Return the tools of results, and why some are stale, by places of the message and of the result in it."""
    path = conversation.path
    pairs = pair_calls(path, conversation.transcript.format.RULES)
    places = {record.at: at for at, record in enumerate(path)}
    old, names, reasons = find_stale_reads(path), {}, {}
    numbers = {
        (at, id(result)): number
        for at, record in enumerate(pairs.messages)
        for number, result in enumerate(record.results)
    }
    for spoken_call, spoken_result in (*pairs.paired, *pairs.displaced):
        calling, answering = pairs.messages[spoken_call.at], pairs.messages[spoken_result.at]
        call = places[calling.at], spoken_call.number
        result = places[answering.at], numbers[spoken_result.at, id(spoken_result.result)]
        names[result] = spoken_call.call.name
        if call in old:
            reasons[result] = old[call]
    return names, reasons


def _make_edit(
    conversation: CompactionInput, record: Record, candidate: ClearingCandidate, stores: bool
) -> ShortenedText:
    """Return how to put the stub of a result in its place."""
    result = candidate.result
    text = result.text if result.plain else raw_text_of(conversation, record, result)
    stored = text.encode("utf-8", "surrogatepass")
    ref = sha256(stored).hexdigest()
    words = make_stub(text, candidate.tool, ref if stores else "", failed=result.failed)
    value = words if candidate.from_words else conversation.transcript.format.make_result_value(result, words)
    patches = (ValuePatch(result.place, value), *(ValuePatch(copy, words) for copy in result.copies))
    before = conversation.token_counter.count_text(result.text) + (
        0 if result.plain else _count_image_tokens(conversation, record)
    )
    gain = before - conversation.token_counter.count_text(words)
    return ShortenedText("cleared", patches, words, stored, ref, gain, candidate.reason, candidate.tool, result.id)


def raw_text_of(conversation: CompactionInput, record: Record, result: RecordResult) -> str:
    """Return a result that holds more than text as it is written; where that cannot be told, its text."""
    try:
        start, end = find_span(conversation.transcript.text, record.start, result.place)
    except (KeyError, ValueError):
        return result.text
    return conversation.transcript.text[start:end]


def _count_image_tokens(conversation: CompactionInput, record: Record) -> int:
    """Return what the pictures of a message take, where it holds but one result, so that they are all in it."""
    if len(record.results) != 1:
        return 0
    costs = (
        cost.high
        for message in record.messages
        for name, cost in conversation.token_counter.count_message(message).costs
        if name == "images"
    )
    return sum(costs)
