"""The door of a compaction: what is not due passes, and pays for no more than being counted."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.compact.balance import Balance
from ctxkit.core.compact.draft import case_of
from ctxkit.core.compact.outcome import Outcome, Size
from ctxkit.core.compact.policy import Policy
from ctxkit.core.compact.receipts import unseen
from ctxkit.core.compact.writing import Write


def _silent(tokens: int, messages: int) -> None:
    """Tell nobody."""
    del tokens, messages


class Means(NamedTuple):
    """Hand a compaction what it works with: scales, who writes the page, whether anything is stored.

    ``memo`` is an earlier page of the conversation; ``page`` asks for one also where no message leaves. ``begin`` is
    told the tokens and messages of a conversation that is about to be compacted.
    """

    balance: Balance
    write: Write
    stores: bool = True
    memo: str = ""
    page: bool = False
    begin: Callable[[int, int], None] = _silent


def compacted(transcript: Transcript, data: bytes, policy: Policy, means: Means, leaf: str = "") -> Outcome:
    """Compact a conversation, which ``data`` holds, if it is due; raises KeyError for a leaf that is not there.

    What goes out is never larger than what came, is as valid as it was, and what was changed can be had back from
    what the outcome says has to be stored.
    """
    case = case_of(transcript, means.balance, policy, leaf)
    policy = policy if policy.beside else policy._replace(beside=unseen(case))
    before = Size(means.balance.sum(transcript).amount, len(case.path), len(data))
    if not policy.force and case.total < policy.due_from:
        return Outcome("unchanged", data, "it is not due", before, before, beside=policy.beside)
    # Only a conversation that is due pays for importing what compacts it.
    from ctxkit.core.compact.chain import compact

    return compact(case._replace(policy=policy), data, before, means, leaf)
