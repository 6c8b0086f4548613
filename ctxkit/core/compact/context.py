"""The services that a compaction uses."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.compact.summary_writer import SummaryWriter
from ctxkit.core.compact.token_counter import TokenCounter


def _ignore_start(tokens: int, messages: int) -> None:
    """Ignore the start of a compaction."""
    del tokens, messages


class CompactionContext(NamedTuple):
    """The services and options of a compaction: token counter, summary writer, and whether content is stored.

    ``prior_page`` is an earlier summary page of the conversation. ``always_summarize`` requests a summary even if no
    message is dropped. ``on_begin`` receives the tokens and the messages of a conversation before its compaction.
    ``is_unstored`` returns whether the output of a script must be neither stored nor quoted.
    """

    token_counter: TokenCounter
    write: SummaryWriter
    stores: bool = True
    prior_page: str = ""
    always_summarize: bool = False
    on_begin: Callable[[int, int], None] = _ignore_start
    is_unstored: Callable[[str], bool] | None = None
