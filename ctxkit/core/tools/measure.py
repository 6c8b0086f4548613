"""Count the tokens of tool definitions in a request."""

from collections.abc import Sequence

from ctxkit.core.chat.model.message import Tool, Toolset
from ctxkit.core.count.amount import ZERO, Amount
from ctxkit.core.count.conversation_tokens import count_tools
from ctxkit.core.count.options import CountOptions
from ctxkit.core.count.scheme import find_scheme
from ctxkit.core.count.text_counter import TextCounter

_PROVIDERS = {"anthropic": "anthropic", "bedrock": "anthropic", "gemini": "google"}
"""Providers by the shape of definitions, as far as their requests are counted in a way of their own."""


class DefinitionCounter:
    """Counts definitions as a model reads them; no definitions are 0 tokens.

    Unless the options name a model or a tokenizer, the ``shape`` of the definitions determines the provider.
    """

    def __init__(self, count_options: CountOptions, shape: str) -> None:
        provider = "" if count_options.is_named else _PROVIDERS.get(shape, "")
        self._scheme = find_scheme(count_options.model, count_options.vocabulary, provider)
        self._counter = TextCounter(count_options.vocabulary, count_options.count)
        self._model = count_options.model

    def count(self, tools: Sequence[Tool]) -> Amount:
        """Return the tokens of definitions in one request, as a range."""
        return count_tools(Toolset(tuple(tools)), self._scheme, self._counter, self._model) if tools else ZERO

    def measure(self, tools: Sequence[Tool]) -> int:
        """Return the most likely tokens of definitions in one request."""
        return self.count(tools).tokens
