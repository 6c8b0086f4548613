"""What a compaction works with."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.compact.summary_writer import SummaryWriter
from ctxkit.core.compact.token_counter import TokenCounter


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
