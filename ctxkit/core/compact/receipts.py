"""What a request takes beside the conversation that a file shows, as its provider's last receipt tells."""

from ctxkit.core.compact.plan import CompactionInput
from ctxkit.core.compact.stub import is_cleared
from ctxkit.core.compact.summary_prefix import is_summary

MAX_SHARE = 0.5
"""Share of the effective window that what is not seen may take; a receipt that says more is of another window."""


def estimate_unseen(conversation: CompactionInput) -> int:
    """Return the tokens of system prompt and tools that the file does not show, 0 where no receipt tells.

    A receipt of before a compaction counts what is no longer there, and one that does not suit the window is of
    another model: neither is believed.
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
