"""A counter of tokens apart from those of ctxkit, for tests of what commands print."""

from collections.abc import Callable
from functools import cache


@cache
def load_qwen() -> Callable[[str], int]:
    """Return a function that counts tokens of qwen3."""
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained("qwen3").encode_ordinary
    return lambda text: len(encode(text))
