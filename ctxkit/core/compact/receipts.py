"""The tokens of a request that the file does not show, estimated from the provider's last receipt."""

from ctxkit.core.compact.plan import CompactionInput
from ctxkit.core.compact.stub import is_cleared
from ctxkit.core.compact.summary_prefix import is_summary

MAX_SHARE = 0.5
"""Maximum share of the effective window for unseen tokens; a larger value comes from a different window."""


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
