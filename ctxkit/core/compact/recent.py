"""The recent messages, which a compaction keeps."""

from ctxkit.core.compact.plan import CompactionInput


def find_recent_start(conversation: CompactionInput) -> int:
    """Return the position in the path of the first recent message."""
    policy, path = conversation.policy, conversation.path
    if policy.last is not None:
        return max(len(path) - policy.last, 0)
    remaining = policy.recent_tokens
    for at in range(len(path) - 1, -1, -1):
        remaining -= conversation.token_counter.count_record(path[at])
        if remaining < 0:
            return at + 1
    return 0
