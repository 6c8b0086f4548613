"""How much of the newest messages stays."""

from ctxkit.core.compact.draft import Case


def tail(case: Case) -> int:
    """Return the place in the path from which on messages are recent."""
    policy, path = case.policy, case.path
    if policy.last is not None:
        return max(len(path) - policy.last, 0)
    left = policy.kept
    for at in range(len(path) - 1, -1, -1):
        left -= case.balance.cost(path[at])
        if left < 0:
            return at + 1
    return 0
