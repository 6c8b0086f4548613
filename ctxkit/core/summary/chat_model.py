"""A chat model that answers prompts."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.tokens.vocabulary import Tokenizer


class ChatModel(NamedTuple):
    """A chat model; ``ask`` returns its answer to a prompt and may raise CtxkitError.

    ``prompt_limit`` is the maximum number of tokens of a prompt, in tokens of ``tokenizer`` if the model has its own.
    ``max_prompts`` limits the prompts for one conversation; 0 means no limit.
    """

    ask: Callable[[str], str]
    prompt_limit: int
    tokenizer: Tokenizer | None = None
    max_prompts: int = 0
