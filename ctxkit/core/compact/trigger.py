"""Compact a conversation if it is over its trigger; count what its request takes that its file does not show."""

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.context import CompactionContext
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import CompactionInput, prepare_input
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.stub import is_cleared
from ctxkit.core.compact.summary_prefix import is_summary

MAX_SHARE = 0.5
"""Maximum share of the effective window for unseen tokens; a larger value comes from a different window."""


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


def estimate_unseen(conversation: CompactionInput) -> int:
    """Return the tokens of system prompt and tools that the file does not contain, 0 if unknown.

    A receipt from before a compaction counts messages that are gone, and a receipt larger than the window belongs to
    another model. Neither is used.
    """
    if conversation.prefixes or any(_is_compacted(conversation, at) for at in range(len(conversation.path))):
        return 0
    at = next((at for at in range(len(conversation.path) - 1, -1, -1) if conversation.path[at].receipt), -1)
    if at < 0:
        return 0
    receipt = conversation.path[at].receipt
    assert receipt is not None
    if receipt.context + receipt.output > conversation.policy.window:
        return 0
    unseen_tokens = max(
        receipt.context - conversation.fixed_tokens - conversation.token_counter.count_records(conversation.path[:at]),
        0,
    )
    return unseen_tokens if unseen_tokens <= MAX_SHARE * conversation.policy.effective else 0


def _is_compacted(conversation: CompactionInput, at: int) -> bool:
    record = conversation.path[at]
    return is_summary(record) or any(is_cleared(result.text) for result in record.results)
