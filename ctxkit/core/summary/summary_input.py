"""Summarizers: their input, their type, and the chat models that they ask."""

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


class ChatModel(NamedTuple):
    """A chat model; ``ask`` returns its answer to a prompt and may raise CtxkitError.

    ``prompt_limit`` is the maximum number of tokens of a prompt, in tokens of ``tokenizer`` if the model has its own.
    ``max_prompts`` limits the prompts for one conversation; 0 means no limit.
    """

    ask: Callable[[str], str]
    prompt_limit: int
    tokenizer: Tokenizer | None = None
    max_prompts: int = 0
