"""A prompt as the members of a request: system blocks of Anthropic, messages of OpenAI."""

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
