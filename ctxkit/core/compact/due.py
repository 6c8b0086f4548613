"""The door of a compaction: what is not due passes, and pays for no more than being counted."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.compact.balance import TokenCounter
from ctxkit.core.compact.draft import prepare_input
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.receipts import estimate_unseen
from ctxkit.core.compact.writing import SummaryWriter


def _ignore_start(tokens: int, messages: int) -> None:
    """Tell nobody."""
    del tokens, messages


class CompactionContext(NamedTuple):
    """Hand a compaction what it works with: scales, who writes the page, whether anything is stored.

    ``prior_page`` is an earlier page of the conversation; ``always_summarize`` asks for one also where no message
    leaves. ``on_begin`` is told the tokens and messages of a conversation that is about to be compacted.
    """

    token_counter: TokenCounter
    write: SummaryWriter
    stores: bool = True
    prior_page: str = ""
    always_summarize: bool = False
    on_begin: Callable[[int, int], None] = _ignore_start


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
