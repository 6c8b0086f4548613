"""What a content takes: tokens, bytes and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.count.amount import Amount
from ctxkit.core.tokens.token_count import Method

if TYPE_CHECKING:
    from ctxkit.core.count.conversation_tokens import ConversationTokens



class ContentTokens(NamedTuple):
    """Hold what a content takes: a conversation has a format and a ``sum``, text has neither.

    When counting stopped early, ``complete`` is false, and ``amount``, ``size`` and ``lines`` are what was reached.
    """

    name: str
    amount: Amount
    method: Method
    size: int
    lines: int
    complete: bool = True
    format: str = ""
    messages: int = 0
    sum: ConversationTokens | None = None
    doubt: str = ""
