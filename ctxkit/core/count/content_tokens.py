"""The size of a content: tokens, bytes and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.count.amount import Amount
from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from ctxkit.core.count.conversation_tokens import ConversationTokens
    from ctxkit.core.tokens.token_count import Method


class ContentTokens(NamedTuple):
    """The size of a content; only a conversation has a format and a ``sum``.

    If counting stopped early, ``complete`` is false, and ``amount``, ``size`` and ``lines`` are the values reached.
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
