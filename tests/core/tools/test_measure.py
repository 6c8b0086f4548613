"""Definitions are counted as in a request."""

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.count.options import CountOptions
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.tools.measure import DefinitionCounter

TOOL = Tool("read", "Read a file.", {"type": "object", "properties": {}}, {"name": "read"})


def counter(shape, *, is_named=False):
    return DefinitionCounter(CountOptions(find_vocabulary("bytes/3"), len, None, is_named=is_named), shape)


def test_no_definitions_are_no_tokens() -> None:
    assert counter("anthropic").measure([]) == 0


def test_the_shape_names_the_provider_unless_a_model_is_named() -> None:
    """Anthropic adds a system prompt of hundreds of tokens to a request with tools."""
    assert counter("anthropic").measure([TOOL]) > 300 > counter("openai").measure([TOOL]) > 0
    assert counter("anthropic", is_named=True).measure([TOOL]) < 300
