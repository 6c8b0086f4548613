"""Define the interface of a tokenizer."""

from collections.abc import Callable

Tokenizer = Callable[[str], int]
"""Returns the number of tokens in a text."""
