"""Gemini: a request or a list of contents, one content a line, and the sessions that Gemini CLI keeps."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat import gemini_cli
from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.gemini_parts import calls, parts, results
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Start
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Result
from ctxkit.core.chat.shape import objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.units import numbered, passages_in

NAME, PROVIDER, LINEAR = "gemini", "google", False
RULES = Rules("next", opens=True, summary="user", identified=False)


def _is_content(value: Any) -> bool:
    return isinstance(value, dict) and bool(objects(value, "parts")) and set(value) <= {"role", "parts"}


def claims(value: Any) -> bool:
    """Tell whether a value has contents with parts, or the messages of a session."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_content, value))
    return _is_content(value) or any(map(_is_content, objects(value, "contents"))) or gemini_cli.claims(value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the system instruction, the tools and the contents; raises ValueError where there is none."""
    if isinstance(value, list):
        for one in value:
            yield from entries(one)
    elif _is_content(value):
        yield _content(value)
    elif isinstance(value, dict) and "contents" in value and not gemini_cli.is_session(value):
        yield from _request(value)
    else:
        yield from gemini_cli.entries(value)


def _request(value: dict[str, Any]) -> Iterator[Entry]:
    yield Start()
    if found := toolset(value):
        yield found
    system = value.get("systemInstruction", value.get("system_instruction"))
    words = tuple(parts(system)) if isinstance(system, dict) else tuple(parts_of(system))
    if words:
        yield Message("system", words)
    contents = value["contents"]
    if isinstance(contents, str):
        yield Message("user", tuple(parts_of(contents)))
    yield from map(_content, objects(contents))


def _content(value: dict[str, Any]) -> Message:
    return Message(text(value, "role") or "user", tuple(parts(value)))


def where(document: Any) -> Place | None:
    """Return where the contents of a request stand, or the messages of a session."""
    if isinstance(document, list):
        return ()
    key = "messages" if gemini_cli.is_session(document) else "contents"
    return (key,) if isinstance(document, dict) and isinstance(document.get(key), list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what a content, or a message of a session, says, calls and answers."""
    if "parts" in value:
        return _of_content(value)
    if "contents" in value:
        return Anatomy("user", passages=tuple(passages_in(value["contents"], ("contents",))))
    return gemini_cli.anatomy(value)


def _of_content(value: dict[str, Any]) -> Anatomy:
    held = list(numbered(value.get("parts")))
    return Anatomy(
        "assistant" if text(value, "role") == "model" else "user",
        calls=tuple(call for at, part in held for call in calls(part, ("parts", at))),
        results=tuple(result for at, part in held for result in results(part, ("parts", at))),
        passages=tuple(Passage(part["text"], ("parts", at, "text")) for at, part in held if _is_free(part)),
        thinks=any(_signed(part) or part.get("thought") is True for _, part in held),
    )


def _signed(part: dict[str, Any]) -> bool:
    return "thoughtSignature" in part or "thought_signature" in part


def _is_free(part: dict[str, Any]) -> bool:
    """Tell whether the words of a part may change: no thoughts, and nothing that a signature vouches for."""
    return bool(text(part, "text")) and not _signed(part) and part.get("thought") is not True


def returned(result: Result, words: str) -> Any:
    """Return the words of a result, as an object where they take the place of one."""
    return {"output": words} if result.place[-1] == "response" else words


def answer(call: Call, words: str) -> Any:
    """Return the part that answers a call."""
    known = {"id": call.id} if call.id else {}
    return {"functionResponse": {**known, "name": call.name, "response": {"output": words}}}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the content of the user that carries results."""
    return {"role": "user", "parts": list(answers)}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the content, or the message of a session, that holds a summary: there are no other roles."""
    del role, parent
    if text(near, "type") and "timestamp" in near:
        made = {"id": key[:32], "timestamp": near["timestamp"], "type": "user", "content": [{"text": words}]}
        return (made,)
    return ({"role": "user", "parts": [{"text": words}]},)
