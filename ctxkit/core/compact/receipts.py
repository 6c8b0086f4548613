"""What a request takes beside the conversation that a file shows, as its provider's last receipt tells."""

from ctxkit.core.compact.draft import Case
from ctxkit.core.compact.lead import is_summary
from ctxkit.core.compact.stub import is_cleared

MOST = 0.5
"""Share of the effective window that what is not seen may take; a receipt that says more is of another window."""


def unseen(case: Case) -> int:
    """Return the tokens of system prompt and tools that the file does not show, 0 where no receipt tells.

    A receipt of before a compaction counts what is no longer there, and one that does not suit the window is of
    another model: neither is believed.
    """
    if case.leads or any(_compacted(case, at) for at in range(len(case.path))):
        return 0
    at = next((at for at in range(len(case.path) - 1, -1, -1) if case.path[at].receipt), -1)
    if at < 0:
        return 0
    receipt = case.path[at].receipt
    assert receipt is not None
    if receipt.context + receipt.output > case.policy.window:
        return 0
    found = max(receipt.context - case.fixed - case.balance.costs(case.path[:at]), 0)
    return found if found <= MOST * case.policy.effective else 0


def _compacted(case: Case, at: int) -> bool:
    record = case.path[at]
    return is_summary(record) or any(is_cleared(result.text) for result in record.results)
