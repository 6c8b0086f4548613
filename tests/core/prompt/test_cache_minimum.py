"""The smallest cacheable prompt, by model."""

import pytest

from ctxkit.core.prompt.cache_minimum import find_cache_minimum


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5", 512),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4.7", 2048),
        ("anthropic/claude-opus-4-6", 4096),
        ("claude-opus-4-5-20251101", 4096),
        ("claude-opus-4-1", 1024),
        ("claude-sonnet-4-6", 1024),
        ("claude-sonnet-5", 1024),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
        ("claude-3-5-haiku-latest", 2048),
        ("claude-3-5-sonnet", 1024),
        ("a-model-of-tomorrow", 4096),
    ],
)
def test_anthropic_has_a_minimum_for_each_model(model: str, tokens: int) -> None:
    assert find_cache_minimum(model, "anthropic") == tokens


def test_other_providers_have_one_or_none() -> None:
    assert find_cache_minimum("gpt-5", "openai") == 1024
    assert find_cache_minimum("qwen3-30b", "") == 0
