"""The one thing core needs to know of a tokenizer."""

from collections.abc import Callable

Tokenizer = Callable[[str], int]
"""Return the number of tokens in a text."""
