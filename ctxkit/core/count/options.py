"""The options for counting."""

from collections.abc import Callable
from typing import Literal

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import Isolate, call_directly
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

Input = Literal["auto", "text", "chat"]


class CountOptions(NamedTuple):
    """The options for counting.

    ``parse`` reads JSON as ``open_content`` requires. ``model`` determines the message template; unless a model or a
    tokenizer ``is_named``, the provider of the conversation's format does. ``format`` is the format of conversations,
    empty for detection; ``skip_bad`` leaves out lines that are not JSON. ``rows`` requests counts by message.
    ``isolate`` runs the reader in another process.
    """

    vocabulary: Vocabulary
    count: Tokenizer
    parse: Callable[[bytes], JsonValue]
    model: str = ""
    is_named: bool = True
    input: Input = "auto"
    format: str = ""
    rows: bool = False
    isolate: Isolate = call_directly
    skip_bad: bool = False
