"""Compact a conversation if it is over its trigger."""

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.context import CompactionContext
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import CompactionInput, prepare_input
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.receipts import estimate_unseen


def compact_if_due(
    transcript: Transcript, data: bytes, policy: CompactionPolicy, context: CompactionContext, leaf: str = ""
) -> CompactionOutcome:
    """Compact a conversation, whose content is ``data``, if it is over its trigger.

    The output is never larger than the input and as valid as it was. The outcome lists the content that must be stored
    to restore the changes. Raise KeyError if ``leaf`` does not exist.
    """
    conversation = prepare_input(transcript, context.token_counter, policy, leaf)
    policy = policy if policy.overhead else policy._replace(overhead=estimate_unseen(conversation))
    conversation = conversation._replace(policy=policy)
    before = measure_size(conversation, data)
    if not policy.force and conversation.total_tokens < policy.trigger_size:
        return CompactionOutcome("unchanged", data, "it is below the trigger", before, before, overhead=policy.overhead)
    # A conversation under its trigger does not import the stages, which saves start-up time.
    if context.is_unstored is not None:
        from ctxkit.core.compact.unstored_results import compact_without_unstored

        return compact_without_unstored(conversation, data, before, context, leaf)
    from ctxkit.core.compact.stage_pipeline import compact

    return compact(conversation, data, before, context, leaf)


def measure_size(conversation: CompactionInput, data: bytes) -> ConversationSize:
    """Return the size of a conversation, whose content is ``data``."""
    amount = conversation.token_counter.count_transcript(conversation.transcript).amount
    return ConversationSize(amount, len(conversation.path), len(data))
