"""ShareGPT: conversations of ``from`` and ``value``, as data sets for fine-tuning have them."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import objects, text

NAME, PROVIDER, LINEAR = "sharegpt", "", True
_SPEAKERS = {
    "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant",
    "system": "system", "tool": "tool", "observation": "tool", "function_call": "assistant",
}
_KEYS = ("conversations", "conversation")


def _is_said(value: Any) -> bool:
    return text(value, "from") in _SPEAKERS and isinstance(value.get("value"), str)


def _said(value: Any) -> list[dict[str, Any]]:
    return next((found for key in _KEYS if (found := objects(value, key))), [])


def claims(value: Any) -> bool:
    """Tell whether a value is a conversation, a list of them, or a list of what was said."""
    if isinstance(value, list):
        return bool(value) and (all(map(_is_said, value)) or all(map(claims, value)))
    return bool(_said(value)) and all(map(_is_said, _said(value)))


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of each conversation; raises ValueError where there is none."""
    if isinstance(value, list) and not all(map(_is_said, value)):
        for one in value:
            yield from entries(one)
        return
    said = value if isinstance(value, list) else _said(value)
    if not said:
        raise ValueError("no conversation: nothing is said")
    yield Start()
    if isinstance(value, dict) and (words := text(value, "system")):
        yield Message("system", (Part("text", words),))
    yield from map(_message, said)


def _message(value: dict[str, Any]) -> Message:
    speaker = text(value, "from")
    kind = {"tool": "result", "observation": "result", "function_call": "call"}.get(speaker, "text")
    return Message(_SPEAKERS.get(speaker, speaker or "user"), (Part(kind, text(value, "value")),))  # type: ignore[arg-type]
