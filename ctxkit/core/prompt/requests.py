"""A prompt as the members of a request, and the smallest one that a provider caches."""

from collections.abc import Sequence

from ctxkit.core.prompt.builder import CacheBreakpoint, Prompt
from ctxkit.core.text.json_value import JsonValue

CACHE_CONTROL = {"type": "ephemeral"}
"""Anthropic's mark of a breakpoint, for a cache of five minutes."""


def make_anthropic_members(
    prompt: Prompt, breakpoints: Sequence[CacheBreakpoint], *, tail: bool = True
) -> dict[str, JsonValue]:
    """Return the member ``system``, with ``cache_control`` at the breakpoints.

    With ``tail``, what changes every turn is a message at the end of ``messages`` instead of the last block. Anthropic
    reads tools and system before the messages, so that the history stays cached ("Prompt caching", "Structuring your
    prompt").
    """
    blocks = _make_blocks(prompt, breakpoints)
    text = prompt.volatile_text
    if text and not tail:
        blocks.append({"type": "text", "text": f"\n{text}" if blocks else text})
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}] if text and tail else []
    return {"system": blocks, "messages": messages}


def _make_blocks(prompt: Prompt, breakpoints: Sequence[CacheBreakpoint]) -> list[dict[str, JsonValue]]:
    """Return the static text as blocks; pieces without a usable breakpoint join the next one."""
    blocks: list[dict[str, JsonValue]] = []
    pending = ""
    for text, point in prompt.split_static():
        pending += text
        if point in breakpoints:
            blocks.append({"type": "text", "text": pending, "cache_control": dict(CACHE_CONTROL)})
            pending = ""
    return [*blocks, {"type": "text", "text": pending}] if pending else blocks


def make_openai_members(prompt: Prompt, *, tail: bool = True) -> dict[str, JsonValue]:
    """Return the member ``messages``: the system message, and with ``tail`` a last one with what changes every turn.

    OpenAI caches prefixes by itself, so that no breakpoint is marked. The conversation belongs between the two.
    """
    static = prompt.static_text if tail else prompt.text
    messages = [{"role": "system", "content": static}] if static else []
    if tail and prompt.volatile_text:
        messages.append({"role": "user", "content": prompt.volatile_text})
    return {"messages": messages}


_ANTHROPIC_MINIMUMS = (
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
_LARGEST_ANTHROPIC, OPENAI = 4096, 1024
"""Tokens for an Anthropic model that is not in the table, and for OpenAI's models."""


def find_cache_minimum(model: str, provider: str) -> int:
    """Return the tokens of the smallest prompt that a provider caches; 0 if it has no minimum."""
    if provider == "openai":
        return OPENAI
    if provider != "anthropic":
        return 0
    plain = model.lower().rpartition("/")[2].rpartition("anthropic.")[2].replace(".", "-")
    return next((tokens for names, tokens in _ANTHROPIC_MINIMUMS if plain.startswith(names)), _LARGEST_ANTHROPIC)
