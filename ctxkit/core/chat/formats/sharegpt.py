"""ShareGPT: conversations of ``from`` and ``value``, as data sets for fine-tuning have them."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Result, Role
from ctxkit.core.chat.shape import objects, text
from ctxkit.core.chat.tagged import CALL, RESPONSE, call_of, response_of, tagged
from ctxkit.core.chat.units import given

NAME, PROVIDER, LINEAR = "sharegpt", "", True
RULES = Rules("near", identified=False)
_SPEAKERS: dict[str, Role] = {
    "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant",
    "system": "system", "tool": "tool", "observation": "tool", "function_call": "assistant",
}
_KEYS = ("conversations", "conversation")


def _is_said(value: Any) -> bool:
    return text(value, "from") in _SPEAKERS and isinstance(value.get("value"), str)


def _said(value: Any) -> list[dict[str, Any]]:
    return next((found for key in _KEYS if (found := objects(value, key))), [])


def claims(value: Any) -> bool:
    """Tell whether a value is a conversation, a list of them, or what was said, alone or in a list."""
    if isinstance(value, list):
        return bool(value) and (all(map(_is_said, value)) or all(map(claims, value)))
    return _is_said(value) or (bool(_said(value)) and all(map(_is_said, _said(value))))


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of each conversation, or one message; raises ValueError where there is none."""
    if _is_said(value):
        yield _message(value)
        return
    if isinstance(value, list) and not all(map(_is_said, value)):
        for one in value:
            yield from entries(one)
        return
    said = value if isinstance(value, list) else _said(value)
    if not said and not (isinstance(value, dict) and text(value, "system")):
        raise ValueError("no conversation: nothing is said")
    yield Start()
    if isinstance(value, dict) and (words := text(value, "system")):
        yield Message("system", (Part("text", words),))
    yield from map(_message, said)


def _message(value: dict[str, Any]) -> Message:
    speaker = text(value, "from")
    kind = {"tool": "result", "observation": "result", "function_call": "call"}.get(speaker, "text")
    return Message(_SPEAKERS.get(speaker, speaker or "user"), (Part(kind, text(value, "value")),))  # type: ignore[arg-type]


def where(document: Any) -> Place | None:
    """Return where a conversation's messages stand; raises ValueError for a list of several conversations."""
    if isinstance(document, list):
        if all(map(_is_said, document)):
            return ()
        if len(document) > 1:
            raise ValueError("it holds several conversations")
        return (0, *(where(document[0]) or ()))
    key = next((key for key in _KEYS if isinstance(document, dict) and isinstance(document.get(key), list)), None)
    return (key,) if key else None


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers: in words between tags, or all of it where the speaker says so."""
    speaker, words = text(value, "from"), text(value, "value")
    role, place = _SPEAKERS.get(speaker, "user"), ("value",)
    if role == "tool":
        return Anatomy(role, results=tuple(_results(words)))
    if speaker == "function_call":
        held = given(words)
        name, asked = text(held, "name"), held.get("arguments") if isinstance(held, dict) else held
        return Anatomy(role, calls=(Call("", name, given(asked), place),))
    calls = tuple(Call("", *call_of(one.text), place) for one in tagged(words, CALL)) if role == "assistant" else ()
    return Anatomy(role, calls=calls, passages=() if calls or not words else (Passage(words, place),))


def _results(words: str) -> Iterator[Result]:
    """Yield the results in a message: the first stands for all of its words, which can only be replaced together."""
    names = [response_of(one.text)[0] for one in tagged(words, RESPONSE)] or [""]
    for at, name in enumerate(names):
        yield Result("", "" if at else words, ("value",), name, plain=not at)


def returned(result: Result, words: str) -> Any:
    """Return the words of a message."""
    del result
    return words


def answer(call: Call, words: str) -> Any:
    """Return the message that answers a call."""
    del call
    return {"from": "tool", "value": words}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each result is a message."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent, near
    return ({"from": "system" if role == "system" else "human", "value": words},)
