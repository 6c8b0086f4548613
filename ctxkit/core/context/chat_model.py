"""A model that can be asked, wherever it runs."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.tokens.tokenizer import Tokenizer


class ChatModel(NamedTuple):
    """Hold what a model offers: ``ask`` gives its answer to a prompt, and may raise Trouble.

    ``prompt_limit`` are the tokens of a prompt that it can read beside its answer, counted by its ``tokenizer`` where
    the model has one of its own. ``max_prompts`` prompts are what one conversation is worth, 0 for any number.
    """

    ask: Callable[[str], str]
    prompt_limit: int
    tokenizer: Tokenizer | None = None
    max_prompts: int = 0
