"""The input of a summarizer, and the type of summarizers."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.chat.model.message import Record
from ctxkit.core.tokens.vocabulary import Tokenizer


class SummaryInput(NamedTuple):
    """The input of a summarizer.

    ``records`` are the whole active path, including earlier summaries; ``records[:cut]`` leave the conversation.
    ``earlier_page`` is the earlier CONTEXT.md, empty for none. ``pins`` occur verbatim in the result. ``target`` is the
    maximum size of the rendered page in tokens of ``count``.
    """

    records: tuple[Record, ...]
    cut: int
    earlier_page: str
    pins: tuple[str, ...]
    target: int
    count: Tokenizer


Summarizer = Callable[[SummaryInput], str]
"""Function that returns the filled template; a model may return any text, and raise CtxkitError."""
