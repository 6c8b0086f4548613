"""How contents are to be counted."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ctxkit.core.text.isolation import Isolate, call_directly
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary

Input = Literal["auto", "text", "chat"]


class CountOptions(NamedTuple):
    """Say how to count.

    ``parse`` reads JSON, as ``opened`` wants it. ``model`` chooses what stands around messages; where neither it
    nor a tokenizer was ``is_named``, the provider of a conversation's format does. ``format`` names that of
    conversations, which is detected when empty. ``rows`` keeps what each message takes. ``isolate`` calls what reads a
    conversation apart from this process.
    """

    vocabulary: Vocabulary
    count: Tokenizer
    parse: Callable[[bytes], Any]
    model: str = ""
    is_named: bool = True
    input: Input = "auto"
    format: str = ""
    rows: bool = False
    isolate: Isolate = call_directly
