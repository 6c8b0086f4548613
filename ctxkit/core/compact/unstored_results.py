"""Compact a conversation with output that must not be stored: the stages never see that output.

A summary cannot quote it, and what is stored does not contain it. Output in messages that stay returns to the
conversation, the newest first, while there is room between the low-water mark and the trigger.
"""

from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.compact.context import CompactionContext
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import CompactionInput, prepare_input
from ctxkit.core.compact.stage_pipeline import compact
from ctxkit.core.compact.token_counter import TokenCounter
from ctxkit.core.compact.unstored import StorableConversation, leave_out_results


def compact_without_unstored(
    conversation: CompactionInput, data: bytes, before: ConversationSize, context: CompactionContext, leaf: str
) -> CompactionOutcome:
    """Compact a conversation whose file content is ``data`` and whose size is ``before``."""
    assert context.is_unstored is not None
    transcript, policy = conversation.transcript, conversation.policy
    storable = leave_out_results(transcript, context.is_unstored)
    if not storable.places:
        return compact(conversation, data, before, context, leaf)
    storable_data = transcript.encode(storable.transcript.text)
    storable_input = prepare_input(storable.transcript, context.token_counter, policy, leaf)
    outcome = compact(storable_input, storable_data, before, context, leaf)
    if outcome.result == "refused":
        return outcome._replace(content=data)
    changed = outcome.transcript or storable.transcript
    restored, count = _restore_kept(changed, transcript, storable, context.token_counter, policy.drop_threshold)
    if outcome.result == "unchanged" and count == len(storable.places):
        return outcome._replace(content=data)
    content = restored.encode(restored.text)
    amount = context.token_counter.count_transcript(restored).amount
    return outcome._replace(
        result="compacted",
        reason="",
        content=content,
        transcript=restored,
        after=outcome.after._replace(amount=amount, size=len(content)),
        origin=outcome.origin or tuple(range(len(transcript.records))),
        storable=storable.transcript,
    )


def _restore_kept(
    changed: Transcript, original: Transcript, storable: StorableConversation, counter: TokenCounter, limit: int
) -> tuple[Transcript, int]:
    """Return a conversation with the output of kept messages, up to a size, and the number of these messages."""
    left_out: dict[str, list[int]] = {}
    for place in storable.places:
        left_out.setdefault(storable.transcript.get_raw(storable.transcript.records[place]), []).append(place)
    size = counter.count_transcript(changed).amount.high
    parts, end, count = [], len(changed.text), 0
    for record in reversed(changed.records):
        places = left_out.get(changed.get_raw(record))
        if not places:
            continue
        whole = original.records[places.pop()]
        gain = counter.count_record(whole) - counter.count_record(record)
        if size + gain <= limit:
            parts += [changed.text[record.end : end], original.get_raw(whole)]
            end, size, count = record.start, size + gain, count + 1
    if not count:
        return changed, 0
    text = changed.text[:end] + "".join(reversed(parts))
    return parse_changed(changed.encode(text), "the compacted conversation", changed), count
