"""The smallest prompt that a provider caches, by model.

Anthropic  platform documentation, "Prompt caching", section "Cache limitations": the minimum cacheable prompt length.
           "Shorter prompts cannot be cached, even if marked with `cache_control`", and "no error is returned".
OpenAI     API documentation, "Prompt caching", and cookbook, "Prompt Caching 201": prompts of 1024 tokens or more.
"""

ANTHROPIC_MINIMUMS = (
    (("claude-opus-4-8",), 1024),
    (("claude-opus-4-7",), 2048),
    (("claude-opus-4-6", "claude-opus-4-5"), 4096),
    (("claude-opus-5", "claude-fable-5", "claude-mythos-5"), 512),
    (("claude-mythos-preview",), 2048),
    (("claude-haiku-4-5",), 4096),
    (("claude-3-5-haiku", "claude-3-haiku", "claude-haiku-3"), 2048),
    (("claude-opus-4", "claude-sonnet", "claude-3"), 1024),
)
"""Tokens by prefix of the model's name, the first that fits."""
LARGEST_ANTHROPIC, OPENAI = 4096, 1024
"""Tokens for an Anthropic model that is not in the table, and for OpenAI's models."""


def find_cache_minimum(model: str, provider: str) -> int:
    """Return the tokens of the smallest prompt that a provider caches; 0 if it has no minimum."""
    if provider == "openai":
        return OPENAI
    if provider != "anthropic":
        return 0
    plain = model.lower().rpartition("/")[2].rpartition("anthropic.")[2].replace(".", "-")
    return next((tokens for names, tokens in ANTHROPIC_MINIMUMS if plain.startswith(names)), LARGEST_ANTHROPIC)
