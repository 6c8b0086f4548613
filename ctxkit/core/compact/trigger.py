"""The door of a compaction: what is not due passes, and pays for no more than being counted."""


from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.context import CompactionContext
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.receipts import estimate_unseen


def compact_if_due(
    transcript: Transcript, data: bytes, policy: CompactionPolicy, context: CompactionContext, leaf: str = ""
) -> CompactionOutcome:
    """Compact a conversation, which ``data`` holds, if it is due; raises KeyError for a leaf that is not there.

    What goes out is never larger than what came, is as valid as it was, and what was changed can be had back from
    what the outcome says has to be stored.
    """
    conversation = prepare_input(transcript, context.token_counter, policy, leaf)
    policy = policy if policy.overhead else policy._replace(overhead=estimate_unseen(conversation))
    before = ConversationSize(
        context.token_counter.count_transcript(transcript).amount, len(conversation.path), len(data)
    )
    if not policy.force and conversation.total_tokens < policy.trigger_size:
        return CompactionOutcome("unchanged", data, "it is not due", before, before, overhead=policy.overhead)
    # Only a conversation that is due pays for importing what compacts it.
    from ctxkit.core.compact.chain import compact

    return compact(conversation._replace(policy=policy), data, before, context, leaf)
